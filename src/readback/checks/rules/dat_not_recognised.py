"""A file is not recognised.

A file that is named or opened is in no format that is known by its name or its first bytes, or holds nothing of a kind
that is known here. A list of numbers or texts that merely lies in the folder, where a list of records could be, is told
for information.

Nothing is read from it.

Give a dataset the usual ending (.jsonl, .json, .csv, .tsv, .parquet, also with .gz), or say dataset: format. Where it
is not a file for Readback, take out the line that names it.
"""

CODE = "dat-not-recognised"
SEVERITY = "warning"
ON = "load"
SENTENCE = "'{path}' is not read: {reason}"
FIX = "[[give it the ending of its format ({endings}), name the format under dataset: format, or ]]name another file"
PASS = ({"readback.yml": "dataset: {path: data.txt, format: csv}\n", "data.txt": "id,text\n1,one\n"},)
FAIL = (
    {"readback.yml": "dataset: {path: data.bin}\n", "data.bin": b"\x00\x01\x02"},
    {"indices.json": "[4, 7, 12]\n", "q.csv": "id,question\n1,Why?\n"},
)
