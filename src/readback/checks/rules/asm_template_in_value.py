"""Find values that contain text which looks like a template.

Nothing is filled in inside a value: it may be meant as text, or its values should have been filled in earlier.
"""

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
    """Yield a finding for the first template mark, such as `{{`, in a value that the assembly has from the data."""
    if case.assembly is None or case.assembly.choice.judge:  # jdg-placeholder-in-data checks what judges are shown
        return
    for message in case.assembly.messages:
        offset = 0
        for segment in message.segments:
            if segment.origin == "variable" and "{" in segment.text:
                hit = MARK.search(segment.text)
            else:
                hit = None
            if hit:
                place = Location(role=message.role, start=offset + hit.start(), end=offset + hit.end())
                yield Diagnostic(CODE, {"field": segment.name or "", "mark": hit[0]}, place, hit[0])
                return
            offset += len(segment.text)
