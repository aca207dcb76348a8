"""An Albert configuration is not a mapping of keys.

The file is empty, a list or a single value, where keys such as `prompts` are expected.

The program that reads it crashes; nothing of the file can be used.

Write keys at the top level: `prompt_format:`, `prompts:`.
"""

CODE = "alb-not-a-mapping"
SEVERITY = "error"
ON = "load"
SENTENCE = "the configuration holds {found} where keys such as prompts are expected"
FIX = "write the keys of a prompt configuration at the top level"
PASS = ({"prompt_config.yml": "prompts: [{mode: a, template: t.jinja}]\n", "t.jinja": "{{ query }}\n"},)
FAIL = ({"prompt_config.yml": ""}, {"prompt_config.yml": "- prompts: [a]\n"})
