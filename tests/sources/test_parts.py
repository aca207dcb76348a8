"""Several prompts in one text file between lines of three dashes: told, cut when asked, written down."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from looking import page, said

from readback import workspace
from readback.cli import main
from readback.sources.templates.plain_prompts import count_parts, split_parts

Write = Callable[[Mapping[str, Any]], Path]
ROWS = '{"id": "1", "question": "Why?"}\n{"id": "2", "question": "How?"}\n'
TEXT = "Short: {question}\n---\nLong {{ question | upper }}\n--- \n\n---\nNo names.\n"
FILES = {"d.jsonl": ROWS, "prompts.txt": TEXT}
MODES = {
    "prompts.txt · 1": ("Short: {question}\n", "format", 1),
    "prompts.txt · 2": ("Long {{ question | upper }}\n", "jinja", 3),
    "prompts.txt · 3": ("No names.\n", "text", 7),
}


def shown(opened: workspace.Workspace) -> dict[str, tuple[str | None, str, int | None]]:
    return {name: (one.template, one.syntax, one.place.line) for name, one in opened.prompts.items()}


def test_it_is_offered_and_not_cut_unasked(write: Write) -> None:
    opened = workspace.open(write(FILES))
    assert list(opened.prompts) == ["prompts"]
    assert opened.prompts["prompts"].template == TEXT
    assert opened.alternatives["parts"] == ("prompts.txt",)


def test_each_part_is_a_mode_in_its_own_language(write: Write) -> None:
    opened = workspace.open(write(FILES), chosen={"parts": "prompts.txt"})
    assert shown(opened) == MODES
    assert "parts" not in opened.alternatives


def test_what_init_writes_opens_to_the_same_modes(write: Write) -> None:
    root = write(FILES)
    opened = workspace.open(root, chosen={"parts": "prompts.txt"})
    (root / "readback.yml").write_text(workspace.init_text(opened), "utf-8")
    again = workspace.open(root)
    assert shown(again) == MODES
    assert [one for one in again.diagnostics if one.severity == "error" or one.code == "dat-wrong-value"] == []


def test_a_system_text_beside_it_goes_with_each_part(write: Write) -> None:
    opened = workspace.open(write({**FILES, "system.txt": "Be brief."}), chosen={"parts": "prompts.txt"})
    assert {name: one.system for name, one in opened.prompts.items()} == dict.fromkeys(MODES, "Be brief.")


def test_the_file_opened_alone_is_cut_too(write: Write) -> None:
    opened = workspace.open(write(FILES) / "prompts.txt", chosen={"parts": "prompts.txt"})
    assert list(opened.prompts) == list(MODES)


def test_the_command_renders_a_part(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = str(write(FILES))
    words = ["render", root, "--parts", "prompts.txt", "--mode", "prompts.txt · 2", "--format", "json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["messages"][0]["text"] == "Long WHY?"


@pytest.mark.parametrize("file", ["more.md", "one.txt", "nowhere.txt", "d.jsonl"])
def test_what_cannot_be_cut_is_said(write: Write, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    root = write({**FILES, "more.md": "prompt a {question}\n---\nb {question}\n", "one.txt": "only {question}\n---\n"})
    assert main(["check", str(root), "--parts", file]) == 2
    told = capsys.readouterr().err
    assert f"--parts {file}: this is not a .txt file of prompts between lines of three dashes" in told
    assert "such files here: prompts.txt" in told


@pytest.mark.parametrize(
    ("entry", "where"),
    [
        ("template_file: prompts.txt, part: 4", "modes[0].part"),
        ("template_file: prompts.txt, part: 0", "modes[0].part"),
        ("template_file: prompts.txt, part: x", "modes[0].part"),
        ("template_file: notes.md, part: 1", "modes[0].part"),
        ("template: 'a', part: 1", "modes[0].part"),
    ],
)
def test_a_wrong_part_in_the_workspace_file_is_a_finding(write: Write, entry: str, where: str) -> None:
    root = write(
        {**FILES, "notes.md": "a\n---\nb", "readback.yml": f"dataset: d.jsonl\nmodes: [{{mode: a, {entry}}}]\n"}
    )
    opened = workspace.open(root)
    assert [one.values["where"] for one in opened.diagnostics if one.code == "dat-wrong-value"] == [where]
    assert opened.prompts["a"].template is None


def test_one_click_on_open_cuts_and_another_takes_it_back(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(write(FILES)))
    test = page("open")
    test.button(key="parts_prompts.txt").click().run()
    assert test.query_params["parts"] == "prompts.txt"
    assert "prompts.txt is taken as 3 prompts" in said(test)
    test.button(key="whole_prompts.txt").click().run()
    assert "parts" not in test.query_params
    assert "may hold several prompts" in said(test)


@given(st.lists(st.sampled_from(["---\n", "--- \r\n", "a\n", "-- -\n", " ---\n", "\n", "---", "----\n"]), max_size=12))
def test_cutting_loses_nothing_but_the_lines_of_dashes_and_empty_parts(lines: list[str]) -> None:
    text = "".join(lines)
    found = split_parts(text)
    assert count_parts(text) == max(len(found), 1)
    at = 0
    for piece, line in found:
        at = text.index(piece, at)
        assert text.count("\n", 0, at) + 1 == line
        at += len(piece)
    left = [one for one in text.split("\n") if one.rstrip(" \t\r") != "---" and one.strip()]
    kept = [one for piece, _ in found for one in piece.split("\n") if one.strip()]
    assert kept == left
