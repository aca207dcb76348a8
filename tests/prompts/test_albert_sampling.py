"""Sampling values of an Albert configuration: which are in force, which line sets each, and which are refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from looking import page, said

from readback import cli, workspace
from readback.prompts import request_settings
from readback.types import Selection

Write = Callable[[Mapping[str, Any]], Path]
CONFIG = """temperature: 0.3
top_p: 0.9
max_tokens: 900
prompts:
  - {mode: a, template: t.jinja}
  - mode: b
    template: t.jinja
    top_p: 0.5
    min_p: 0.1
models:
  - {model_kind: gemma, temperature: 0.1,
     repetition_penalty: 1.2}
"""
WORKSPACE = """dataset: d.jsonl
prompts: [prompt_config.yml]
options: {albert_dialect: current}
models: {g: {settings: {model: google/gemma-2}}}
conditions: [{name: c, mode: b, model: g}]
"""
PLAIN = "dataset: d.jsonl\nprompts: [prompt_config.yml]\n"
FILES = {
    "prompt_config.yml": CONFIG,
    "t.jinja": "{{ query }}",
    "d.jsonl": '{"id": "1", "query": "Q"}\n',
    "readback.yml": WORKSPACE,
}


@pytest.mark.parametrize(
    ("choice", "stated"),
    [
        (
            Selection(mode="a"),
            {"temperature": (0.3, "top", 1), "top_p": (0.9, "top", 2), "max_tokens": (900, "top", 3)},
        ),
        (
            Selection(condition="c"),
            {
                "temperature": (0.1, "models", 11),
                "top_p": (0.5, "mode", 8),
                "min_p": (0.1, "mode", 9),
                "repetition_penalty": (1.2, "models", 12),
                "max_tokens": (900, "top", 3),
            },
        ),
    ],
)
def test_each_value_has_the_line_that_sets_it(
    write: Write, choice: Selection, stated: Mapping[str, tuple[Any, str, int]]
) -> None:
    found = request_settings.find_sampling(workspace.open(write(FILES)), choice)
    assert {name: (one.value, one.level, one.place.line) for name, one in found.items()} == stated
    assert {one.place.file for one in found.values()} == {"prompt_config.yml"}


def test_the_command_names_lines_and_what_is_not_set(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = str(write(FILES))
    cli.main(["render", root, "--condition", "c", "--format", "json"])
    answer = json.loads(capsys.readouterr().out)
    assert list(answer["sampling"]) == list(answer["sampling_places"])
    top_p = answer["sampling_places"]["top_p"]
    assert (top_p["level"], top_p["place"]["file"], top_p["place"]["line"]) == ("mode", "prompt_config.yml", 8)
    cli.main(["render", root, "--mode", "a", "--verbose"])
    told = capsys.readouterr().out
    assert "temperature is set for all modes, at prompt_config.yml:1" in told
    assert "not set: top_k, min_p, presence_penalty" in told


def test_the_page_names_lines_and_what_is_not_set(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(FILES)
    monkeypatch.setenv("READBACK_WORKSPACE", str(root))
    told = said(page("prompts", condition="c"))
    assert "temperature 0.1 (prompt_config.yml, line 11, under models)" in told
    assert "top_p 0.5 (prompt_config.yml, line 8, for this mode)" in told
    assert "not set: top_k, presence_penalty, length_penalty, frequency_penalty, stop_token_ids" in told


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", "-0.1"),
        ("temperature", ".nan"),
        ("temperature", ".inf"),
        ("temperature", "hot"),
        ("temperature", "true"),
        ("top_p", "0"),
        ("top_p", "1.1"),
        ("min_p", "-1"),
        ("presence_penalty", "2.5"),
        ("frequency_penalty", "-3"),
        ("repetition_penalty", "0"),
        ("length_penalty", "[1]"),
        ("top_k", "1.5"),
        ("max_tokens", "0"),
        ("stop_token_ids", "[-1]"),
        ("stop_token_ids", "7"),
    ],
)
def test_a_value_that_cannot_be_sent_is_a_finding_with_its_place(write: Write, name: str, value: str) -> None:
    config = f"prompts:\n  - mode: a\n    template: t.jinja\n    {name}: {value}\n"
    opened = workspace.open(write({**FILES, "prompt_config.yml": config, "readback.yml": PLAIN}))
    (one,) = [one for one in opened.diagnostics if one.code == "dat-wrong-value"]
    assert (one.place.file, one.place.line) == ("prompt_config.yml", 4)
    assert name in one.values["where"]
    assert request_settings.get_sampling_values(opened, Selection(mode="a")) == {}


@pytest.mark.parametrize(
    ("name", "value"), [("temperature", 20), ("top_k", -1), ("presence_penalty", -2), ("top_p", 1)]
)
def test_values_at_the_ends_are_taken(write: Write, name: str, value: float) -> None:
    config = f"{name}: {value}\nprompts: [{{mode: a, template: t.jinja}}]\n"
    opened = workspace.open(write({**FILES, "prompt_config.yml": config, "readback.yml": PLAIN}))
    assert request_settings.get_sampling_values(opened, Selection(mode="a")) == {name: value}


def test_a_wrong_value_at_the_top_is_told_once_whatever_the_number_of_modes(write: Write) -> None:
    modes = ", ".join(f"{{mode: m{i}, template: t.jinja}}" for i in range(5))
    opened = workspace.open(write({"prompt_config.yml": f"temperature: -1\nprompts: [{modes}]\n", "t.jinja": "x"}))
    assert [one.place.mode for one in opened.diagnostics if one.code == "dat-wrong-value"] == [None]
