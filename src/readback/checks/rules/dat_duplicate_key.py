"""A key is given twice.

An object or a mapping that says the same key more than once. The last value counts, as it does for the usual JSON and
YAML readers; the first is lost.

Two people may each have edited one of the two, and only one is used. In a record one of two texts never gets into a
prompt.

Keep one of them.
"""

CODE = "dat-duplicate-key"
SEVERITY = "error"
ON = "load"
SENTENCE = "'{key}' is given again (before in line {first}); the last value counts"
FIX = "keep one of the two"
PASS = ({"data.jsonl": '{"id": "1", "question": "why", "more": {"id": "x"}}\n'},)
FAIL = ({"data.jsonl": '{"id": "1", "question": "why", "question": "how"}\n'}, {"readback.yml": "name: a\nname: b\n"})
