"""The braces of a format template do not match.

A template of Python's `str.format` holds a `{` or a `}` on its own. Where the template is not seen to be formatted (it
is in a text file, or in a Python file that does not call `NAME.format(`), this is for information: other programs
replace names alone and leave every other brace as it is.

The program that fills the template fails there for every record, so no prompt of it is ever sent.

Write `{{` and `}}` for braces that are text, and close the others.
"""

CODE = "jdg-format-syntax"
SEVERITY = "error"
ON = "load"
SENTENCE = "the braces of the template do not match: {reason}"
FIX = "double the braces that are text, and close the others"
_FILE = "dataset: {path: d.jsonl}\njudges: {j: {prompts: judge.py}}\n"
_DATA = '{"id": "1", "question": "Why?", "answer": "So.", "contexts": ["One."]}\n'
_JUDGE = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{question} {answer} {documents} %s"\n'
PASS = ({"readback.yml": _FILE, "judge.py": _JUDGE % "{{ }}", "d.jsonl": _DATA},)
FAIL = (
    {"readback.yml": _FILE, "judge.py": _JUDGE % "{", "d.jsonl": _DATA},
    {"readback.yml": _FILE, "judge.py": _JUDGE % "}", "d.jsonl": _DATA},
)
