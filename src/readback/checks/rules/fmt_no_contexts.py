"""A prompt that should hold contexts has none.

The condition gives an instruction-only model retrieved contexts (mode hybrid, or rag for such a model), and the row
lists none, or only nulls. The program then sends the question alone, and so do we.

The answer is a closed-book answer counted among open-book ones.

Add the contexts to the row (`rag.contexts`, or `contexts`), or leave the row out of this condition.
"""

CODE = "fmt-no-contexts"
SEVERITY = "error"
ON = "load"
OF_A_ROW = True
SENTENCE = "{field} holds no context, so the question is sent alone"
FIX = "add the contexts to the row, or leave it out of this condition"
_FILE = "dataset: {path: data.jsonl}\nprompts: [builtin:prompt-formats]\nconditions: [{name: a, mode: hybrid}]\n"
PASS = ({"readback.yml": _FILE, "data.jsonl": '{"id": "1", "instruction": "Why?", "rag": {"contexts": ["So."]}}\n'},)
FAIL = ({"readback.yml": _FILE, "data.jsonl": '{"id": "1", "instruction": "Why?", "rag": {"contexts": [null]}}\n'},)
