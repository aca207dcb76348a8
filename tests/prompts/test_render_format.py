"""Format templates and placeholders: what str.format gives, or a refusal; one pass, with places."""

from __future__ import annotations

import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja_templates import TEXT

from readback.prompts.render import Template, render
from readback.types import Location

FIELDS_TEXT = st.lists(
    st.sampled_from(("{{", "}}", "{a}", "{b}", "{", "}", "text", "\n", "{a.b}", "{0}", "{}", "{a!r}", "{a:>3}", "é")),
    max_size=8,
).map("".join)


@settings(max_examples=some(300), deadline=None)
@given(FIELDS_TEXT, st.fixed_dictionaries({"a": TEXT, "b": TEXT}))
def test_format_templates_equal_str_format_or_are_refused(template: str, values: dict[str, str]) -> None:
    (rendered,) = render([Template(template, "format")], values)
    if rendered.ok:
        assert rendered.text == template.format(**values)
    else:
        codes = {diagnostic.code for diagnostic in rendered.diagnostics}
        assert codes <= {"jdg-format-field", "jdg-format-syntax"}
        if not any(odd in template for odd in ("!r", ":>")):
            with pytest.raises((ValueError, KeyError, IndexError, AttributeError)):
                template.format(**values)


def test_format_fields_have_places_and_are_never_read_again() -> None:
    template = Template("Grade\n{question} {{x}}\n{documents}", "format", place=Location(file="j.py", line=3))
    (rendered,) = render([template], {"question": "{documents}", "documents": "D"})
    assert [(s.text, s.origin, s.name, s.place.line) for s in rendered.segments] == [
        ("Grade\n", "template", None, 3),
        ("{documents}", "variable", "question", 4),
        (" {x}\n", "template", None, 4),
        ("D", "variable", "documents", 5),
    ]
    assert [(name, place.line) for name, place in rendered.names] == [("question", 4), ("documents", 5)]


def test_all_unknown_format_fields_are_noted_at_once() -> None:
    (rendered,) = render([Template("{a}\n{b} {c}", "format")], {"a": "1"})
    assert [(diagnostic.values["field"], diagnostic.place.line) for diagnostic in rendered.diagnostics] == [
        ("b", 2),
        ("c", 2),
    ]


def test_a_field_named_too_often_is_one_finding() -> None:
    for syntax, field in (("format", "{a}"), ("placeholder", "{{a}}")):
        (rendered,) = render([Template(field * 200_000, syntax)], {"a": "x" * 100_000})
        assert (rendered.ok, [diagnostic.code for diagnostic in rendered.diagnostics]) == (False, ["dat-limit"])
    (rendered,) = render([Template("{}" * 300_000 + "".join(f"{{b{n}}}" for n in range(99)), "format")], {"a": ""})
    assert len(rendered.diagnostics) == 20


def test_placeholders_are_replaced_in_one_pass() -> None:
    template = Template("{{QUESTION}} {{ANSWER}}\n{{ OTHER }} QUESTION", "placeholder")
    (rendered,) = render([template], {"QUESTION": "{{ANSWER}}", "ANSWER": "A"})
    assert rendered.text == "{{ANSWER}} A\n{{ OTHER }} QUESTION"
    assert [s.origin for s in rendered.segments] == ["variable", "template", "variable", "template"]


def test_a_literal_text_stays_as_it_is() -> None:
    (rendered,) = render([Template("{{ query }}\n", "text", "system")], {})
    assert [(s.text, s.origin) for s in rendered.segments] == [("{{ query }}\n", "system")]
