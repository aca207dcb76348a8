"""A template takes in another file.

`{% include %}`, `{% extends %}` or `{% import %}` was reached. Templates are rendered from their text alone, without a
place to load other files from.

The program that these configurations are written for has no such place either: the call fails there.

Put the text of the other file into the template.
"""

CODE = "alb-include"
SEVERITY = "error"
ON = "load"
SENTENCE = "the template takes in another file, which it cannot"
FIX = "put the other file's text into the template"
_DATA = '{"id": "1", "query": "Why?"}\n'
_FILE = 'dataset: {path: d.jsonl}\nmodes: [{mode: m, template: "%s"}]\n'
PASS = ({"readback.yml": _FILE % "{% macro q() %}{{ query }}{% endmacro %}{{ q() }}", "d.jsonl": _DATA},)
FAIL = ({"readback.yml": _FILE % "{% include 'head.jinja' %}{{ query }}", "d.jsonl": _DATA},)
