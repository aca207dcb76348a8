"""Two records have the same id.

A record whose id an earlier record has already. Both are read; by id only the first is found.

Answers and scores are joined by id. Those of the second record are counted for the first, or for both.

Give each record its own id. If several rows are meant to share one (one row a condition), put the conditions into
files of their own, or name a field that tells the rows apart under dataset: id.
"""

CODE = "dat-duplicate-id"
SEVERITY = "warning"
ON = "load"
SENTENCE = "id '{id}' is taken by line {first}, which is found by it"
FIX = "give each record an id of its own"
PASS = ({"data.jsonl": '{"id": "1"}\n{"id": "1.0"}\n'},)
FAIL = ({"data.jsonl": '{"id": "1"}\n{"id": 1}\n'},)
