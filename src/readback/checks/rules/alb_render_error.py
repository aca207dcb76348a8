"""A template cannot be rendered.

The template breaks Jinja's grammar, or fails on the values of this record: an attribute of a name that has no value, a
filter that does not exist, a number added to a text. The place is the line of the template.

The program itself stops there too: for this record no prompt is sent at all. A name that is merely missing is no
failure; it renders as nothing, which is a finding of its own. Where no dataset gives values yet, a name that has none
makes this a remark for information.

Correct the line, or guard it: `{% if chunk.meta %}{{ chunk.meta.title }}{% endif %}`.
"""

CODE = "alb-render-error"
SEVERITY = "error"
ON = "load"
SENTENCE = "the template cannot be rendered: {reason}"
FIX = "correct the template at this line, or give the record the value it needs"
_DATA = '{"id": "1", "query": "Why?", "chunk": {"title": "One"}}\n'
_FILE = 'dataset: {path: d.jsonl}\nmodes: [{mode: m, template: "%s"}]\n'
PASS = (
    {"readback.yml": _FILE % "{{ query }}{{ chunk.none }}{{ nothing }}", "d.jsonl": _DATA},
    {"readback.yml": _FILE % "{{ chunk.title }}", "d.jsonl": _DATA},
)
FAIL = (
    {"readback.yml": _FILE % "{{ chunk.meta.title }}", "d.jsonl": _DATA},
    {"readback.yml": _FILE % "{% if query %}", "d.jsonl": _DATA},
)
