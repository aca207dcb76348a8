"""A format template has a field that cannot be filled.

A template of Python's `str.format` names a field that nothing is given for, or that is not a plain name: `{}`, `{0}`,
`{question.x}`, `{question!r}`, `{question:>40}`. What question, answer and reference are usually called elsewhere
(query, response, ground_truth, …) is filled in with them, any other name with the record's field of that name. A field
that no record has is said once in the check of a dataset, and for information where nothing is answered yet, for what
comes with an answer (its context, say) may be put in then; so it is where there is no record yet. For information it is
also where braces that `str.format` would refuse are in a text that is not seen to be formatted, for other programs
replace names alone: in a text file, and in a Python constant whose file does not call `NAME.format(`. A text without
one plain name in braces is shown as it is.

The program that fills the template fails there, so the prompt is never sent; attribute and index access can read what
was never meant for a prompt. Braces that are meant as characters are a common cause: JSON in the text, for example.

Double the braces that are text (`{{` and `}}`), or map the missing field under `fields:`.
"""

from collections.abc import Callable

from readback.types import Finding

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
_OWN = "judges: {j: {prompts: {file: judge.py, user: T}}}\n"
FAIL = (
    {"readback.yml": _FILE, "judge.py": _JUDGE % "{verdict}", "d.jsonl": _DATA},
    {"readback.yml": _FILE, "judge.py": _JUDGE % "{question.x}", "d.jsonl": _DATA},
    {"readback.yml": _FILE, "judge.py": _JUDGE % "{0}", "d.jsonl": _DATA},
    {"readback.yml": _OWN, "judge.py": 'T = "{answer} {}"\nprint(T.format(3, answer=2))\n'},
    {"readback.yml": _OWN, "judge.py": 'T = "<<answer>> {0}"\nprint(T.replace("<<answer>>", "So."))\n'},
)


def once(one: Finding, nowhere: Callable[[str], bool]) -> tuple[str, ...] | None:
    """A name that no record has is told once."""
    return (str(one.values["field"]),) if nowhere(str(one.values["field"])) else None
