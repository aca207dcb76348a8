"""Weigh fields of a format template that cannot be filled, which the engine reports while it renders.

The program that fills in the template fails, so the prompt is never sent.
"""

import re
from collections.abc import Callable

from readback.checks.facts.contexts import RETRIEVED
from readback.types import Finding, Severity

# The names that a comparison of two answers gives them.
PAIRED = re.compile(
    r"(?:answer|response|output|completion|reply|assistant|candidate|model)_?(?:a|b|1|2)", re.IGNORECASE
)

CODE = "jdg-format-field"
ON = "load"
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


def weigh_guess(finding: Finding) -> Severity:
    """Return the severity where it is a guess that the template is filled from these records.

    A program that retrieves fills in what it retrieved, one that compares answers fills in both (info); another name
    may be filled from elsewhere, too (warning).
    """
    name = str(finding.values["field"])
    if not name.isidentifier() or finding.severity != "error":
        return finding.severity
    if RETRIEVED.search(name) or PAIRED.fullmatch(name):
        return "info"
    return "warning"


def get_once_key(finding: Finding, is_nowhere: Callable[[str], bool]) -> tuple[str, ...] | None:
    """Return the name, if no record has it: it is reported once."""
    name = str(finding.values["field"])
    if is_nowhere(name):
        return (name,)
    return None
