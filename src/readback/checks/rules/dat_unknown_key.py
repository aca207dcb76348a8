"""A key is not known, or a field is in no record.

A key in a configuration that nothing reads, or a field named under dataset (as id, in fields or private) or expected
in a file of answers that not one record has.

What was meant does not happen, silently: a variable stays empty, a setting keeps its default. A private field that is
misspelled hides nothing, which is an error.

Correct the spelling; the nearest known name is offered where there is one.
"""

CODE = "dat-unknown-key"
SEVERITY = "warning"
ON = "load"
SENTENCE = "'{key}' is not known here; known are {known}"
FIX = "correct its spelling[[ (nearest: {nearest})]], or remove it"
PASS = ({"readback.yml": "dataset: {path: d.jsonl, fields: {query: q}}\n", "d.jsonl": '{"id": "1", "q": "why"}\n'},)
FAIL = (
    {"readback.yml": "nmae: study\n"},
    {"readback.yml": "dataset: {path: d.jsonl, fields: {query: qq}}\n", "d.jsonl": '{"id": "1", "q": "why"}\n'},
    {"readback.yml": "dataset: {path: d.jsonl, private: [emial]}\n", "d.jsonl": '{"id": "1", "email": "a@b.org"}\n'},
)
