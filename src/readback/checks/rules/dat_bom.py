"""A file starts with a byte-order mark.

Three bytes that some programs write before the first letter of UTF-8 text. They are left out of what is read.

A program that does not leave them out sees a first column or key with an invisible letter before its name, or a
template that begins with one.

Nothing has to be done here. For other programs save the file as UTF-8 without a byte-order mark.
"""

CODE = "dat-bom"
SEVERITY = "info"
ON = "load"
SENTENCE = "it starts with a byte-order mark, which is left out"
FIX = "save the file as UTF-8 without a byte-order mark"
PASS = ({"data.csv": "id,question\n1,why\n"},)
FAIL = ({"data.csv": b"\xef\xbb\xbfid,question\n1,why\n"},)
