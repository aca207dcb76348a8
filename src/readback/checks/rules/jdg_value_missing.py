"""A place in the judge's prompt stays empty.

The judge's template reads a name for which the record has no text, under the field of that name or the one that
`fields:` gives.

The judge then grades an answer to a question it is not shown.

Map the field that holds it: `judges: {…: {fields: {question: instruction}}}`.
"""

CODE = "jdg-value-missing"
SEVERITY = "warning"
ON = "load"
OF_A_ROW = True
SENTENCE = "judge {judge} asks for {name}, and the record has nothing in {field} ({what})"
FIX = "map the field that holds {name} under fields: of {judge}"
_JUDGE = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{question} {answer}"\n'
_ROW = '{"id": "1", "instruction": "Why?", "answer": "So."}\n'
_FILE = "dataset: {path: data.jsonl}\njudges: {j: {prompts: judge.py%s}}\n"
PASS = ({"readback.yml": _FILE % ", fields: {question: instruction}", "judge.py": _JUDGE, "data.jsonl": _ROW},)
FAIL = ({"readback.yml": _FILE % "", "judge.py": _JUDGE, "data.jsonl": _ROW},)
