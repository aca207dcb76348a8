"""A format template has a field that cannot be filled.

A template of Python's `str.format` names a field that nothing is given for, or that is not a plain name: `{}`, `{0}`,
`{question.x}`, `{question!r}`, `{question:>40}`. What question, answer and reference are usually called elsewhere
(query, response, ground_truth, …) is filled in with them, any other name with the record's field of that name. Where
there is no record yet, and where a text file holds braces that `str.format` would refuse (its program fills it in
otherwise, then), this is for information.

The program that fills the template fails there, so the prompt is never sent; attribute and index access can read what
was never meant for a prompt. Braces that are meant as characters are a common cause: JSON in the text, for example.

Double the braces that are text (`{{` and `}}`), or map the missing field under `fields:`.
"""

CODE = "jdg-format-field"
SEVERITY = "error"
ON = "load"
SENTENCE = "the template's field '{field}' cannot be filled: {reason}"
FIX = "double the braces if they are text, or map the field under fields:"
_FILE = "dataset: {path: d.jsonl}\njudges: {j: {prompts: judge.py}}\n"
_DATA = '{"id": "1", "question": "Why?", "answer": "So.", "contexts": ["One."]}\n'
_JUDGE = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{question} {answer} {documents} %s"\n'
PASS = (
    {"readback.yml": _FILE, "judge.py": _JUDGE % "{{0}}", "d.jsonl": _DATA},
    {"readback.yml": _FILE, "judge.py": _JUDGE % "{query} {response} {contexts}", "d.jsonl": _DATA},
)
FAIL = (
    {"readback.yml": _FILE, "judge.py": _JUDGE % "{verdict}", "d.jsonl": _DATA},
    {"readback.yml": _FILE, "judge.py": _JUDGE % "{question.x}", "d.jsonl": _DATA},
    {"readback.yml": _FILE, "judge.py": _JUDGE % "{0}", "d.jsonl": _DATA},
)
