"""The documents for a judge are no list.

The field that should hold the documents is a text, a number or an object. It counts as no documents.

Numbering and counting documents needs a list; a text may be one document or all of them in one.

Give a list of texts, or null, in the field named.
"""

CODE = "jdg-documents-not-list"
SEVERITY = "error"
ON = "load"
SENTENCE = "{field} should be a list of documents or null, and is something else ({what})"
FIX = "give a list of texts in {field}, or map another field to documents"
_FILE = "dataset: {path: data.jsonl}\njudges: {j: {prompts: judge.py}}\n"
_JUDGE = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{question} {answer} {documents}"\n'
_ROW = '{"id": "1", "question": "Why?", "answer": "So.", "documents": %s}\n'
PASS = ({"readback.yml": _FILE, "judge.py": _JUDGE, "data.jsonl": _ROW % '["Because."]'},)
FAIL = ({"readback.yml": _FILE, "judge.py": _JUDGE, "data.jsonl": _ROW % '"Because."'},)
