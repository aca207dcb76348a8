"""Prompts that Langfuse and MLflow keep, and those that LlamaIndex dumps, give the messages that these tools build."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.projects import langfuse, llamaindex, mlflow_prompts

ASK = {"role": "user", "content": "{{q}}"}
PLACE = {"type": "placeholder", "name": "h"}


def render(tool: ModuleType, path: Path, row: dict[str, Any]) -> list[Any] | str:
    prompt = tool.read_prompt(path, path.parent, "m")
    answer = tool.render_row([json.loads(json.dumps(prompt.mode.settings)), {}, row])
    if prompt.refused:
        assert answer["error"]
        return "refused: " + prompt.refused
    if answer["error"] is not None:
        return "error: " + answer["error"]
    sent = [{"content": answer["text"]}] if answer["text"] is not None else answer["messages"]
    for message, segments in zip(sent, answer["segments"], strict=True):
        if isinstance(message.get("content"), str):
            assert "".join(text for text, _, _ in segments) == message["content"]
    return [answer["text"]] if answer["text"] is not None else [tuple(each.values()) for each in sent]


def write_langfuse(folder: Path, prompt: Any, **more: Any) -> Path:
    kind = "text" if isinstance(prompt, str) else "chat"
    path = folder / "p.json"
    path.write_text(json.dumps({"name": "n", "version": 1, "type": kind, "labels": [], "prompt": prompt, **more}))
    return path


@pytest.mark.parametrize(
    ("prompt", "row", "sent"),
    [
        ("{{q}} {{ q }} {{ no }}\n", {"q": "{{q}}"}, ["{{q}} {{q}} {{ no }}\n"]),
        ("{{a}}{{b}}", {"a": None, "b": [1, "é"]}, ["[1, 'é']"]),
        ("{{{q}}} {{q", {"q": 1}, ["{{{q}}} {{q"]),
        ("{{ {{q}} }}", {"q": 1}, ["{{ {{q}} }}"]),
        ("{{a b}}", {"a b": True}, ["True"]),
        ([{"role": "user", "content": "{{q}}"}], {"q": 1.0}, [("user", "1.0")]),
        ([{"role": "bot", "content": "x", "name": "B"}], {}, [("bot", "x")]),
        ([PLACE], {}, [("placeholder", "h")]),
        ([PLACE], {"h": []}, []),
        ([PLACE], {"h": [{"role": "user", "content": "{{q}}"}], "q": "a"}, [("user", "a")]),
        ([PLACE], {"h": [{"content": "x", "t": 1}]}, [("x", 1, "NOT_GIVEN")]),
        ([PLACE], {"h": "text"}, [("NOT_GIVEN", "text")]),
        ([PLACE], {"h": ["a", "b"]}, [("NOT_GIVEN", "['a', 'b']")] * 2),
        ([{"name": "h"}], {"h": "dropped"}, []),
        ([PLACE], {"h": [{"role": "user", "content": None}]}, "error: a message of 'h' has a content"),
        ([{"role": "user"}], {}, "refused: message 1 has neither"),
        (["x"], {}, "refused: message 1 is no object"),
        (5, {}, "refused: its prompt is missing"),
    ],
)
def test_langfuse(tmp_path: Path, prompt: Any, row: dict[str, Any], sent: list[Any] | str) -> None:
    result = render(langfuse, write_langfuse(tmp_path, prompt), row)
    assert result.startswith(sent) if isinstance(sent, str) and isinstance(result, str) else result == sent


def write_mlflow(folder: Path, template: Any) -> Path:
    path = folder / "p.json"
    path.write_text(json.dumps({"name": "n", "version": 1, "template": template}))
    return path


@pytest.mark.parametrize(
    ("template", "row", "sent"),
    [
        ("{{q}} {{ q }} {q}\n", {"q": 1.0}, ["1.0 1.0 {q}\n"]),
        ("{{a}}", {"a": "{{b}}", "b": "x"}, ["x"]),
        ("{{a}}", {"b": "x", "a": "{{b}}"}, ["{{b}}"]),
        ("{{a}}", {"a": "\\1 \\g<0> \\n"}, ["\\1 \\g<0> \\n"]),
        ("{{d.t}}", {"d": {"t": 1}}, "error: the row lacks d.t"),
        ("{{d.t}} {{dxt}}", {"d.t": 1, "dxt": 2}, ["1 1"]),  # the name is a regular expression
        ("{{q}}", {"q": 1, "a(": 2}, "error: the name 'a(' is no regular expression"),
        ("{{q}}{{z}}", {}, "error: the row lacks q, z"),
        ("{% if q %}{{ q }}{% endif %}{{ no }}\n", {"q": "a"}, ["a"]),
        ("{% if q %}", {}, "error: TemplateSyntaxError"),
        ([{"role": "user", "content": "{{q}}\n", "name": "B"}], {"q": None}, [("user", "None\n")]),
        (
            [{"role": "system", "content": "{{a}}\n"}, {"role": "user", "content": "{% set x = 1 %}{{x}}"}],
            {},
            [("system", ""), ("user", "1")],
        ),
        (
            [{"role": "user", "content": [{"type": "text", "text": "x"}]}],
            {},
            "error: the content of a message is a list",
        ),
        ([{"role": "user", "content": None}], {}, "error: the content of a message is null"),
        ([], {"q": 1}, ["[]"]),
        ([{"content": "x"}], {}, "refused: message 1 of its template has no role"),
        ([{"role": "user", "content": 1}], {}, "refused: the content of message 1"),
        (None, {}, "refused: its template is missing"),
    ],
)
def test_mlflow(tmp_path: Path, template: Any, row: dict[str, Any], sent: list[Any] | str) -> None:
    result = render(mlflow_prompts, write_mlflow(tmp_path, template), row)
    assert result.startswith(sent) if isinstance(sent, str) and isinstance(result, str) else result == sent


@pytest.mark.parametrize("tags", [{"mlflow.prompt.text": "{{q}}"}, [{"key": "mlflow.prompt.text", "value": "{{q}}"}]])
def test_mlflow_keeps_a_template_in_a_tag(tmp_path: Path, tags: Any) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"name": "n", "version": "1", "tags": tags}))
    assert mlflow_prompts.recognise(json.loads(path.read_text()))
    assert render(mlflow_prompts, path, {"q": "a"}) == ["a"]


def dump_llamaindex(**more: Any) -> str:
    return json.dumps({"metadata": {}, "template_vars": [], "kwargs": {}, "template_var_mappings": None, **more})


def list_blocks(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "blocks": [{"block_type": "text", "text": b} if isinstance(b, str) else b for b in blocks]}


@pytest.mark.parametrize(
    ("name", "text", "row", "sent"),
    [
        ("p.txt", "{q} {{q}} { q } {no}\n", {"q": "{no}"}, [("user", "{no} {{no}} { q } {no}\n")]),
        ("p.txt", "{a b} {q!r}", {"a b": None, "q": 1}, [("user", "None {q!r}")]),
        ("p.txt", "{llm}", {"llm": 1}, [("user", "{llm}")]),
        ("p.txt", "{% if q %}{{q}}{% endif %}", {"q": 1}, [("user", "1")]),
        ("p.jinja", "In {{ q }}:\n{{ no }}\n", {"q": 1.0}, [("user", "In 1.0:")]),
        ("p.j2", "{{ q }}", {"q": " "}, [("user", " ")]),
        (
            "p.jinja2",
            "lost {% chat role='system' %} a {% endchat %}{% chat role='user' %}{{q}}{% endchat %}",
            {"q": "x\n"},
            [("user", "x")],
        ),
        (
            "p.jinja",
            "{% chat role='system' %}\n a {{q}}\n{% endchat %}\n\n{% chat role='user' %}{{no}}{% endchat %}",
            {"q": "x"},
            [("system", "a x"), ("user", "")],
        ),
        ("p.jinja", "{% chat role='bot' %}a{% endchat %}", {}, "refused: TemplateSyntaxError"),
        ("p.jinja", "{{ q.a.b }}", {"q": 1}, "error: UndefinedError"),
        ("p.json", dump_llamaindex(template="{q} {z}", kwargs={"z": "Z"}), {"q": 1}, [("user", "1 Z")]),
        ("p.json", dump_llamaindex(template="{x}", template_var_mappings={"q": "x"}), {"q": 1}, [("user", "1")]),
        ("p.json", dump_llamaindex(template_str="{{ q }}\n"), {"q": 1}, [("user", "1")]),
        (
            "p.json",
            dump_llamaindex(message_templates=[list_blocks("system", "{q}", "{é}"), list_blocks("user", "b")]),
            {"q": 1, "é": 2},
            [("system", "1\n{é}"), ("user", "b")],
        ),
        ("p.json", dump_llamaindex(function_mappings={"q": 1}, template=""), {}, "refused: some of its variables"),
        ("p.json", dump_llamaindex(output_parser={}, template=5), {}, "refused: its template is missing"),
        ("p.json", dump_llamaindex(message_templates=[5]), {}, "refused: message 1 has no list of blocks"),
    ],
)
def test_llamaindex(tmp_path: Path, name: str, text: str, row: dict[str, Any], sent: list[Any] | str) -> None:
    (tmp_path / name).write_text(text)
    result = render(llamaindex, tmp_path / name, row)
    assert result.startswith(sent) if isinstance(sent, str) and isinstance(result, str) else result == sent


@pytest.mark.parametrize("tool", [langfuse, mlflow_prompts, llamaindex])
def test_a_text_file_is_the_prompt(tmp_path: Path, tool: ModuleType) -> None:
    (tmp_path / "p.txt").write_bytes(b"A {{q}}\r\n")
    filled = "A {1}\n" if tool is llamaindex else "A 1\n"
    assert render(tool, tmp_path / "p.txt", {"q": 1}) in ([filled], [("user", filled)])


NAMES = st.sampled_from(["a", "b", "a.b"])
VALUES = st.none() | st.integers() | st.text("ab{} \\.\n", max_size=8) | st.lists(st.integers(), max_size=2)
TEMPLATES = st.text("ab{} .\n", max_size=24)


@given(TEMPLATES, st.dictionaries(NAMES, VALUES, max_size=3))
def test_texts_are_replaced_as_each_tool_does(template: str, row: dict[str, Any]) -> None:
    by_pattern = re.sub(r"\{([^{}]+)\}", lambda match: str(row.get(match[1], match[0])), template)
    assert "".join(each.text for each in llamaindex.fill_fields(template, row)) == by_pattern
    one_by_one = template
    for name, value in row.items():
        one_by_one = re.sub(r"\{\{\s*" + name + r"\s*\}\}", str(value).replace("\\", "\\\\"), one_by_one)
    filled = mlflow_prompts.fill_variables(template, row)
    assert filled.text == one_by_one
    assert len(filled.owners) == len(filled.text)
    compiled = langfuse.compile_text(template, row)
    assert "".join(each.text for each in compiled if each.variable is None) in ("", template) or row


MUTATED: tuple[tuple[ModuleType, str], ...] = (
    (langfuse, json.dumps({"name": "n", "version": 1, "type": "chat", "prompt": [ASK, PLACE]})),
    (mlflow_prompts, json.dumps({"name": "n", "version": 1, "template": [ASK]})),
    (llamaindex, dump_llamaindex(message_templates=[list_blocks("user", "{q}")])),
    (llamaindex, dump_llamaindex(template="{q}", kwargs={"a": "b"})),
)  # fmt: skip


@pytest.mark.parametrize("many", [5, pytest.param(500, marks=pytest.mark.long)])
@pytest.mark.parametrize(("tool", "text"), MUTATED)
def test_mutated_files_give_messages_or_a_reason(tmp_path: Path, tool: ModuleType, text: str, many: int) -> None:
    draw = random.Random(3)
    for _ in range(many):
        changed = text
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(changed))
            changed = changed[:at] + draw.choice(['"', "[", "]", "{", "}", "null", "1", "", ","]) + changed[at + 1 :]
        (tmp_path / "p.json").write_text(changed)
        render(tool, tmp_path / "p.json", {"q": "a", "h": [{"content": "x"}]})


@pytest.mark.realdata
@pytest.mark.parametrize("tool", [langfuse, mlflow_prompts, llamaindex])
def test_the_shared_prompts_give_the_messages_of_their_tools(shared: Path, tool: ModuleType) -> None:
    read: Callable[..., Any] = tool.read_prompt
    folder = shared / "vectors" / "ecosystem" / tool.TOOL
    for line in map(json.loads, (folder / "expected.jsonl").read_text("utf-8").splitlines()):
        case = folder / line["case"]
        prompt = read(case / line["file"], case, "m")
        row = json.loads((case / "rows.jsonl").read_text("utf-8").splitlines()[line["row"]])
        answer = tool.render_row([dict(prompt.mode.settings), {}, row])
        if line.get("error"):
            assert answer["error"], line
        else:
            assert (answer["error"], answer["text"]) == (None, line.get("text")), line
            assert list(answer["messages"] or []) == (line.get("messages") or []), line


@pytest.mark.parametrize(
    ("tool", "name", "text", "row", "noted"),
    [
        (langfuse, "p.txt", "{{q}} {{no}} {{ }} {{a b}}", {"q": 1}, [("asm-project-value-missing", "no")]),
        (langfuse, "p.txt", "{{q}}", {"q": "{{q}}"}, []),
        (llamaindex, "p.txt", "{q} {no} {'a': 1}", {"q": 1}, [("asm-project-value-missing", "no")]),
        (llamaindex, "p.jinja", "{{ q }}{{ no.a }}{{ q.b }}{{ z | default('') }}", {"q": {}, "no": {}}, [
            ("asm-project-value-missing", "no.a"), ("asm-project-value-missing", "q.b")
        ]),
        (mlflow_prompts, "p.txt", "{{a}}{{b}}", {"a": "{{ b }}", "b": 1}, [("asm-value-rendered", "a")]),
        (mlflow_prompts, "p.txt", "{{a}}{{b}}", {"b": 1, "a": "{{ b }}"}, []),
        (mlflow_prompts, "p.txt", "{% if a %}{% endif %}{{ b }}", {"a": 1}, [("asm-project-value-missing", "b")]),
    ],
)  # fmt: skip
def test_what_is_noticed_about_values(
    tmp_path: Path, tool: ModuleType, name: str, text: str, row: dict[str, Any], noted: list[Any]
) -> None:
    (tmp_path / name).write_text(text)
    prompt = tool.read_prompt(tmp_path / name, tmp_path, "m")
    answer = tool.render_row([dict(prompt.mode.settings), {}, row])
    assert [(each["code"], each["values"]["field"]) for each in answer.get("notes", ())] == noted


def test_names_in_messages_that_langfuse_inserts_are_noticed(tmp_path: Path) -> None:
    prompt = langfuse.read_prompt(write_langfuse(tmp_path, [PLACE]), tmp_path, "m")
    row = {"h": [{"role": "user", "content": "{{q}}"}], "q": 1}
    (note,) = langfuse.render_row([dict(prompt.mode.settings), {}, row])["notes"]
    assert (note["code"], note["values"]) == ("asm-value-rendered", {"field": "h", "mark": "{{q}}"})
