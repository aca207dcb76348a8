"""There is no answer to judge.

The judge's template has a place for the answer, and the condition's answers have none for this record (or it is
empty), or without a condition the record's own field has none. It is shown as an empty text. For a condition without
any `answers:` it is for information only.

A judge that is asked about nothing still gives scores.

Add the answers of the condition (`answers:`), or map the field that holds them under `fields: {answer: …}`.
"""

CODE = "jdg-no-answer"
SEVERITY = "warning"
ON = "load"
OF_A_ROW = True
SENTENCE = "judge {judge} gets no answer to judge ({what})"
FIX = "add the condition's answers, or map the field that holds them to answer"
_FILE = "dataset: {path: data.jsonl}\njudges: {j: {prompts: judge.py}}\n"
_JUDGE = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{question} {answer}"\n'
PASS = (
    {"readback.yml": _FILE, "judge.py": _JUDGE, "data.jsonl": '{"id": "1", "question": "Why?", "answer": "So."}\n'},
)
FAIL = ({"readback.yml": _FILE, "judge.py": _JUDGE, "data.jsonl": '{"id": "1", "question": "Why?", "reply": "So."}\n'},)
