"""Prompts as plain files or Python constants, and the language that a template is written in."""
