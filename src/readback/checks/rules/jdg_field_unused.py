"""Find fields that a judge is given and its template does not use.

A judge that never reads the answer grades only the question, and its scores look like any others.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from readback.checks.facts import judge_prompt
from readback.types import Diagnostic, Judge, RuleContext

CODE = "jdg-field-unused"
ON = "workspace"
_FILE = (
    "dataset: d.jsonl\nmodes: [{mode: m, template: '{{ question }}'}]\n"
    "judges: {j: {prompts: judge.py%s}}\nconditions: [{name: c, mode: m, judge: j}]\n"
)
_JUDGE = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{question} %s"\n'
_DATA = '{"id": "1", "question": "Why?", "contexts": ["One."]}\n'
_REST = {"d.jsonl": _DATA}
_OWN = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{query} {response}"\n'
PASS = (
    {"readback.yml": _FILE % ", fields: {question: query, answer: response}", "judge.py": _OWN, **_REST},
    {"readback.yml": _FILE % "", "judge.py": _JUDGE % "{answer}", **_REST},
    {"readback.yml": _FILE % ", fields: {documents: contexts}", "judge.py": _JUDGE % "{answer} {documents}", **_REST},
)
FAIL = (
    {"readback.yml": _FILE % ", fields: {documents: contexts}", "judge.py": _JUDGE % "{answer}", **_REST},
    {"readback.yml": _FILE % "", "judge.py": _JUDGE % "", **_REST},
)

ANSWER = re.compile(r"^(?!ref|gold|expected).*(?:answer|response|output|completion|reply|prediction)", re.IGNORECASE)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each unused field, and an error for a judge of conditions that never reads the answer."""
    judging = {condition.judge for condition in case.workspace.conditions}
    for key, judge in case.workspace.judges.items():
        names = judge_prompt.list_names(judge)
        if not names:  # no name is read, or the braces are broken: other rules report it
            continue
        is_blind = key in judging and not any(map(ANSWER.match, names))
        if is_blind:
            yield replace(_build_diagnostic(key, judge, "answer", names), severity="error")
        for name, field in judge.fields.items():
            if field is not None and name not in names and not (is_blind and name == "answer"):
                yield _build_diagnostic(key, judge, name, names)


def _build_diagnostic(key: str, judge: Judge, name: str, names: frozenset[str]) -> Diagnostic:
    values = {"judge": key, "name": name, "reads": sorted(names)}
    return Diagnostic(CODE, values, replace(judge.place, judge=key), f"{key}\n{name}")
