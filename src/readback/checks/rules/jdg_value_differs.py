"""A judge's value is in two files, and the two differ.

The row of the answer and the record both have a value for a place of the judge's prompt, under the field that `fields:`
gives or the usual one, and the two are not equal. The row of the answer is used, for a reference the record. Where
`fields:` says `answer.FIELD` or `record.FIELD`, nothing is found.

Documents that were retrieved and documents of a reference are two things: faithfulness to the one says nothing about
the other, and a score does not tell which of them the judge was shown.

Say which is meant under `judges: {…: {fields: {documents: answer.context}}}`, or `record.context`.
"""

CODE = "jdg-value-differs"
SEVERITY = "warning"
ON = "load"
SENTENCE = (
    "judge {judge} is shown the {name} of {file} line {line} ({field}), and {other_file} line {other_line} "
    "({other_field}) has another value"
)
FIX = "write {name}: {this} or {name}: {that} under fields: of {judge}"
_FILE = (
    "dataset: d.jsonl\nmodes: [{mode: m, template: '{{ question }}'}]\njudges: {j: {prompts: judge.py%s}}\n"
    "conditions: [{name: c, mode: m, judge: j, answers: a.jsonl}]\n"
)
_JUDGE = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{question} {answer} {documents} {gold_reference}"\n'
_DATA = '{"id": "1", "question": "Why?", "answer": "So.", "documents": ["One."], "gold": "So."}\n'
_REPLY = '{"id": "1", "question": "Why?", "answer": "Because.", "documents": ["%s"]}\n'
_REST = {"judge.py": _JUDGE, "d.jsonl": _DATA}
PASS = (
    {"readback.yml": _FILE % "", "a.jsonl": _REPLY % "One.", **_REST},
    {"readback.yml": _FILE % ", fields: {documents: answer.documents}", "a.jsonl": _REPLY % "Two.", **_REST},
    {"readback.yml": _FILE % ", fields: {documents: record.documents}", "a.jsonl": _REPLY % "Two.", **_REST},
    {"readback.yml": _FILE % ", fields: {gold: answer}", "a.jsonl": _REPLY % "One.", **_REST},
)
FAIL = ({"readback.yml": _FILE % "", "a.jsonl": _REPLY % "Two.", **_REST},)
