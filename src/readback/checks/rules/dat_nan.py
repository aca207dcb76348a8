"""A number is not a finite one.

NaN, Infinity, or a number too large to be held. They are no JSON, though Python writes them. The record is kept.

A template prints them as nan or inf. A mean over them is not a number, and other programs refuse the whole line.

Write null where a value is missing.
"""

CODE = "dat-nan"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{field} is {value}, which is not a number that JSON has"
FIX = "write null where a value is missing"
PASS = ({"data.jsonl": '{"id": "1", "score": null}\n'},)
FAIL = ({"data.jsonl": '{"id": "1", "score": NaN}\n'}, {"data.jsonl": '{"id": "1", "rag": {"scores": [1, 1e999]}}\n'})
