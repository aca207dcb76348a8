"""A file is not UTF-8 text.

Bytes that are no UTF-8 letters: the first of them is named with its line and column. Files saved as UTF-16, Latin-1 or
Windows-1252 look like this, and so do files that are no text at all.

Which letters were meant is not in the file. A guess could put wrong letters into a prompt without a trace, so the line
is refused, or the whole file where it is read as one.

Save the file as UTF-8. In Excel: Save As, CSV UTF-8.
"""

CODE = "dat-encoding"
SEVERITY = "error"
ON = "load"
SENTENCE = "not UTF-8 text: {count} wrong {count:byte|bytes}, the first is {byte}"
FIX = "save the file as UTF-8"
PASS = ({"data.csv": "id,question\n1,où\n"},)
FAIL = ({"data.csv": b"id,question\n1,o\xf9\n"}, {"data.csv": "id,question\n1,où\n".encode("utf-16")})
