"""Marks of other programs, names with a minus or a blank: which one Jinja stops at, and why."""

from __future__ import annotations

import pytest

from readback.prompts.render.foreign_marks import find_unreadable


@pytest.mark.parametrize(
    ("text", "line", "mark", "why"),
    [
        ("Today is {{ $now }}.\n{{ question }}", 1, "{{ $now }}", "another program"),
        ("{{ q }}\n{{$json.body}}", 2, "{{$json.body}}", "another program"),
        ("{{#if x}}a{{/if}}", 1, "{{#if x}}", "block of another program"),
        ("{{> head}}", 1, "{{> head}}", "partial of another program"),
        ("{{ @index }}", None, "{{ @index }}", "another program"),
        ("{{ .Prompt }}", 1, "{{ .Prompt }}", "another program"),
        ("Hello {{user-name}}", 1, "{{user-name}}", "user minus name"),
        ("Hello {{- user name -}}", 1, "{{- user name -}}", "not one name"),
    ],
)
def test_the_mark_and_the_reason_are_named(text: str, line: int | None, mark: str, why: str) -> None:
    found = find_unreadable(text, line)
    assert found is not None
    assert found.mark == mark
    assert why in found.why


@pytest.mark.parametrize(
    "text", ["{{ question }}", "{{ a if b else c }}", "{{ a - b }}", "{{ x is defined }}", "{% if"]
)
def test_what_jinja_reads_is_not_called_foreign(text: str) -> None:
    assert find_unreadable(text, None) is None


def test_a_mark_on_another_line_is_not_the_reason() -> None:
    assert find_unreadable("{{ a.b.c }}\n{{user-name}}", 1) is None
