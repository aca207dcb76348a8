"""The judge can use a reference answer and gets none.

The judge's template has a place for a reference, and the record has none under the field it names. The place stays
empty, or says that none was provided.

Scores with and without a reference answer are not the same measurement.

Map the field that holds the reference under `judges: {…: {fields: {gold: …}}}`, or judge all rows without one.
"""

CODE = "jdg-gold-missing"
SEVERITY = "warning"
ON = "load"
OF_A_ROW = True
SENTENCE = "judge {judge} has a place for a reference answer, and the record has none in {field} ({what})"
FIX = "map the field with the reference under fields: of {judge}"
_FILE = "dataset: {path: data.jsonl}\njudges: {j: {prompts: judge.py}}\n"
_JUDGE = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{question} {answer} {gold_reference}"\n'
_ROW = '{"id": "1", "question": "Why?", "answer": "So.", "gold": %s}\n'
PASS = ({"readback.yml": _FILE, "judge.py": _JUDGE, "data.jsonl": _ROW % '"Because."'},)
FAIL = ({"readback.yml": _FILE, "judge.py": _JUDGE, "data.jsonl": _ROW % '""'},)
