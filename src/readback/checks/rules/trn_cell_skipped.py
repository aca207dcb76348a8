"""A part of the training code is no Python.

A notebook's cell, the notebook or the file could not be parsed, magics (`%time`, `!pip`) left out. The rest was read.

A system text inside it is not seen.

Nothing needs to be done if the part has no prompt in it.
"""

CODE = "trn-cell-skipped"
SEVERITY = "info"
ON = "load"
SENTENCE = "{cell} is not Python and was not looked at: {reason}"
FIX = "nothing, if it holds no prompt"
_FILE = "models: {m: {training: {system: {from: train.ipynb}}}}\n"
_CELLS = '{"cells": [{"cell_type": "code", "source": "m = {\'role\': \'system\', \'content\': \'Be brief.\'}"}%s]}'
_OTHER = ', {"cell_type": "code", "source": "%s"}'
PASS = ({"readback.yml": _FILE, "train.ipynb": _CELLS % (_OTHER % "%time x = 1\\n!pip install x")},)
FAIL = ({"readback.yml": _FILE, "train.ipynb": _CELLS % (_OTHER % "?print")},)
