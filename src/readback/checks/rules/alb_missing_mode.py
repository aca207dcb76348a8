"""A prompt has no mode.

An entry of `prompts` does not say which mode it is for.

The program fails on the whole file. Here the other modes are read, and this prompt can be chosen by nobody.

Give it a `mode:` of its own.
"""

CODE = "alb-missing-mode"
SEVERITY = "error"
ON = "load"
SENTENCE = "prompt number {number} has no mode"
FIX = "give it a mode: of its own"
PASS = ({"prompt_config.yml": "prompts: [{mode: a, template: t.jinja}]\n", "t.jinja": "{{ query }}\n"},)
FAIL = (
    {"prompt_config.yml": "prompts: [{mode: a, template: t.jinja}, {template: t.jinja}]\n", "t.jinja": "{{ query }}\n"},
)
