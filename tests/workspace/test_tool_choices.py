"""Which tool reads a prompt file: chosen when it is opened, or stated in readback.yml."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.prompts.assemble import assemble
from readback.types import Record, Selection, Workspace
from readback.workspace.tools import tool_choices

Write = Callable[[Mapping[str, Any]], Path]
ROW = '{"id": "1", "question": "Why?"}\n'
MODEL = "model: {api: chat, configuration: {type: openai, model: m}, parameters: {temperature: 0}}"
OLD = f"---\n{MODEL}\n---\nsystem:\n  Be short.\nuser:\n{{{{question}}}}\n"
PLAIN = "Before.\n{{question}}\n"


def build(opened: Workspace, mode: str) -> list[tuple[str, str]] | str:
    """Return the messages of the first record, or the first finding's code."""
    built = assemble(opened, Record("1", json.loads(ROW)), Selection(mode=mode))
    if not built.messages:
        return built.diagnostics[0].code
    return [(message.role, message.text) for message in built.messages]


@pytest.mark.parametrize(
    ("name", "loader", "expected"),
    [
        ("prompty", "", "prompty"),
        ("prompty 0.1.50", "", "prompty-0.1"),
        ("prompty", "0.1", "prompty-0.1"),
        ("Prompty", "2.1.0", "prompty-2"),
        ("prompty-2", "", "prompty-2"),
        ("prompty", "promptflow", "promptflow"),
        ("promptflow 1.18.5", "", "promptflow"),
        ("inspect-ai", "", "inspect_ai"),
        ("prompty", "9", None),
        ("prompt", "", None),
        ("", "", None),
    ],
)
def test_a_tool_is_known_by_its_name_and_its_version(name: str, loader: str, expected: str | None) -> None:
    assert tool_choices.find_name(name, loader) == expected


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("", [("system", "Be short."), ("user", "Why?")]),
        ("prompty", [("system", "Be short."), ("user", "Why?")]),
        ("prompty-2", [("system", "  Be short."), ("user", "Why?")]),  # blanks of a line stay
        ("promptflow", [("system", "Be short."), ("user", "")]),  # it passes declared inputs alone
        ("openai", [("system", "Be short."), ("user", "Why?")]),  # told by content: changes nothing
    ],
)
@pytest.mark.parametrize("by_file", [True, False])
@pytest.mark.parametrize("opened", ["p.prompty", ""])
def test_one_file_in_several_tools(write: Write, tool: str, expected: Any, by_file: bool, opened: str) -> None:
    folder = write({"p.prompty": OLD, "rows.jsonl": ROW})
    choice = f"p.prompty={tool}" if by_file else tool
    assert build(workspace.open(folder / opened, chosen={"tool": choice}), "p") == expected


def test_a_plain_template_may_be_a_prompt_of_a_tool(write: Write) -> None:
    folder = write({"p.jinja2": PLAIN, "README.md": "# user:\nhow to\n", "rows.jsonl": ROW})
    assert build(workspace.open(folder), "p") == [("user", "Before.\nWhy?")]
    opened = workspace.open(folder, chosen={"tool": "promptflow"})
    assert list(opened.prompts) == ["p"]
    assert build(opened, "p") == "asm-project-row"


def test_a_link_chooses_only_among_prompts(write: Write) -> None:
    folder = write({"p.prompty": OLD, "rows.jsonl": ROW, "secret.yml": "a: b\n"})
    opened = workspace.open(folder, chosen={"tool": "secret.yml=langchain\nrows.jsonl=langchain"}, offered=True)
    assert list(opened.prompts) == ["p"]
    opened = workspace.open(folder, chosen={"tool": "p.prompty=prompty-2"}, offered=True)
    assert tool_choices.list_choices(opened) == {"p.prompty": "prompty-2"}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("{path: p.prompty, tool: promptflow}", [("system", "Be short."), ("user", "")]),
        ("{path: p.prompty, tool: prompty, loader: '2'}", [("system", "  Be short."), ("user", "Why?")]),
        ("{path: p.prompty, tool: prompty, loader: 2.1}", [("system", "  Be short."), ("user", "Why?")]),
        ("p.prompty", [("system", "Be short."), ("user", "Why?")]),
    ],
)
def test_readback_yml_names_the_tool(write: Write, entry: str, expected: Any) -> None:
    folder = write({"p.prompty": OLD, "rows.jsonl": ROW, "readback.yml": f"dataset: rows.jsonl\nprompts: [{entry}]\n"})
    opened = workspace.open(folder)
    assert [each.code for each in opened.diagnostics if each.code == "dat-bad-value"] == []
    assert build(opened, "p") == expected
    assert build(workspace.open(folder, chosen={"tool": "prompty-0.1"}), "p") == [
        ("system", "Be short."),
        ("user", "Why?"),
    ]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("{path: p.prompty, tool: promptflw}", "did you mean 'promptflow'"),
        ("{path: p.prompty, tool: prompty, loader: '9'}", "a version of prompty"),
        ("{path: p.prompty, loader: '2'}", "nothing without tool:"),
        ("{tool: promptflow}", "a path, or a mapping with path and tool"),
    ],
)
def test_a_wrong_tool_is_a_finding(write: Write, entry: str, expected: str) -> None:
    folder = write({"p.prompty": OLD, "rows.jsonl": ROW, "readback.yml": f"dataset: rows.jsonl\nprompts: [{entry}]\n"})
    opened = workspace.open(folder)
    assert [each for each in opened.diagnostics if expected in str(each.values)]


def test_the_saved_workspace_file_names_the_tool(write: Write) -> None:
    folder = write({"p.prompty": OLD, "q.jinja2": "# user:\n{{question}}\n", "rows.jsonl": ROW})
    opened = workspace.open(folder, chosen={"tool": "p.prompty=promptflow"})
    (folder / "readback.yml").write_text(workspace.init_text(opened), encoding="utf-8")
    again = workspace.open(folder)
    assert again.file == "readback.yml"
    for mode in ("p", "q"):
        assert build(again, mode) == build(opened, mode)
