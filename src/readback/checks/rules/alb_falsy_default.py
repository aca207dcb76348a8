"""A value of the record gave way to a default.

The record has a value that counts as false (0, an empty text, an empty list, false), and the mode has another default
for it. The program fills defaults wherever a value is false, not only where it is missing.

An explicit `limit: 0` becomes the default; an empty `institution` becomes somebody's.

Remove the default, or accept that this value cannot be switched off by the data.
"""

CODE = "alb-falsy-default"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{name} is {value} in the record, and the default {default} is used instead"
FIX = "remove the default of {name} if the record's own value is meant"
_CONFIG = "prompts: [{mode: short, template: short.jinja, default: {links: none given}}]\n"
_TEMPLATE = "{{ query }} ({{ links }})\n"
PASS = ({"prompt_config.yml": _CONFIG, "short.jinja": _TEMPLATE, "data.jsonl": '{"id": "1", "query": "Q"}\n'},)
FAIL = (
    {"prompt_config.yml": _CONFIG, "short.jinja": _TEMPLATE, "data.jsonl": '{"id": "1", "query": "Q", "links": ""}\n'},
)
