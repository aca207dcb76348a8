"""Datasets by file format: one module each.

A module says NAME and SUFFIXES and has one of

* `rows(stream, file)`: what the file holds from its first byte to its last, as the events of `row`, each with its
  lines and byte offsets; and `parse(raw, shape)`: one record's fields again from its bytes. `shape` is what the
  Header event carried, with the names of the columns that hold JSON under "json". CELLS = True where every value is
  the text of a cell, so that some may be JSON. BY_LINES = False where what is counted are not physical lines.
* `spool(path, out, file)`: for formats that are not text. It writes JSON lines to `out` (decoding in the bounded
  child) and yields how many bytes of `path` are done, and Diagnostics.

No reader raises for what it finds in a file. Names that begin with _ are not formats.
"""
