"""A row asks nothing.

The field `instruction` is missing, empty, only blanks, or not a text, and the mode builds its prompt from it.

Nothing can be sent for the row; the program stops at it.

Fill the field in, or map the field that holds the question: `dataset: {fields: {instruction: question}}`.
"""

CODE = "fmt-empty-instruction"
SEVERITY = "error"
ON = "load"
OF_A_ROW = True
SENTENCE = "the row has no question in instruction ({what}), so nothing can be sent in mode {mode}"
FIX = "fill instruction in, or map the field that holds the question to it"
_FILE = "dataset: {path: data.jsonl}\nprompts: [builtin:prompt-formats]\nconditions: [{name: a, mode: instruction}]\n"
PASS = ({"readback.yml": _FILE, "data.jsonl": '{"id": "1", "instruction": "Why?"}\n'},)
FAIL = (
    {"readback.yml": _FILE, "data.jsonl": '{"id": "1", "instruction": " \\n"}\n'},
    {"readback.yml": _FILE, "data.jsonl": '{"id": "1", "question": "Why?"}\n'},
)
