"""An Albert configuration has a key that nothing reads.

A key at the top, in a prompt or in a model is not one of the document's, nor of its program.

The program ignores it silently: a misspelt `system_prompt` sends no system prompt.

Correct the spelling (the nearest known key is named), or take the key out.
"""

CODE = "alb-unknown-key"
SEVERITY = "warning"
ON = "load"
SENTENCE = "unknown key '{key}'[[; nearest known key: '{nearest}']]"
FIX = "use one of the known keys ({known}), or take it out"
_TEMPLATE = {"t.jinja": "{{ query }}\n"}
PASS = ({"prompt_config.yml": "system_prompt: S\nprompts: [{mode: a, template: t.jinja}]\n", **_TEMPLATE},)
FAIL = (
    {"prompt_config.yml": "sytem_prompt: S\nprompts: [{mode: a, template: t.jinja}]\n", **_TEMPLATE},
    {"prompt_config.yml": "prompts: [{mode: a, template: t.jinja, defaults: {limit: 4}}]\n", **_TEMPLATE},
)
