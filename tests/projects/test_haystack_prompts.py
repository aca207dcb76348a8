"""Prompt builders of Haystack's pipelines are modes, with the text or the messages that the pipeline sends."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from readback import workspace
from readback.projects import haystack
from readback.types import Workspace

CHAT = "haystack.components.builders.chat_prompt_builder.ChatPromptBuilder"
TEXT = "haystack.components.builders.prompt_builder.PromptBuilder"
USER = '{% message role="user" %}'
END = "{% endmessage %}"


def read(parameters: Any, chat: bool) -> dict[str, Any]:
    return haystack.read({"name": "pb", "parameters": parameters, "chat": chat})


def render(template: Any, row: dict[str, Any], chat: bool = True, **parameters: Any) -> list[Any] | str:
    answer = read({"template": template, **parameters}, chat)
    if "refused" in answer:
        return "refused: " + answer["refused"]
    rendered = haystack.render_row([{**answer["builder"], "senders": {"docs": "retriever"}}, {}, row])
    if rendered["error"] is not None:
        return "error: " + rendered["error"]
    if rendered["text"] is not None:
        return [rendered["text"]]
    for message, segments in zip(rendered["messages"], rendered["segments"], strict=True):
        if isinstance(message.get("content"), str) and segments:
            assert "".join(text for text, _, _ in segments) == message["content"]
    return [tuple(message.values()) for message in rendered["messages"]]


def message(role: str, *texts: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "meta": {}, "name": None, "content": [{"text": text} for text in texts], **more}


@pytest.mark.parametrize(
    ("template", "row", "sent"),
    [
        ([message("user", "{{q}}\n")], {"q": "a\n"}, [("user", "a\n")]),
        ([message("user", "{{q}}")], {"q": None}, [("user", "None")]),
        ([message("assistant", "{{q}}\n"), message("user", "x")], {}, [("assistant", "{{q}}\n"), ("user", "x")]),
        ([message("system", "a", "{{q}}")], {"q": 1.0}, [("system", "a")]),
        (
            [message("user", "a", "{{q}}")],
            {"q": 1.0},
            [("user", [{"type": "text", "text": "a"}, {"type": "text", "text": "1.0"}])],
        ),
        ([message("user", "x", name="Bo")], {}, [("user", "Bo", "x")]),
        ([{"role": "user", "content": "old {{q}}"}], {"q": "a"}, [("user", "old a")]),
        ([{"_role": "user", "_content": [{"text": "old {{q}}"}]}], {"q": "a"}, [("user", "old a")]),
        ([message("user", "{{q}}")], {"q": "<haystack_content_part>"}, [("user", "&lt;haystack_content_part>")]),
        (f"{USER}\n Q {{{{q}}}} \n{END}", {"q": "a\n"}, [("user", "Q a")]),
        (f"{USER}a{END}{USER}b{END}", {}, [("user", "a"), ("user", "b")]),
        (f"{{% for d in docs %}}{USER}{{{{d}}}}{END}{{% endfor %}}", {"docs": [1, 2]}, [("user", "1"), ("user", "2")]),
        (
            '{% message role=r name="B" %}{{q}}{% endmessage %}',
            {"r": "user", "q": '"\\é\n"'},
            [("user", "B", '"\\é\n"')],
        ),
        ("{% insert h %}" + USER + "x" + END, {"h": []}, [("user", "x")]),
        ('{"role": "system", "content": "s"}', {}, [("system", "s")]),
        (USER + "{% set a = 1 %}{{ a }}{{ q }}" + END, {"q": 2}, [("user", "12")]),
    ],
)
def test_messages_are_those_of_haystack(template: Any, row: dict[str, Any], sent: list[Any]) -> None:
    assert render(template, row) == sent


@pytest.mark.parametrize(
    ("template", "row", "parameters", "reason"),
    [
        ("Q {{q}}", {}, {}, "error: the row lacks q, which 'pb' needs"),
        ("{{docs}}", {}, {}, "which 'pb' needs (while the pipeline runs, docs comes from retriever)"),
        ("Q {{q}}", {"q": 1}, {"required_variables": ["z"]}, "the row lacks z"),
        ("{% if q %}", {"q": 1}, {}, "refused: TemplateSyntaxError"),
        ("{{ q | nothing }}", {"q": 1}, {}, "refused: TemplateAssertionError"),
        ("{{ q.a.b }}", {"q": 1}, {}, "error: UndefinedError"),
        (None, {}, {}, "refused: its template is missing"),
        ("x", {}, {"variables": "q"}, "refused: its variables are no list"),
        ("x", {}, {"variables": [1]}, "refused: one of its variables"),
    ],
)
def test_a_text_that_haystack_does_not_send_has_a_reason(
    template: Any, row: dict[str, Any], parameters: dict[str, Any], reason: str
) -> None:
    assert reason in str(render(template, row, chat=False, **parameters))


@pytest.mark.parametrize(
    ("template", "row", "reason"),
    [
        ([message("user", "{{q}}")], {}, "error: the row lacks q"),
        (f"x{USER}y{END}", {}, "error: text outside of message blocks is no message"),
        (f"{USER} {END}", {}, "error: a message of the template is empty"),
        (f"{USER}{{{{q}}}}{END}", {"q": " "}, "error: a message of the template is empty"),
        ('{% message role="bot" %}x{% endmessage %}', {}, "refused: TemplateSyntaxError"),
        ("{% message %}x{% endmessage %}", {}, "refused: TemplateSyntaxError"),
        ("{% insert %}", {}, "refused: TemplateSyntaxError"),
        ("{% insert h %}", {"h": [{"role": "user", "content": "x"}]}, "error: an insert takes messages"),
        (USER + "{{ q | templatize_part }}" + END, {"q": "x"}, "error: templatize_part takes"),
        (USER + "{{ q | nothing }}" + END, {"q": "x"}, "refused: TemplateAssertionError"),
        ([message("user", "{{ q | templatize_part }}")], {"q": 1}, "refused: templatize_part may not"),
        ([message("user")], {}, "refused: a message of the role user has no text"),
        ([message("bot", "x")], {}, "refused: a message has the role 'bot'"),
        ([{"role": "user", "content": 5}], {}, "refused: the content of a message"),
        ([{"role": "user", "content": [{"sound": 1}]}], {}, "refused: a part of a message"),
        (["x"], {}, "refused: a message of its template is no object"),
        (None, {}, "refused: its template is given while the pipeline runs"),
        ("", {}, "error: its template is empty"),
    ],
)
def test_messages_that_haystack_does_not_send_have_a_reason(template: Any, row: dict[str, Any], reason: str) -> None:
    assert reason in str(render(template, row))


@pytest.mark.parametrize(
    ("parameters", "row", "text"),
    [
        ({"required_variables": None}, {}, "a= b="),
        ({"required_variables": ["a"]}, {"a": 1}, "a=1 b="),
        ({"required_variables": "*"}, {"a": 1, "b": 2}, "a=1 b=2"),
        ({"variables": ["a"]}, {"a": 1, "b": 2}, "a=1 b="),  # a pipeline takes no input of another name
    ],
)
def test_variables_are_required_as_the_file_says(parameters: dict[str, Any], row: dict[str, Any], text: str) -> None:
    assert render("a={{a}} b={{b}}", row, chat=False, **parameters) == [text]


def test_parts_are_sent_as_a_server_takes_them() -> None:
    call = {"tool_name": "find", "arguments": {"q": "é"}, "id": "c1"}
    template = [
        {"role": "assistant", "content": [{"tool_call": call}]},
        {"role": "tool", "content": [{"tool_call_result": {"result": "r", "origin": call, "error": False}}]},
        {"role": "user", "content": [{"text": "{{q}}"}, {"image": {"base64_image": "AA", "mime_type": None}}]},
        {"role": "user", "content": [{"text": "f"}, {"file": {"base64_data": "AA", "filename": "a.pdf"}}]},
    ]
    answer = read({"template": template}, True)
    rendered = haystack.render_row([{**answer["builder"], "senders": {}}, {}, {"q": "a"}])
    assert [message.get("content") for message in rendered["messages"]] == [
        None,
        "r",
        [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AA"}}],
        [
            {"type": "text", "text": "f"},
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA", "filename": "a.pdf"}},
        ],
    ]
    assert rendered["messages"][0]["tool_calls"][0]["function"] == {"name": "find", "arguments": '{"q": "é"}'}
    assert rendered["messages"][1]["tool_call_id"] == "c1"


def open_pipeline(folder: Path, **builders: Any) -> Workspace:
    components = {
        name: {"type": CHAT if chat else TEXT, "init_parameters": {"template": template}}
        for name, (chat, template) in builders.items()
    }
    (folder / "pipe.yml").write_text(yaml.safe_dump({"components": components, "connections": []}))
    (folder / "rows.jsonl").write_text('{"id": "1", "q": "a"}\n')
    return workspace.open(folder)


def test_each_builder_of_a_pipeline_is_a_mode(tmp_path: Path) -> None:
    alone = open_pipeline(tmp_path, ask=(False, "{{q}}"))
    assert list(alone.prompts) == ["pipe"]
    opened = open_pipeline(tmp_path, ask=(False, "{{q}}"), chat=(True, [message("user", "{{q}}")]), bad=(False, "{{"))
    assert set(opened.prompts) == {"pipe · ask", "pipe · chat", "pipe · bad"}
    (refused,) = [each for each in opened.diagnostics if each.code == "dat-project-refused"]
    assert "'bad': TemplateSyntaxError" in refused.values["reason"]
    assert opened.prompts["pipe · chat"].template == "user:\n{{q}}"


def test_a_variable_may_have_the_name_of_an_input(tmp_path: Path) -> None:
    inputs = {"query": ["ask.q", "other.query"], "more": "ask.m"}
    builder = {"type": TEXT, "init_parameters": {"template": "{{q}} {{m}}"}}
    (tmp_path / "p.yml").write_text(yaml.safe_dump({"components": {"ask": builder}, "inputs": inputs}))
    mode = haystack.read_prompt(tmp_path / "p.yml", tmp_path, "m").mode
    assert haystack.render_row([dict(mode.settings), {}, {"query": "a", "more": 1}])["text"] == "a 1"
    assert haystack.render_row([dict(mode.settings), {}, {"query": "a", "q": "b", "m": 2}])["text"] == "b 2"


BLOCKS = st.sampled_from([
    USER, END, "{{q}}", "\n", " ", "x", "{% insert q %}", "{% for d in q %}", "{% endfor %}",
    '{"role": "user", "content": "c"}', '{% message role="system" %}',
])  # fmt: skip
VALUES = st.none() | st.text(max_size=8) | st.lists(st.text(max_size=3), max_size=2) | st.floats(allow_nan=False)


@given(st.lists(BLOCKS, max_size=8), VALUES, st.booleans())
def test_any_template_and_value_give_messages_or_a_reason(pieces: list[str], value: Any, chat: bool) -> None:
    assert render("".join(pieces), {"q": value}, chat=chat) or not pieces or chat


@pytest.mark.parametrize("many", [20, pytest.param(2000, marks=pytest.mark.long)])
def test_mutated_pipelines_give_modes_and_never_a_traceback(many: int) -> None:
    draw = random.Random(5)
    whole = {"template": [message("user", "{{q}}"), message("system", "a")], "required_variables": ["q"]}
    written = json.dumps(whole)
    for _ in range(many):
        at = draw.randrange(len(written))
        text = (
            written[:at]
            + draw.choice(['"', "[", "]", "{", "}", "null", "1", "", ","])
            + written[at + draw.randrange(4) :]
        )
        try:
            parameters = json.loads(text)
        except ValueError:
            continue
        if isinstance(parameters, dict):
            answer = read(parameters, True)
            assert ("builder" in answer) != ("refused" in answer)
            if "builder" in answer:
                haystack.render_row([{**answer["builder"], "senders": {}}, {}, {"q": "a"}])


@pytest.mark.realdata
def test_the_shared_pipelines_give_the_messages_of_haystack(shared: Path) -> None:
    folder = shared / "vectors" / "ecosystem" / "haystack"
    for line in map(json.loads, (folder / "expected.jsonl").read_text("utf-8").splitlines()):
        case = folder / line["case"]
        prompt = haystack.read_prompt(case / line["file"], case, "m")
        row = json.loads((case / "rows.jsonl").read_text("utf-8").splitlines()[line["row"]])
        answer = haystack.render_row([dict(prompt.mode.settings), {}, row])
        if line.get("error"):
            assert answer["error"], line
        else:
            assert (answer["error"], answer["text"]) == (None, line.get("text")), line
            assert list(answer["messages"] or []) == (line.get("messages") or []), line
