"""A file is not recognised.

A file that is named or opened and is in no format that is known by its name or its first bytes.

Nothing is read from it.

Give the file the usual ending (.jsonl, .json, .csv, .tsv, .parquet, also with .gz), or say dataset: format.
"""

CODE = "dat-not-recognised"
SEVERITY = "warning"
ON = "load"
SENTENCE = "'{path}' is in no known format"
FIX = "give it the ending of its format, or name the format"
PASS = ({"readback.yml": "dataset: {path: data.txt, format: csv}\n", "data.txt": "id,text\n1,one\n"},)
FAIL = ({"readback.yml": "dataset: {path: data.bin}\n", "data.bin": b"\x00\x01\x02"},)
