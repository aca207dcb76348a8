"""The judge is asked about sources and gets none.

The judge's template has a place for documents, and the record has none under the field it names.

Faithfulness to sources cannot be judged without them; a judge asked anyway tends to give a score from the answer alone.

Map the field that holds the documents under `judges: {…: {fields: {documents: …}}}`, or use a judge that needs none.
"""

CODE = "jdg-no-documents"
SEVERITY = "warning"
ON = "load"
OF_A_ROW = True
SENTENCE = "judge {judge} asks for documents, and the record has none in {field}"
FIX = "map the field with the documents under fields: of {judge}, or use a judge that needs none"
_FILE = "dataset: {path: data.jsonl}\njudges: {j: {prompts: judge.py}}\n"
_JUDGE = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{question} {answer} {documents}"\n'
_ROW = '{"id": "1", "question": "Why?", "answer": "So.", "documents": %s}\n'
PASS = ({"readback.yml": _FILE, "judge.py": _JUDGE, "data.jsonl": _ROW % '["Because."]'},)
FAIL = (
    {"readback.yml": _FILE, "judge.py": _JUDGE, "data.jsonl": _ROW % "[]"},
    {"readback.yml": _FILE, "judge.py": _JUDGE, "data.jsonl": _ROW % "null"},
)
