"""A key of the training rows is called by another name.

Rows hold a value under a name that is taken for the usual one: a summary for a completion, conversations for messages.
It is said once for each file, with the number of rows.

What one program takes for the completion another one does not find, or takes for a field of its own. Whoever trains
has to know which text the model learns to write.

Nothing has to be done. Rename the key if the program that trains does not know it.
"""

CODE = "trn-alias"
SEVERITY = "info"
ON = "load"
SENTENCE = "the key '{alias}' is taken for '{usual}', in {rows} {rows:row|rows}"
FIX = "call the key '{usual}' if the program that trains does not know '{alias}'"
PASS = ({"train.jsonl": '{"prompt": "Why?", "completion": "So.", "summary": "S."}\n'},)
FAIL = ({"train.jsonl": '{"prompt": "Why?", "summary": "So."}\n'},)
