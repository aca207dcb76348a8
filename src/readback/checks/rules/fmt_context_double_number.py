"""A context carries two numbers.

Contexts that are not all numbered are numbered from 1, all of them; one that had a number keeps it behind the new one:
`[1] [1] …`.

The two numbers need not agree, and a citation of the model can mean either.

Number all contexts in the dataset, or none.
"""

CODE = "fmt-context-double-number"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{field} begins with {number} already and gets a second number, because not every context has one"
FIX = "number all contexts of the row, or none"
_FILE = "dataset: {path: data.jsonl}\nprompts: [builtin:prompt-formats]\nconditions: [{name: a, mode: hybrid}]\n"
_ROW = '{"id": "1", "instruction": "Why?", "rag": {"contexts": [%s]}}\n'
PASS = (
    {"readback.yml": _FILE, "data.jsonl": _ROW % '"[1] a", "[2] b"'},
    {"readback.yml": _FILE, "data.jsonl": _ROW % '"a", "[CMG+18] b"'},
)
FAIL = ({"readback.yml": _FILE, "data.jsonl": _ROW % '"[1] a", "b"'},)
