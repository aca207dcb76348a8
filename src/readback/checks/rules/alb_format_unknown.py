"""The chat format is none that is known.

`prompt_format` (or the format asked for) is not one of the named formats.

The program stops with an error for every prompt. Here the messages are shown, and no text of a server.

Use one of the known names, or null for none.
"""

CODE = "alb-format-unknown"
SEVERITY = "error"
ON = "load"
SENTENCE = "unknown chat format '{format}'; known are {known}"
FIX = "use one of {known}, or null for no format"
_CONFIG = "prompt_format: %s\nprompts: [{mode: a, template: t.jinja}]\n"
PASS = (
    {"prompt_config.yml": _CONFIG % "llama-chat", "t.jinja": "{{ query }}\n"},
    {"prompt_config.yml": _CONFIG % "null", "t.jinja": "{{ query }}\n"},
)
FAIL = ({"prompt_config.yml": _CONFIG % "mistral", "t.jinja": "{{ query }}\n"},)
