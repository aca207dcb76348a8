"""A field name or an id holds characters nobody sees.

Zero-width and direction marks, no-break spaces, control characters in the name of a field or in an id. The texts of
records are not searched: there such characters are shown with visible marks.

Two names that look alike are two names: a template's variable finds no field, an answer finds no record.

Write the name again by hand.
"""

CODE = "dat-invisible-character"
SEVERITY = "info"
ON = "load"
SENTENCE = "characters nobody sees in the {what} '{text}': {characters}"
FIX = "write it again without them"
PASS = ({"data.jsonl": '{"id": "1", "text": "a\\u200bb"}\n'},)
FAIL = ({"data.jsonl": '{"id": "a\\u200b"}\n'}, {"data.csv": "id,question\u00a0\n1,why\n"})
