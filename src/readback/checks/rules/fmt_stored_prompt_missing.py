"""A row has no stored prompt.

Mode rag sends the prompt that was stored with the row (`rag.prompt`, or `rag_prompt`), as it is. This row has none, or
an empty one, or something that is not a text.

Nothing can be sent for the row; the program stops at it.

Store the prompt with the row, or use mode hybrid, which builds it from question and contexts.
"""

CODE = "fmt-stored-prompt-missing"
SEVERITY = "error"
ON = "load"
OF_A_ROW = True
SENTENCE = "the row has no stored prompt in {field} ({what}), so nothing can be sent"
FIX = "store the prompt in {field}, or use a mode that builds it"
_FILE = "dataset: {path: data.jsonl}\nprompts: [builtin:prompt-formats]\nconditions: [{name: a, mode: rag}]\n"
PASS = ({"readback.yml": _FILE, "data.jsonl": '{"id": "1", "rag_prompt": "Question: Why?\\nAnswer:"}\n'},)
FAIL = (
    {"readback.yml": _FILE, "data.jsonl": '{"id": "1", "instruction": "Why?"}\n'},
    {"readback.yml": _FILE, "data.jsonl": '{"id": "1", "rag": {"prompt": ""}}\n'},
)
