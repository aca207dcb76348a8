"""Counts where they are used: a model's limit and reserve, what is rendered, what is checked, and what is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import cli, workspace
from readback.checks.run import engine
from readback.checks.summary import Audit
from readback.serving import limits
from readback.serving.modelfile import read_file as modelfile
from readback.types import Model
from readback.workspace.workspace_file.writer import init_text

Write = Callable[[Mapping[str, Any]], Path]
WORDS = "word" + " word" * 59  # 60 tokens of cl100k
FILE = """dataset: {path: data.jsonl}
modes: [{mode: a, template: "{{ text }}"}]
models: {m: {%s}}
conditions: [{name: c, mode: a, model: m}]
"""


def model(text: str = "", tmp_path: Path | None = None, **known: Any) -> Model:
    if tmp_path is None:
        return Model("m", **known)
    (tmp_path / "Modelfile").write_text(text)
    return Model("m", modelfile=modelfile.read(tmp_path / "Modelfile", tmp_path), **known)


@pytest.mark.parametrize(
    ("known", "lines", "expected"),
    [
        ({}, "", None),
        ({"context": 100}, "", (100, 0, "context", "")),
        ({"context": 100, "reserve": 7}, "PARAMETER num_ctx 50", (100, 7, "context", "reserve")),
        ({"settings": {"max_model_len": 90, "max_tokens": 8}}, "", (90, 8, "max_model_len", "max_tokens")),
        ({"context": 100, "settings": {"max_tokens": 100}}, "", (100, 0, "context", "")),
        ({"context": 100, "reserve": 0, "settings": {"max_tokens": 9}}, "", (100, 0, "context", "reserve")),
        ({}, "PARAMETER num_ctx 50\nPARAMETER num_predict 6", (50, 6, "num_ctx", "num_predict")),
        ({}, "PARAMETER num_ctx 50\nPARAMETER num_ctx 40\nPARAMETER num_predict -1", (40, 0, "num_ctx", "")),
        ({"settings": {"context": True, "num_ctx": "50"}}, "PARAMETER num_ctx much", None),
    ],
)
def test_a_limit_is_the_models_own_else_its_settings_else_its_modelfiles(
    known: Mapping[str, Any], lines: str, expected: tuple[object, ...] | None, tmp_path: Path
) -> None:
    found = limits.find_limit(model(f"FROM x\n{lines}\n", tmp_path, **known))
    assert (found and (found.context, found.reserve, found.context_key, found.reserve_key)) == expected


def test_training_texts_have_a_limit_of_their_own_and_no_reserve() -> None:
    both = model(context=100, reserve=9, settings={"max_seq_length": 64})
    assert limits.find_training_limit(both) == limits.Limit(64, context_key="max_seq_length")
    assert limits.find_training_limit(model(context=5, reserve=2)) == limits.Limit(5)
    assert limits.find_training_limit(model()) is None


def opened(write: Write, said: str, text: str = WORDS) -> workspace.Workspace:
    files = {"readback.yml": FILE % said, "data.jsonl": [{"id": "1", "text": text}], "t.json": "{}"}
    return workspace.open(write(files))


def audit(write: Write, said: str, text: str = WORDS) -> Audit:
    return engine.check(opened(write, said, text))


def found(made: Audit) -> list[tuple[str, str]]:
    return [(one.code, one.severity) for one in made.findings if one.code.startswith("srv-")]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("tokenizer: cl100k, context: 59", [("srv-over-limit", "error")]),
        ("tokenizer: cl100k, context: 60", []),
        ("context: 75", [("srv-estimate-only", "info")]),
        ("context: 74", [("srv-estimate-only", "info"), ("srv-over-limit", "warning")]),
        ("context: 62", [("srv-estimate-only", "info"), ("srv-over-limit", "error")]),
        ("tokenizer: t.json, context: 20", [("srv-over-limit", "error")]),
    ],
)
def test_a_count_is_an_error_an_estimate_near_the_limit_a_warning(
    said: str, expected: list[tuple[str, str]], write: Write
) -> None:
    made = audit(write, said)
    told = [one for one in found(made) if one[0] != "srv-tokenizer-unreadable"]
    assert sorted(told) == expected


def test_the_longest_prompt_of_a_condition_is_counted_in_tokens(write: Write) -> None:
    (row,) = audit(write, "tokenizer: cl100k, context: 100").conditions
    assert row.tokens is not None
    assert (row.longest, row.tokens.count, row.tokens.tokenizer, row.tokens.exact) == (len(WORDS), 60, "cl100k", True)
    (row,) = audit(write, "tokenizer: cl100k").conditions
    assert row.tokens is None


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        ("tokenizer: cl100k", WORDS, {"count": 60, "tokenizer": "cl100k", "exact": True, "of": "messages"}),
        ("type: base", WORDS, {"count": 75, "tokenizer": "bytes ÷ 4, an estimate", "exact": False, "of": "messages"}),
        ("tokenizer: qwen3, serving: {format: chatml}", "Hi", {"tokenizer": "qwen3", "exact": True, "of": "wire"}),
        ("tokenizer: qwen3", "<|im_end|>", {"count": 6, "tokenizer": "qwen3", "exact": True, "of": "messages"}),
    ],
)
def test_render_says_how_many_tokens_of_what_by_which_tokenizer(
    said: str, text: str, expected: Mapping[str, Any], write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    root = opened(write, said, text).root
    cli.main(["render", str(root), "--condition", "c", "--format", "json"])
    tokens = json.loads(capsys.readouterr().out)["tokens"]
    assert {key: tokens[key] for key in expected} == expected
    cli.main(["render", str(root), "--condition", "c"])
    assert ("(estimated)" in capsys.readouterr().out) == (not tokens["exact"])


@pytest.mark.parametrize(
    ("said", "codes"),
    [
        ("tokenizer: qwen3", []),
        ("tokenizer: qwen4", ["dat-wrong-value"]),
        ("tokenizer: sub/tokenizer.json", ["dat-file-missing"]),
        ("tokenizer: ../tokenizer.json", ["dat-path-outside"]),
        ("tokenizer: [a]", ["dat-wrong-value"]),
        ("tokenizer: data.jsonl", ["srv-tokenizer-unreadable"]),
        ("context: 100, reserve: -1", ["dat-wrong-value"]),
    ],
)
def test_what_is_wrong_with_a_tokenizer_is_one_note_and_the_model_stays(
    said: str, codes: list[str], write: Write
) -> None:
    workspace = opened(write, said)
    assert [diagnostic.code for diagnostic in workspace.diagnostics] == codes
    assert "m" in workspace.models


def test_a_tokenizer_and_a_reserve_are_written_down_again(write: Write, tmp_path: Path) -> None:
    found = opened(write, "tokenizer: qwen3, context: 100, reserve: 0")
    (tmp_path / "again").mkdir()
    again = workspace.open(write({"readback.yml": init_text(found), "data.jsonl": [{"id": "1", "text": "x"}]}))
    assert (again.models["m"].tokenizer, again.models["m"].reserve) == ("qwen3", 0)
