"""A context is not a text.

An item of the row's contexts is a number, a list or an object, or the field is not a list at all. An item is sent as
Python prints it, as the program does; a field that is not a list counts as no contexts.

`{'text': '…', 'page': 3}` in a prompt is not what the model was trained to read.

Keep plain texts in the list of contexts, and everything else in fields of its own.
"""

CODE = "fmt-context-not-text"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{field} is not a text ({what})"
FIX = "keep plain texts in the list of contexts"
_FILE = "dataset: {path: data.jsonl}\nprompts: [builtin:prompt-formats]\nconditions: [{name: a, mode: hybrid}]\n"
_ROW = '{"id": "1", "instruction": "Why?", "rag": {"contexts": %s}}\n'
PASS = ({"readback.yml": _FILE, "data.jsonl": _ROW % '["a"]'},)
FAIL = (
    {"readback.yml": _FILE, "data.jsonl": _ROW % '[{"text": "a"}]'},
    {"readback.yml": _FILE, "data.jsonl": _ROW % '"a"'},
)
