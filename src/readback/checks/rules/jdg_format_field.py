"""Looks for jdg-format-field; its words are in catalogue/en.yml."""

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
    """Weigh a name that no record has, where nobody named template and records together: a program that retrieves
    fills in what it retrieved, one that compares answers fills in both, and another name may be filled from elsewhere,
    too.
    """
    name = str(finding.values["field"])
    if not name.isidentifier() or finding.severity != "error":
        return finding.severity
    return "info" if RETRIEVED.search(name) or PAIRED.fullmatch(name) else "warning"


def once(one: Finding, nowhere: Callable[[str], bool]) -> tuple[str, ...] | None:
    """A name that no record has is told once."""
    return (str(one.values["field"]),) if nowhere(str(one.values["field"])) else None
