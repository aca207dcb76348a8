"""Ollama's Modelfiles: their grammar, what Ollama refuses, and what surprises."""
