"""A file that should hold user instructions holds none.

It is neither a preset with a `config`, nor a verification configuration, nor a mapping of the seven instruction keys.

Nothing is appended to any task's system text.

Use the keys generation, parsing, abstention_detection, sufficiency_detection, rubric_evaluation, agentic_parsing and
deep_judgment.
"""

CODE = "asm-no-instructions"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{file} holds no user instructions"
FIX = "use the seven instruction keys, or a preset that has them under config: prompt_config"
_PRESET = '{"name": "n", "config": {"answering_models": []%s}}'
PASS = ({"preset.json": _PRESET % ', "prompt_config": {"parsing": "Be strict."}'},)
FAIL = ({"preset.json": '{"id": "1", "name": "n", "config": {}}'},)
