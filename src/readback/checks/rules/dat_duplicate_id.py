"""Two records have the same id.

A record whose id an earlier record has already. Both are read; by id only the first is found.

Answers and scores are joined by id. Those of the second record are counted for the first, or for both. It is said for
information where nobody names the id and the rows with one id differ in a column that is called condition, model,
variant, system, rater, judge, annotator or style: then several rows are meant to share it, as they are where the ids of
half of the rows and more are taken.

Give each record its own id. If several rows are meant to share one (one row a condition), put the conditions into
files of their own, or name a field that tells the rows apart under dataset: id.
"""

CODE = "dat-duplicate-id"
SEVERITY = "warning"
ON = "load"
SENTENCE = "id '{id}' is taken by line {first}, which is found by it"
FIX = "give each record an id of its own"
_RATED = '{"id": "%s", "question": "Why?", "Condition": "%s"}\n'
PASS = ({"data.jsonl": '{"id": "1"}\n{"id": "1.0"}\n'},)
FAIL = (
    {"data.jsonl": '{"id": "1"}\n{"id": 1}\n'},
    {"data.jsonl": _RATED % ("a", "x") + _RATED % ("a", "y") + _RATED % ("b", "x")},
)
