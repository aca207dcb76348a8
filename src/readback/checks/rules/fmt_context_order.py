"""The contexts are not numbered 1, 2, 3 … in order.

Every context brings its own number, and together they are not 1 to n in order: one is missing, doubled or out of
place. They are sent as they are.

Citations are counted by position; here the number a model cites and the position of the context disagree.

Number the contexts of the row from 1 in the order in which they are listed.
"""

CODE = "fmt-context-order"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the contexts in {field} are numbered {numbers} instead of {wanted}"
FIX = "number the contexts from 1 in the order in which they are listed"
_FILE = "dataset: {path: data.jsonl}\nprompts: [builtin:prompt-formats]\nconditions: [{name: a, mode: hybrid}]\n"
_ROW = '{"id": "1", "instruction": "Why?", "rag": {"contexts": [%s]}}\n'
PASS = ({"readback.yml": _FILE, "data.jsonl": _ROW % '"[1] a", "[2] b"'},)
FAIL = ({"readback.yml": _FILE, "data.jsonl": _ROW % '"[2] a", "[2] b"'},)
