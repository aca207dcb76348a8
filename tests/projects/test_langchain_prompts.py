"""Prompt files of LangChain are modes, and their messages are those that LangChain builds."""

from __future__ import annotations

import json
import string
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback import workspace
from readback.projects import langchain
from readback.projects.langchain import fields, mustache
from readback.projects.langchain.faults import Unfilled, Unloadable
from readback.readers.yaml.yaml_file import read_yaml

LEAST = 0.95  # of all lines, as the issue asks
PROMPT = {"_type": "prompt", "input_variables": ["q"]}


def load(value: Any, folder: Path) -> dict[str, Any]:
    return langchain.read({"value": value, "folder": str(folder), "root": str(folder)})


def render(value: Any, row: dict[str, Any], folder: Path = Path("/nowhere")) -> list[tuple[str, Any]] | str:
    answer = langchain.render_row([load(value, folder)["prompt"], {}, row])
    for message, segments in zip(answer["messages"] or (), answer["segments"], strict=True):
        if isinstance(message["content"], str):
            assert "".join(text for text, _, _ in segments) == message["content"]
    if answer["error"] is not None:
        return str(answer["error"])
    return [(message["role"], message["content"]) for message in answer["messages"]]


def text(template: str, language: str = "f-string", **more: Any) -> dict[str, Any]:
    return {**PROMPT, "template": template, "template_format": language, **more}


def dump(name: str, **arguments: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", "x", name], "kwargs": arguments}


def dump_chat(*items: Any, **arguments: Any) -> dict[str, Any]:
    return dump("ChatPromptTemplate", messages=list(items), **arguments)


def dump_text(template: str, language: str = "f-string", **more: Any) -> dict[str, Any]:
    return dump("PromptTemplate", template=template, template_format=language, **more)


@pytest.mark.parametrize(
    ("template", "row", "filled"),
    [
        ("Q {q}", {"q": "a"}, "Q a"),
        ("{{q}} {q}", {"q": None}, "{q} None"),
        ("{q!r} {q!a}", {"q": "é"}, "'é' '\\xe9'"),
        ("{q:>4}|{q:.1}", {"q": "ab"}, "  ab|a"),
        ("{q}", {"q": {"a": [True, 1.0]}}, "{'a': [True, 1.0]}"),
        ("{q}", {"q": "{x}"}, "{x}"),
    ],
)
def test_an_f_string_is_filled_as_python_does(template: str, row: dict[str, Any], filled: str) -> None:
    assert render(text(template), row) == [("user", filled)]


@pytest.mark.parametrize(
    ("template", "row", "reason"),
    [
        ("{q} {p}", {}, "lacks p, q"),
        ("{q:d}", {"q": "a"}, "'q'"),
        ("{q:>99999999999}", {"q": "a"}, "padded"),
        ("{q!x}", {"q": "a"}, "!x"),
        ("{q.real}", {"q": 1}, "cannot be loaded"),
        ("{q[0]}", {"q": 1}, "cannot be loaded"),
        ("{0}", {}, "cannot be loaded"),
        ("{q:{w}}", {"q": 1}, "cannot be loaded"),
        ("{q", {"q": 1}, "cannot be loaded"),
        ("{stop}", {"stop": 1}, "cannot be loaded"),
    ],
)
def test_what_an_f_string_cannot_fill_has_a_reason(template: str, row: dict[str, Any], reason: str) -> None:
    assert reason in render(text(template), row)


@pytest.mark.parametrize(
    ("template", "row", "filled"),
    [
        ("{{q}} {{{q}}} {{&q}}", {"q": "<&\">'"}, "&lt;&amp;&quot;&gt;' <&\">' <&\">'"),
        ("a\n{{#q}}\n- {{.}}\n{{/q}}\nb", {"q": ["x", "y"]}, "a\n- x\n- y\nb"),
        ("{{^q}}none{{/q}}{{! no }}", {"q": []}, "none"),
        ("{{#q}}{{a}}/{{b}};{{/q}}", {"q": {"a": 0}}, "0/;"),
        ("{{q.a.1}}", {"q": {"a": ["x", "y"]}}, "y"),
        ("{{q}}", {"q": None}, ""),
        ("{{q}}", {"q": False}, "False"),
        ("{{q.upper}}|{{> part}}", {"q": "a"}, "|"),
        ("{{=<% %>=}}<%q%> {{q}}", {"q": "a"}, "a {{q}}"),
    ],
)
def test_mustache_is_filled_as_langchain_does(template: str, row: dict[str, Any], filled: str) -> None:
    assert render(text(template, "mustache"), row) == [("user", filled)]


@pytest.mark.parametrize("template", ["{{#a}}", "{{/a}}", "{{a", "{{}}", "{{#a}}{{/b}}"])
def test_broken_mustache_is_not_loaded(template: str, tmp_path: Path) -> None:
    assert "mustache" in load(text(template, "mustache"), tmp_path)["refused"]


def test_a_jinja_template_is_built_though_langchain_refuses_it(tmp_path: Path) -> None:
    assert "Jinja" in load(text("Q {{ q }}\n", "jinja2"), tmp_path)["refused"]
    assert render(text("Q {{ q }}\n", "jinja2"), {"q": "a"}) == [("user", "Q a")]
    assert "lacks q" in render(text("{{ q }}", "jinja2"), {})
    assert "Security" in render(text("{{ q.__class__.__mro__ }}", "jinja2"), {"q": "a"})


def test_a_row_wins_over_a_partial_variable() -> None:
    value = text("{a} {b}", partial_variables={"a": "1", "b": "2"})
    assert render(value, {"b": "x"}) == [("user", "1 x")]


def test_examples_are_filled_twice() -> None:
    value = {
        "_type": "few_shot", "input_variables": ["q"], "prefix": "", "suffix": "> {q}", "example_separator": "|",
        "example_prompt": text("{i}={o}"), "examples": [{"i": "a", "o": "{q}"}, {"i": "c", "o": "d"}],
    }  # fmt: skip
    assert render(value, {"q": "z"}) == [("user", "a=z|c=d|> z")]
    value["examples"] = [{"i": "a", "o": "{nothing}"}]
    assert "lacks nothing" in render(value, {"q": "z"})
    value["examples"] = [{"i": "a", "o": "{q.real}"}]
    assert "attribute" in render(value, {"q": 1})


def test_a_chat_in_a_file_loses_all_but_its_first_message(tmp_path: Path) -> None:
    messages = [{"prompt": {"template": "S {q}"}}, {"prompt": {"template": "{q}"}}]
    value = {"_type": "chat", "input_variables": ["q"], "messages": messages}
    assert render(value, {"q": "a"}) == [("user", "S a")]
    assert load(value, tmp_path)["unsent"] == 1


def test_a_dump_has_every_kind_of_message() -> None:
    chat = dump_chat(
        dump("SystemMessagePromptTemplate", prompt=dump_text("S {a}")),
        dump("MessagesPlaceholder", variable_name="past", n_messages=2),
        dump("AIMessage", content="{fixed}"),
        dump("ChatMessagePromptTemplate", role="critic", prompt=dump_text("{{q}}", "mustache")),
        dump(
            "HumanMessagePromptTemplate",
            prompt=[dump_text("{q}"), dump_text(""), dump("ImagePromptTemplate", template={"url": "u/{q}"},
                    input_variables=["q"])],
        ),
        dump("MessagesPlaceholder", variable_name="later", optional=True),
        partial_variables={"a": "b"},
    )  # fmt: skip
    row = {"q": "x", "past": [["human", "0"], ["human", "1"], {"role": "ai", "content": "2"}]}
    parts = [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "u/x"}}]
    assert render(chat, row) == [
        ("system", "S b"), ("user", "1"), ("assistant", "2"), ("assistant", "{fixed}"), ("critic", "x"),
        ("user", parts),
    ]  # fmt: skip
    assert "lacks past" in render(chat, {"q": "x"})
    assert "list of messages" in render(chat, {**row, "past": "text"})
    assert "role" in render(chat, {**row, "past": [["nobody", "x"]]})


def test_tool_calls_are_written_as_a_server_gets_them() -> None:
    call = {"name": "find", "args": {"q": "é"}, "id": "1", "type": "tool_call"}
    chat = dump_chat(dump("AIMessage", content="", tool_calls=[call]))
    answer = langchain.render_row([load(chat, Path("/nowhere"))["prompt"], {}, {}])
    assert answer["messages"][0]["tool_calls"] == [
        {"type": "function", "id": "1", "function": {"name": "find", "arguments": '{"q": "é"}'}}
    ]


@pytest.mark.parametrize(
    "value",
    [
        {"lc": 1, "type": "not_implemented", "id": ["x", "Secret"]},
        dump_chat({"lc": 1, "type": "not_implemented", "id": ["x", "FewShot"]}),
        dump_chat(dump("Nothing")),
        dump_chat(3),
        dump("ChatPromptTemplate", messages="no"),
        dump("RunnableSequence"),
        dump_chat(dump("MessagesPlaceholder", variable_name=3)),
        dump_chat(dump("HumanMessagePromptTemplate", prompt=[3])),
        {"manifest": {"lc": 1}},
        {**PROMPT},
        {**PROMPT, "template": 3},
        {**PROMPT, "template": "x", "template_path": "x.txt"},
        {**PROMPT, "template_path": "../x.txt"},
        {**PROMPT, "template_path": "/etc/passwd"},
        {**PROMPT, "template_path": 3},
        {**PROMPT, "template": "x", "partial_variables": None},
        {**PROMPT, "template": "x", "template_format": "other"},
        {"_type": "chat", "input_variables": [], "messages": 3},
        {"_type": "few_shot"},
        {"_type": "other"},
        {"_type": ["x"]},
    ],
)
def test_what_cannot_be_loaded_has_a_reason_and_no_messages(value: Any, tmp_path: Path) -> None:
    assert load(value, tmp_path)["refused"]
    assert "cannot be loaded" in render(value, {"q": "x"}, tmp_path)


def test_several_files_of_a_folder_are_modes_with_the_rows_beside_them(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"id": "1", "q": "a"}\n{"id": "2", "q": "b"}\n')
    (tmp_path / "short.yaml").write_text("_type: prompt\ninput_variables: [q]\ntemplate_path: short.txt\n")
    (tmp_path / "short.txt").write_bytes(b"Q {q}\r\n")
    (tmp_path / "long.json").write_text(
        json.dumps(dump_chat(dump("SystemMessagePromptTemplate", prompt=dump_text("x"))))
    )
    (tmp_path / "bad.yaml").write_text("_type: prompt\ninput_variables: [q]\ntemplate: '{q'\n")
    opened = workspace.open(tmp_path)
    assert set(opened.prompts) == {"short", "long", "bad"}
    assert opened.dataset
    assert opened.dataset.path == "rows.jsonl"
    assert [each.place.file for each in opened.diagnostics if each.code == "dat-project-refused"] == ["bad.yaml"]
    assert opened.prompts["short"].template == "Q {q}\n"
    alone = workspace.open(tmp_path / "short.yaml")
    assert set(alone.prompts) == {"short"}
    assert alone.dataset
    assert alone.dataset.path == "rows.jsonl"


NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
ROWS = st.fixed_dictionaries({"a": VALUES, "b": VALUES, "c": VALUES})


@given(st.text(alphabet="ab{}!r:>3. \n", max_size=20), ROWS)
def test_any_f_string_equals_python(template: str, row: dict[str, Any]) -> None:
    try:
        fields.list_variables(template)
        filled = "".join(segment.text for segment in fields.fill_fields(template, row))
    except (Unloadable, Unfilled):
        return
    assert filled == string.Formatter().vformat(template, (), row)


@given(st.lists(st.sampled_from(["{{#a}}", "{{/a}}", "{{^b}}", "{{/b}}", "{{a.b}}", "{{{.}}}", "\n", " ", "x"])), ROWS)
def test_any_mustache_is_filled_or_has_a_reason(pieces: list[str], row: dict[str, Any]) -> None:
    try:
        mustache.list_variables("".join(pieces))
        mustache.fill_mustache("".join(pieces), row)
    except (Unloadable, Unfilled):
        return


@pytest.mark.realdata
def test_the_shared_prompts_give_the_messages_of_langchain(shared: Path) -> None:
    folder = shared / "vectors" / "ecosystem" / "langchain"
    right, wrong = 0, Counter[str]()
    for line in map(json.loads, (folder / "expected.jsonl").read_text("utf-8").splitlines()):
        case = folder / line["case"]
        value = read_yaml(case / line["file"], line["file"]).value
        if line.get("load_error"):
            is_right = bool(load(value, case)["refused"])
        else:
            row = json.loads((case / "rows.jsonl").read_text("utf-8").splitlines()[line["row"]])
            expected = [(each["role"], each["content"]) for each in line.get("messages") or ()]
            rendered = render(value, row, case)
            is_right = isinstance(rendered, str) if line.get("error") else rendered == expected
        right += is_right
        wrong[line["case"]] += not is_right
    assert right >= LEAST * wrong.total() + LEAST * right, +wrong
    assert not +wrong
