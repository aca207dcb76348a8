"""The bounded Nunjucks gives what nunjucks 3.2.4 gave, ends in time, and fails only with its own fault.

nunjucks_cases.jsonl has the variables in its first line and then [template, what nunjucks wrote or null where it
failed]; the templates are ours, the answers were written down from nunjucks 3.2.4 with autoescape off.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readback.projects.javascript_text import import_value
from readback.projects.nunjucks import TemplateFault, render

LINES = (Path(__file__).parent / "nunjucks_cases.jsonl").read_text("utf-8").splitlines()
VARIABLES: dict[str, Any] = json.loads(LINES[0])
CASES = [json.loads(line) for line in LINES[1:]]


def write(template: str, variables: dict[str, Any] | None = None) -> str | None:
    try:
        chunks = render(template, import_value(VARIABLES if variables is None else variables), {"HOME_X": "h"})
    except TemplateFault as fault:
        if fault.unknown:
            raise
        return None
    return "".join(chunk.text for chunk in chunks)


def test_every_template_gives_what_nunjucks_gave() -> None:
    differing = [(text, wanted, got) for text, wanted in CASES if (got := write(text)) != wanted]
    assert differing == []
    assert len(CASES) > 450


@pytest.mark.parametrize(
    "template",
    [
        '{% include "other.html" %}', '{% extends "x" %}', "{{ [1, 2] | random }}", "{{ name.match(1) }}",
        "{{ r/a+/ }}", "{{ name.constructor }}", "{{ range(3).map(x) }}", "{{ constructor }}",
        '{% import "f" as f %}', "{% asyncEach a in items %}{% endeach %}",
    ],
)  # fmt: skip
def test_what_only_javascript_or_another_file_gives_is_refused_and_not_guessed(template: str) -> None:
    with pytest.raises(TemplateFault) as caught:
        render(template, import_value(VARIABLES))
    assert caught.value.unknown


@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(1000000000) %}x{% endfor %}",
        "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}"
        "{% endfor %}",
        '{{ "x".repeat(1000000000) }}',
        '{% set s = "xxxxxxxx" %}{% for i in range(99) %}{% set s = s + s %}{% endfor %}',
        '{{ "a" | indent(1000000000) }}{{ "a" | center(1000000000) }}',
        '{{ "a".padStart(1000000000) }}',
        "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ [1, 2] | slice(1000000000) }}",
        "{{ [1, 2] | batch(1000000000, 1) }}",
        "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
        "{{ " + "[" * 5000 + "]" * 5000 + " }}",
        "{{ " + "not " * 5000 + "1 }}",
        "{% if 1 %}" * 3000 + "x" + "{% endif %}" * 3000,
        '{% set l = [] %}{% for i in range(99999) %}{% set n = l.push(l) %}{% endfor %}{{ l }}',
        "{{ '<a'" + " | replace('', '<aaa')" * 6 + " | striptags | length }}",
        "{% set t = {} %}{% for i in range(99) %}{% set t = [t, t] %}{% endfor %}{{ t | dump }}",
        "{% set t = [] %}{{ t.push(t) }}{{ t | dump }}",
    ],
)  # fmt: skip
def test_a_template_made_to_run_for_ever_ends_in_time(template: str) -> None:
    began = time.process_time()
    with suppress(TemplateFault):
        render(template, {})
    assert time.process_time() - began < 5


def test_stretches_join_to_the_text_and_name_the_variable() -> None:
    template = "Hi {{ name | upper }}, {% for d in docs %}[{{ d.t }}]{% endfor %}{% set x = q %}{{ x }}{{ 'lit' }}"
    chunks = render(template, {"name": "a", "docs": [{"t": "1"}, {"t": "2"}], "q": "?"})
    assert [(chunk.text, chunk.variable) for chunk in chunks] == [
        ("Hi ", None), ("A", "name"), (", ", None), ("[", None), ("1", "docs"), ("]", None), ("[", None), ("2", "docs"),
        ("]", None), ("?", "q"), ("lit", None),
    ]  # fmt: skip


PARTS = st.sampled_from(
    (
        "{{", "}}", "{%", "%}", "{#", "#}", " ", "-", "name", "items", "if ", "else", "endif", "for ", "in ", "endfor",
        "|", "upper", "join", "(", ")", "[", "]", "{", "}", ".", ",", ":", "'", '"', "1", "2.5", "==", "+", "~", "**",
        "not ", "is ", "set ", "x", "=", "raw", "endraw", "macro ", "endmacro", "loop.index", "\n", "é", "🌶", "\\",
    )
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, max_size=25).map("".join))
def test_any_text_renders_or_fails_with_a_fault(template: str) -> None:
    fault = find_fault(template)
    assert fault is None or fault.reason
    assert fault is None or fault.offset is None or 0 <= fault.offset <= len(template)


def find_fault(template: str) -> TemplateFault | None:
    try:
        render(template, import_value(VARIABLES))
    except TemplateFault as fault:
        return fault
    return None
