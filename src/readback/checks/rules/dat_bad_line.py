"""A line or an entry cannot be read.

A line of a dataset that is not JSON, not an object, or whose quotes never close; a configuration that is not YAML, or a
part of it that means nothing. What is wrong is in the sentence; everything around it is read. Of a file without a
single object it is said once; one that nobody names is no dataset then (`dat-not-recognised`).

Nothing is made from what cannot be read: a record is missing from every count, prompt and score, and averages are
over fewer records than the file seems to hold.

Correct the line. Text in JSON needs its quotes, line breaks and tabs escaped: write the file with a JSON library.
"""

CODE = "dat-bad-line"
SEVERITY = "error"
ON = "load"
SENTENCE = "not read: {reason}"
FIX = "correct it where it stands"
PASS = (
    {"data.jsonl": '{"id": "1", "text": "one"}\n'},
    {"indices.json": "[4, 7, 12]\n", "q.csv": "id,question\n1,Why?\n"},
)
FAIL = (
    {"data.jsonl": '{"id": "1", "text": "one"}\n{"id": "2", "text": "two"\n'},
    {"data.jsonl": '["1", "one"]\n{"id": "2", "text": "two"}\n'},
    {"readback.yml": "dataset: d.json\n", "d.json": '["Why?", "When?"]\n'},
    {"data.csv": 'id,text\n1,"never closed\n2,two\n'},
)
