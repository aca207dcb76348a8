"""Build the text that a model receives under Ollama, from a Modelfile with its Go template."""
