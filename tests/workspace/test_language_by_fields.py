"""The language of a template without a telling ending is the one whose names the rows have."""

from __future__ import annotations

import pytest

from readback.sources.templates.template_language import detect_language

FIELDS = ("id", "question", "context")
TABLE = [
    ("Answer {question} with {context}. Use {{braces}}.", "format"),
    ("Answer {question}. Write {{yes|no}}.", "format"),
    ('Answer {question} as {{"a": 1, "b": {{"c": 2}}}}.', "format"),
    ("Answer %(question)s. Use {{braces}}.", "percent"),
    ("Answer $question. Use {{braces}}.", "dollar"),
    ("Answer {{question}}. Write {braces}.", "jinja"),
    ("Answer {{ question }} with {context}.", "jinja"),
    ("Answer {{ qestion }}.", "jinja"),
    ("Answer {{ other }} and {words}.", "jinja"),
    ("Answer {question}. {% if x %}{{ y }}{% endif %}", "jinja"),
    ("{{#context}}{{.}}{{/context}} {question}", "mustache"),
    ("Answer {question}.", "format"),
    ("Answer it.", "text"),
]


@pytest.mark.parametrize(("text", "syntax"), TABLE)
def test_names_that_are_fields_decide(text: str, syntax: str) -> None:
    assert detect_language("prompt.txt", text, FIELDS).syntax == syntax


def test_without_rows_double_braces_are_jinja() -> None:
    assert detect_language("prompt.txt", "Answer {question}. Use {{braces}}.", None).syntax == "jinja"
