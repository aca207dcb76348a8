"""YAML with the place of each key and value, decoded in the sandbox."""
