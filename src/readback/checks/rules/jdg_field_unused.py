"""A judge's template leaves out what it is given, or the answer itself.

A field that the workspace maps for a judge (`fields:`) is read by no place of its template: a warning. A template that
reads names, and none of them is an answer, is an error for the judge of a condition.

A mapped field looks as if the judge saw it. A judge that never sees the answer grades the question, and its scores look
like any others.

Put the name into the template, or take it out of `fields:`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from readback.checks.facts import judge_prompt
from readback.types import Diagnostic, Judge, RuleContext

CODE = "jdg-field-unused"
SEVERITY = "warning"
ON = "workspace"
SENTENCE = "judge {judge} never uses {name}: its template reads {reads}"
FIX = "put {name} into the template of {judge}, or take it out of fields:"
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
    judging = {condition.judge for condition in case.workspace.conditions}
    for key, judge in case.workspace.judges.items():
        names = judge_prompt.names(judge)
        if not names:  # nothing is read, or the braces are broken: other rules say so
            continue
        blind = key in judging and not any(map(ANSWER.match, names))
        if blind:
            yield replace(_diagnostic(key, judge, "answer", names), severity="error")
        for name in (name for name, field in judge.fields.items() if field is not None):
            if name not in names and not (blind and name == "answer"):
                yield _diagnostic(key, judge, name, names)


def _diagnostic(key: str, judge: Judge, name: str, names: frozenset[str]) -> Diagnostic:
    values = {"judge": key, "name": name, "reads": sorted(names)}
    return Diagnostic(CODE, values, replace(judge.place, judge=key), f"{key}\n{name}")
