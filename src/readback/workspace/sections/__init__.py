"""The keys of readback.yml: one module each, with KEY and read(node, draft).

`ORDER` in `workspace_file.py` says when each is read.
"""
