"""The keys of readback.yml: one module each, with KEY and read(node, draft); adding a key is adding a file."""
