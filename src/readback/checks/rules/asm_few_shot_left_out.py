"""A few-shot example is left out.

An example without a question or an answer, an index that is out of range, or a hash that fits no example.

The program leaves it out silently, so fewer examples are sent than were meant.

Complete the example, or correct the selection: indices count from 0, a hash is the md5 of the example's question.
"""

CODE = "asm-few-shot-left-out"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the example {name} is left out: {reason}"
FIX = "complete it, or correct the selection (indices from 0, or the md5 of the example's question)"
_PRESET = '{"name": "n", "config": {"answering_models": [{"interface": "langchain", "model_name": "m"}], %s}}'
_FILE = 'dataset: d.jsonl\nprompts: [preset.json]\ntasks: {generation: {user: "{{ question }}"}}\n'
_EXAMPLE = '{"question": "a", "answer": "b"}'
_ROW = '{"id": "%s", "question": "Why?", "few_shot_examples": [%s]}\n'


def _case(config: str, *examples: str, called: str = "1") -> dict[str, str]:
    row = _ROW % (called, ", ".join(examples))
    return {"readback.yml": _FILE, "preset.json": _PRESET % f'"few_shot_config": {config}', "d.jsonl": row}


_CUSTOM = '{"question_configs": {"1": {"mode": "custom", "selected_examples": [%s]}}}'
PASS = (_case("{}", _EXAMPLE), _case(_CUSTOM % "0", _EXAMPLE))
FAIL = (_case("{}", _EXAMPLE, '{"question": "a"}'), _case(_CUSTOM % "0, 7", _EXAMPLE))
