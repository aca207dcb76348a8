"""A system prompt is passed with the call, and the later program ignores it.

The option `albert_dialect: current` is set, and the record (or `--set`) brings a `system_prompt` for an Albert mode. In
the program of the document it goes before the mode's and the file's; the later one takes the argument and forgets it.

Whoever passes a system prompt believes that it is sent. The one of the configuration is, or none at all.

Write it into the configuration's `system_prompt`, of the mode or at the top.
"""

CODE = "alb-system-argument-ignored"
SEVERITY = "error"
ON = "load"
SENTENCE = "the system prompt passed for mode '{mode}' is ignored by the later program: {text}"
FIX = "write it into system_prompt of the configuration"
_CONFIG = "system_prompt: Be brief.\nprompts: [{mode: a, template: t.jinja}]\n"
_FILE = "dataset: data.jsonl\nprompts: [prompt_config.yml]\noptions: {albert_dialect: %s}\n"
_REST = {
    "prompt_config.yml": _CONFIG,
    "t.jinja": "{{ query }}\n",
    "data.jsonl": '{"id": "1", "query": "Q", "system_prompt": "Be kind."}\n',
}
PASS = ({"readback.yml": _FILE % "classic", **_REST},)
FAIL = ({"readback.yml": _FILE % "current", **_REST},)
