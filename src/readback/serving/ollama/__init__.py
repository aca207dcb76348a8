"""What Ollama makes of messages, with a Modelfile and its Go template."""
