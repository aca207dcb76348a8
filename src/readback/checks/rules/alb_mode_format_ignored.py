"""A mode names a chat format of its own.

`prompt_format` is in an entry of `prompts`. Older files have it there; the program applies only the top one.

Whoever reads the file expects another format than the one that is sent.

Move it to the top, or make two configurations.
"""

CODE = "alb-mode-format-ignored"
SEVERITY = "warning"
ON = "load"
SENTENCE = "mode '{mode}' asks for prompt_format {format}, which is never applied: only the one at the top is"
FIX = "set prompt_format at the top of the file"
_TEMPLATE = {"t.jinja": "{{ query }}\n"}
PASS = ({"prompt_config.yml": "prompt_format: chatml\nprompts: [{mode: a, template: t.jinja}]\n", **_TEMPLATE},)
FAIL = ({"prompt_config.yml": "prompts: [{mode: a, template: t.jinja, prompt_format: chatml}]\n", **_TEMPLATE},)
