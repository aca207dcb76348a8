"""A context is empty.

An item of the row's contexts is null, or has no character but blanks and its number. Null is left out; an empty text
is sent as a bare number.

The model is shown a source that says nothing, or the numbers of the contexts behind it move by one.

Fill the context in, or remove it from the row.
"""

CODE = "fmt-context-empty"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{field} is empty ({what})"
FIX = "fill the context in, or remove it"
_FILE = "dataset: {path: data.jsonl}\nprompts: [builtin:prompt-formats]\nconditions: [{name: a, mode: hybrid}]\n"
_ROW = '{"id": "1", "instruction": "Why?", "rag": {"contexts": [%s]}}\n'
PASS = ({"readback.yml": _FILE, "data.jsonl": _ROW % '"a", "b"'},)
FAIL = (
    {"readback.yml": _FILE, "data.jsonl": _ROW % '"a", " "'},
    {"readback.yml": _FILE, "data.jsonl": _ROW % '"a", null'},
    {"readback.yml": _FILE, "data.jsonl": _ROW % '"[1]"'},
)
