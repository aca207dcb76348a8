"""A template draws part of its text at random.

Jinja's `lipsum()` makes up sentences, and its filter `random` picks an item of a list; the place is the line of the
first of them.

Every request gets another text, so what is shown is one of many and not what is sent. Two runs of an experiment do not
send the same prompts, and nobody can say afterwards what was.

Write the text down, or choose the item beforehand and put it into the record.
"""

CODE = "asm-random-text"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{what} draws text at random: each request gets another one, and what is shown is one of many"
FIX = "write the text down, or put what was drawn into the record"
_DATA = '{"id": "1", "query": "Why?", "random": "no", "xs": ["a", "b"]}\n'
_FILE = 'dataset: {path: d.jsonl}\nmodes: [{mode: m, template: "%s"}]\n'
PASS = (
    {"readback.yml": _FILE % "{{ query }}{{ xs | first }}{{ random }}", "d.jsonl": _DATA},
    {"readback.yml": _FILE % "{{ lipsum }}{{ query }}", "d.jsonl": '{"id": "1", "query": "Why?", "lipsum": "own"}\n'},
)
FAIL = (
    {"readback.yml": _FILE % "{{ query }}{{ lipsum(1, html=false) }}", "d.jsonl": _DATA},
    {"readback.yml": _FILE % "{{ query }}{{ xs | random }}", "d.jsonl": _DATA},
)
