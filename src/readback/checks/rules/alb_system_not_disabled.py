"""A mode tries to switch the system prompt off, and cannot.

The mode's `system_prompt` is null or empty while the file has one at the top.

The program takes an empty value for "not given" and sends the top one all the same.

Leave the top one out and give each mode its own.
"""

CODE = "alb-system-not-disabled"
SEVERITY = "warning"
ON = "load"
SENTENCE = "mode '{mode}' sets an empty system_prompt, and the one at the top of the file is sent all the same"
FIX = "take the top system_prompt out and give it to the modes that need it"
_CONFIG = "system_prompt: Be brief.\nprompts:\n  - {mode: a, template: t.jinja%s}\n"
PASS = (
    {"prompt_config.yml": _CONFIG % "", "t.jinja": "{{ query }}\n"},
    {"prompt_config.yml": _CONFIG % ", system_prompt: Be kind.", "t.jinja": "{{ query }}\n"},
)
FAIL = (
    {"prompt_config.yml": _CONFIG % ', system_prompt: ""', "t.jinja": "{{ query }}\n"},
    {"prompt_config.yml": _CONFIG % ", system_prompt: null", "t.jinja": "{{ query }}\n"},
)
