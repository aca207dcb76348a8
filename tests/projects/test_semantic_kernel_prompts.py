"""Prompts of semantic-kernel give the messages that semantic-kernel gave, and fail only with a reason.

semantic_kernel_cases.jsonl has templates and values of ours, and the messages that semantic-kernel 1.45.0 made of them
(null where it refused).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.projects.owned_text import OwnedText
from readback.projects.semantic_kernel import find_fault, read_prompt, recognise, render_messages
from readback.projects.semantic_kernel.rendered_prompt import cut_messages

FILE = Path(__file__).parent / "semantic_kernel_cases.jsonl"
CASES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
PIECES = st.sampled_from(
    [
        "{{a}}",
        "{{$a}}",
        "{{#if a}}",
        "{{/if}}",
        "{{else}}",
        "{{#each b}}",
        "{{/each}}",
        "{{~",
        "}}",
        "\n",
        " ",
        "x",
        "'",
        '"',
        "{% if a %}",
        "{% endif %}",
        '<message role="user">',
        "</message>",
        "<b>",
        "&amp;",
        "&",
        "(",
        "é🚢",
    ]
)


def make_settings(template: str, form: str = "semantic-kernel", **more: Any) -> dict[str, Any]:
    return {"template": template, "format": form, "allows": False, "variables": [], **more}


def list_messages(settings: dict[str, Any], fields: dict[str, Any]) -> list[tuple[str, Any]] | str | None:
    rendered = render_messages(settings, fields)
    if rendered.messages is None:
        return rendered.error
    return [(each["role"], each["content"]) for each in rendered.messages]


def test_every_prompt_gives_what_semantic_kernel_gave() -> None:
    differing = []
    for case in CASES:
        prompt = case["prompt"]
        settings = make_settings(
            prompt["template"],
            prompt["template_format"],
            allows=prompt.get("allow_dangerously_set_content", False),
            variables=prompt["input_variables"],
            refused=find_fault(prompt),
        )
        rendered = render_messages(settings, case["fields"])
        messages = None if rendered.messages is None else list(rendered.messages)
        if messages != case["messages"]:
            differing.append((case, messages, rendered.error))
    assert differing == []
    assert len(CASES) > 100


@pytest.mark.parametrize("form", ["semantic-kernel", "handlebars", "jinja2"])
def test_who_wrote_what_is_known_through_both_escapes(form: str) -> None:
    mark = "{{$q}}" if form == "semantic-kernel" else "{{q}}"
    settings = make_settings(f'<message role="user">Q: {mark}&lt;</message>', form)
    (segments,) = render_messages(settings, {"q": "a < b &amp; c"}).segments
    assert [(each.text, each.variable) for each in segments] == [("Q: ", None), ("a < b & c", "q"), ("<", None)]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("Hi", [("user", "Hi")]),
        ("Hi <b>x</b> y", [("user", "Hi<b>x</b> y")]),
        ('Be brief. <message role="user">Q</message> end', [("system", "Be brief."), ("user", "Q"), ("user", "end")]),
        ('<message role="user">a & b</message>', [("user", '<message role="user">a & b</message>')]),
        ('<message role="assistant"/>', [("assistant", "")]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_messages(template: str, expected: list[tuple[str, str]]) -> None:
    assert [(each.role, each.text.text) for each in cut_messages(OwnedText(template))] == expected


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (make_settings("{{plugin.function $a}}"), "plugin.function is a function of the application"),
        (make_settings("{{$a.b}}"), "is no variable"),
        (make_settings("{{'x'y}}"), "quotes"),
        (make_settings('<message role="boss">x</message>'), "no role 'boss'"),
        (make_settings("<message>x</message>"), "no role"),
        (make_settings("{{$d}}"), "'d' has a value that doesn't support automatic encoding"),
        (make_settings("{{nothing}}", "handlebars"), "Could not find variable 'nothing'"),
        (
            make_settings("{{#if a}}x{{else if b}}y{{/if}}", "handlebars", variables=[{"name": "a", "default": ""}]),
            "else",
        ),
        (make_settings("{{> partial}}", "handlebars"), "no partials"),
        (make_settings("{{range 1 2 0}}", "handlebars"), "must not be zero"),
        (make_settings("{{a.__class__}}", "handlebars"), "__class__ is a method of str in Python"),
        (make_settings("{{a.upper}}", "handlebars"), "a method of str"),
        (make_settings("{% if %}", "jinja2"), "TemplateSyntaxError"),
    ],
)
def test_what_semantic_kernel_or_readback_refuses_has_a_reason(settings: dict[str, Any], reason: str) -> None:
    answer = list_messages(settings, {"a": "" if "else if" in settings["template"] else "v", "d": [1]})
    assert isinstance(answer, str)
    assert reason in answer


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"name": "m", "template": "x", "template_format": "liquid"}, "liquid"),
        ({"template": "x", "template_format": "jinja2"}, "name"),
        ({"name": "m", "template_format": "jinja2"}, "template"),
        ({"name": "m", "template": "x", "input_variables": {"q": {}}}, "no list"),
        ({"name": "m", "template": "x", "input_variables": [{"name": "q", "default": 5}]}, "must be a string"),
    ],
)
def test_a_file_that_semantic_kernel_does_not_load_has_a_reason(
    value: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    (tmp_path / "m.yaml").write_text(json.dumps(value))
    prompt = read_prompt(tmp_path / "m.yaml", tmp_path, "m")
    assert prompt.refused
    assert reason in prompt.refused
    assert render_messages(prompt.mode.settings, {}).error == prompt.refused


def test_a_missing_value_is_noted_and_a_default_fills_it() -> None:
    settings = make_settings("{{$a}}{{$b}}", variables=[{"name": "b", "default": "B"}])
    rendered = render_messages(settings, {})
    assert [each["content"] for each in rendered.messages or ()] == ["B"]
    assert [note["values"]["field"] for note in rendered.notes] == ["a"]


def test_lists_that_nobody_names_are_not_passed() -> None:
    assert list_messages(make_settings("{{$a}}"), {"a": "x", "docs": [1]}) == [("user", "x")]
    assert recognise({"template": "", "template_format": "handlebars"})


@given(st.lists(PIECES, max_size=25).map("".join), st.text("a<>{}&;:\n é", max_size=10))
def test_any_template_gives_messages_or_a_reason(template: str, value: str) -> None:
    for form in ("semantic-kernel", "handlebars", "jinja2"):
        variables = [{"name": "b", "allow_dangerously_set_content": True}]
        rendered = render_messages(make_settings(template, form, variables=variables), {"a": value, "b": [value, 1]})
        assert (rendered.messages is None) == bool(rendered.error)
        for message, segments in zip(rendered.messages or (), rendered.segments, strict=True):
            assert "".join(each.text for each in segments) == message["content"]


@given(st.text("ab<>&;\"' é🚢", max_size=30).filter(lambda text: "&" not in text))
def test_a_value_never_makes_a_message(value: str) -> None:
    settings = make_settings('<message role="user">{{$q}}</message>')
    assert list_messages(settings, {"q": value}) == [("user", value)]
