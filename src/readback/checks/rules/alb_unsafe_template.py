"""A template reaches for what no prompt needs.

The template reads a private attribute of Python (`__class__`, `__globals__`), or changes the record's own data in a way
that cannot be followed. The sandbox refused it there.

The program that these configurations are written for has no sandbox: whoever writes such a template can read the
server's secrets and run commands on it.

Remove the expression. If you did not write it, find out who did.
"""

CODE = "alb-unsafe-template"
SEVERITY = "error"
ON = "load"
SENTENCE = "the template was refused: {reason}"
FIX = "remove the expression, and find out where the template comes from"
_DATA = '{"id": "1", "query": "Why?"}\n'
_FILE = 'dataset: {path: d.jsonl}\nmodes: [{mode: m, template: "%s"}]\n'
PASS = ({"readback.yml": _FILE % "{{ query.upper() }}", "d.jsonl": _DATA},)
FAIL = ({"readback.yml": _FILE % "{{ query.__class__ }}", "d.jsonl": _DATA},)
