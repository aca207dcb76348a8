"""A file is named like an Albert configuration and has no list of prompts.

`prompt_config.yml` is there, and its `prompts` is absent or no list, or none of them has a mode or a template. It is
for information only unless the workspace file names the file, or it says what only an Albert configuration says
(`prompt_format`, a list of modes under another key).

No mode can be read from it. Other projects call their files so, too.

If it is meant to be an Albert configuration, add `prompts:` with one entry for each mode; else leave it out.
"""

CODE = "alb-not-albert"
SEVERITY = "warning"
ON = "load"
SENTENCE = "there is {found} where the list of prompts should be, so no mode is read from it[[; {guess}]]"
FIX = "add prompts: with one entry for each mode, or take the file out"
PASS = ({"prompt_config.yml": "prompts: [{mode: a, template: t.jinja}]\n", "t.jinja": "{{ query }}\n"},)
FAIL = (
    {"prompt_config.yml": "model: ada\n"},
    {"prompt_config.yml": "prompts:\n  - |\n    ## Instructions\n    Analyse.\n"},
    {"readback.yml": "prompts: [prompt_config.yml]\n", "prompt_config.yml": "prompts: {a: {template: t.jinja}}\n"},
)
