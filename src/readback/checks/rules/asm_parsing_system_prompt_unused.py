"""A parsing model has a system prompt that is never sent.

A preset or verification configuration gives one of its `parsing_models` a `system_prompt`. The judge's system message
is made of the task's text, the adapter's text and the user instruction; the model's own is only recorded.

Whoever reads the configuration, or a result that repeats it, takes the text for the judge's instructions.

Put what the judge should heed into the instruction for its tasks (`prompt_config: {parsing: …}`), and leave the model's
`system_prompt` out. Only answering models are sent theirs.
"""

CODE = "asm-parsing-system-prompt-unused"
SEVERITY = "warning"
ON = "load"
SENTENCE = (
    "the system prompt of parsing model {model} ({characters} {characters:character|characters}) is only recorded, "
    "never sent"
)
FIX = "put the text into prompt_config for the judge's tasks, and leave it out of the model"
_PRESET = '{"name": "n", "config": {%s: [{"interface": "langchain", "model_name": "m", "system_prompt": %s}]}}'
PASS = (
    {"preset.json": _PRESET % ('"answering_models"', '"You answer."')},
    {"preset.json": _PRESET % ('"parsing_models"', "null")},
)
FAIL = ({"preset.json": _PRESET % ('"parsing_models"', '"You judge."')},)
