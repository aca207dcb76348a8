"""Excluded examples are counted among the chosen ones.

A question has `excluded_examples`, and its examples are chosen by `custom` or drawn by `k-shot`.

The program counts an excluded index (and where a hash points to) in the list of what was chosen, not in the list of all
examples. It rarely means what it says: another example is taken out, or none.

Leave `excluded_examples` out and choose under `selected_examples` alone, or use mode all.
"""

CODE = "asm-few-shot-excluded"
SEVERITY = "warning"
ON = "load"
SENTENCE = "excluded_examples means {meant}, but the program counts among the chosen ones ({mode}) and takes out {gone}"
FIX = "choose with selected_examples alone, or use mode all"
_PRESET = '{"name": "n", "config": {"answering_models": [{"interface": "langchain", "model_name": "m"}], %s}}'
_FILE = 'dataset: d.jsonl\nprompts: [preset.json]\ntasks: {generation: {user: "{{ question }}"}}\n'
_EXAMPLE = '{"question": "a", "answer": "b"}'
_ROW = '{"id": "%s", "question": "Why?", "few_shot_examples": [%s]}\n'


def _case(config: str, *examples: str, called: str = "1") -> dict[str, str]:
    row = _ROW % (called, ", ".join(examples))
    return {"readback.yml": _FILE, "preset.json": _PRESET % f'"few_shot_config": {config}', "d.jsonl": row}


_OUT = '{"question_configs": {"1": {"mode": "%s", "selected_examples": [1, 0], "excluded_examples": [0]}}}'
_OTHER = _EXAMPLE.replace("a", "c")
PASS = (_case(_OUT % "all", _EXAMPLE, _OTHER),)
FAIL = (_case(_OUT % "custom", _EXAMPLE, _OTHER),)
