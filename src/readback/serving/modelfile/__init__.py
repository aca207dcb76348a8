"""Read Ollama's Modelfiles."""
