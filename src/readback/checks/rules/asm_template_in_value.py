"""Looks for asm-template-in-value; its words are in catalogue/en.yml."""

import re
from collections.abc import Iterator

from readback.types import Diagnostic, Location, RuleContext

CODE = "asm-template-in-value"
ON = "assembly"
# {{ name }}, {{ name | filter }}, {% if …: with blanks, as templates are written and formulas are not.
MARK = re.compile(r"\{\{-? [A-Za-z_][^{}\n]{0,80} -?\}\}|\{%-? [a-z][^{}\n]{0,80} -?%\}")
_ROWS = '{"id": "1", "question": "%s"}\n'
PASS = (
    {"p.jinja": "{{ question }}\n", "d.jsonl": _ROWS % "Is a{b}{c} or {{x}} a formula?"},
    {"p.jinja": "{% if question == '{{ x }}' %}a{% endif %}b\n", "d.jsonl": _ROWS % "{{ x }}"},
)
FAIL = (
    {"p.jinja": "{{ question }}\n", "d.jsonl": _ROWS % "What does {{ user.name }} print?"},
    {"p.txt": "{question}\n", "d.jsonl": _ROWS % "Why does {% if x %} fail?"},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    if case.assembly is None or case.assembly.choice.judge:  # jdg-placeholder-in-data looks at what judges are given
        return
    for message in case.assembly.messages:
        start = 0
        for segment in message.segments:
            if segment.origin == "variable" and "{" in segment.text and (found := MARK.search(segment.text)):
                place = Location(role=message.role, start=start + found.start(), end=start + found.end())
                yield Diagnostic(CODE, {"field": segment.name or "", "mark": found[0]}, place, found[0])
                return
            start += len(segment.text)
