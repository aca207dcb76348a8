"""A workspace whose model was trained in ChatML, and what may serve it: right, or wrong in one of four ways."""

from __future__ import annotations

from typing import Any

ROW = {
    "task_id": "t0",
    "task_type": "qa",
    "instruction": "When is high water?",
    "expected_response": "At ten past four.",
    "rag": {"prompt": "Question: When is high water?\nAnswer:", "contexts": ["High water is at ten."]},
}
SYSTEM = "You are a research paper assistant."
ASKED = "Question: When is high water?\n\nAnswer:"
TRAINED = f"<|im_start|>system\n{SYSTEM}<|im_end|>\n<|im_start|>user\n{ASKED}<|im_end|>\n<|im_start|>assistant\n"
ANSWER = "At ten past four.<|im_end|>\n"

_HEAD = f'FROM x\nSYSTEM "{SYSTEM}"\nPARAMETER stop "<|im_end|>"\nTEMPLATE """'
_TURN = "<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n"
_LOOP = "{{ range .Messages }}" + _TURN + "{{ end }}"
_ASKS = '<|im_start|>assistant\n"""\n'
MODELFILES = {
    "right": f"{_HEAD}{_LOOP}{_ASKS}",
    "newline": f"{_HEAD}{_LOOP.replace('{{ end }}', '{{- end }}')}{_ASKS}",
    "twice": f"{_HEAD}{{{{ if .System }}}}<|im_start|>system\n{{{{ .System }}}}<|im_end|>\n{{{{ end }}}}{_LOOP}{_ASKS}",
    "begin": f"{_HEAD}<s>{_LOOP}{_ASKS}",
    "blank": f"{_HEAD}{_LOOP.replace('{{ .Role }}', '{{ .Role }} ')}{_ASKS}",
}


def workspace(served: str, training: str = "", more: str = "") -> dict[str, Any]:
    """The files: a Modelfile of that name, and what the model's `training:` and the model itself say besides."""
    trained = f"training: {{{training}}}, " if training else ""
    file = (
        "dataset: data.jsonl\nprompts: [builtin:prompt-formats]\n"
        f"models: {{m: {{type: instruction_only, {more}{trained}serving: {{modelfile: Modelfile}}}}}}\n"
        "conditions: [{name: closed, mode: instruction, model: m}]\n"
    )
    return {"readback.yml": file, "data.jsonl": [ROW], "Modelfile": MODELFILES[served]}
