"""A cell is not the JSON that its column should hold.

`dataset: {json: [column]}` says that a column holds JSON, and a cell of it is something else. The cell stays the text
it is.

A template that goes through the column as a list goes through the letters of this one.

Correct the cell, or take the column out of `json:`.
"""

CODE = "dat-cell-not-json"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the cell in column {column} is not JSON ({reason}, at its character {at})"
FIX = "correct the cell, or take {column} out of json:"
_FILE = {"readback.yml": "dataset: {path: data.csv, json: [documents]}\n"}
PASS = (_FILE | {"data.csv": 'id,documents\n1,"[""One.""]"\n2,7\n3,\n'},)
FAIL = (_FILE | {"data.csv": 'id,documents\n1,"[""One.""]"\n2,One.\n'},)
