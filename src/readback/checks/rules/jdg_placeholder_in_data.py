"""A value for the judge holds one of the rubric's placeholders.

A question, answer, context or reference has a text such as `{{QUESTION}}` in it. Readback fills in the rubric's own
placeholders once and leaves values as they are.

The program that owns these rubrics replaces one placeholder after the other, over the whole text: one inside an answer
is filled in too, so that an answer can quote the reference to the judge.

Remove it from the data, or read the judge's prompt with that in mind.
"""

CODE = "jdg-placeholder-in-data"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{field} holds the placeholder {placeholder}, which the rubric's own program would fill in"
FIX = "remove {placeholder} from the data"
_FILE = "dataset: {path: data.jsonl}\njudges: {j: {prompts: j.yaml}}\n"
_JUDGE = 'name: j\nprompt: "{{QUESTION}} {{ASSISTANT_RESPONSE}}"\ncriteria: [{id: truth}]\n'
_ROW = '{"id": "1", "question": "Why?", "answer": %s}\n'
PASS = ({"readback.yml": _FILE, "j.yaml": _JUDGE, "data.jsonl": _ROW % '"{{answer}}"'},)
FAIL = ({"readback.yml": _FILE, "j.yaml": _JUDGE, "data.jsonl": _ROW % '"As {{QUESTION}} says."'},)
