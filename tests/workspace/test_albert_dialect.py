"""Which Albert program files are for is worked out from their signs, said, and shown beside the format."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import cli, workspace
from readback.checks.rules import build_finding
from readback.checks.run import engine
from readback.prompts import request_settings
from readback.types import Selection

Write = Callable[[Mapping[str, Any]], Path]
LATER = "{% for chunk in chunks_collection %}{{ chunk.text }}{% endfor %}{{ query }}\n"
CLASSIC = LATER.replace("chunks_collection", "sheet_chunks")
ROW = {"id": "1", "query": "Why?", "chunks_collection": [{"text": "a"}], "sheet_chunks": [{"text": "b"}]}


def files(top: str = "", template: str = LATER, options: str = "") -> dict[str, Any]:
    return {
        "readback.yml": f"dataset: d.jsonl\nprompts: [prompt_config.yml]\noptions: {{{options}}}\n",
        "prompt_config.yml": f"{top}\nprompts: [{{mode: rag, template: rag.jinja}}]\n",
        "rag.jinja": template,
        "d.jsonl": [ROW],
    }


def codes(root: Path) -> set[str]:
    return {
        diagnostic.code for diagnostic in workspace.open(root).diagnostics if diagnostic.code.startswith("alb-dialect")
    }


@pytest.mark.parametrize(
    ("top", "template", "options", "dialect", "said"),
    [
        ("", LATER, "", "current", {"alb-dialect-inferred"}),
        ("models: [{model_kind: gemma}]", "{{ query }}", "", "current", {"alb-dialect-inferred"}),
        ("", CLASSIC, "", "classic", set()),
        ("", "{{ query }}", "", "classic", set()),
        ("temperature: 0.3", "{{ query }}", "", "classic", set()),
        ("", "Ask chunks_collection: {{ query }} {{ 'art_collection' }}", "", "classic", set()),
        ("", LATER, "albert_dialect: classic", "classic", set()),
        ("", LATER, "albert_dialect: current", "current", set()),
        ("prompt_format: chatml", LATER, "", "classic", {"alb-dialect-mixed"}),
        ("prompt_format: null", LATER, "", "current", {"alb-dialect-inferred"}),
        ("models: [{model_kind: gemma}]", CLASSIC, "", "classic", {"alb-dialect-mixed"}),
    ],
)
def test_b13_the_dialect_is_what_the_option_says_else_what_the_files_show(
    write: Write, top: str, template: str, options: str, dialect: str, said: set[str]
) -> None:
    root = write(files(top, template, options))
    own = request_settings.find_program(workspace.open(root), Selection(mode="rag"))
    assert own
    assert own.dialect == dialect
    assert codes(root) == said


def test_b13_the_one_finding_names_the_way_out(write: Write) -> None:
    root = write(files("models: [{model_kind: gemma}]"))
    (one,) = [
        build_finding(diagnostic)
        for diagnostic in workspace.open(root).diagnostics
        if diagnostic.code == "alb-dialect-inferred"
    ]
    assert "options: {albert_dialect: current}" in one.fix
    assert "models, chunks_collection" in one.message
    assert "albert_dialect: current" in workspace.init_text(workspace.open(root))


def test_b13_whoever_asks_for_the_other_dialect_gets_it(write: Write) -> None:
    opened = workspace.open(write(files()), options={"albert_dialect": "classic"})
    assert opened.options["albert_dialect"] == "classic"


@pytest.mark.realdata
def test_b13_the_current_albert_folder_opens_as_it_is_without_a_wrong_verdict(shared: Path, tmp_path: Path) -> None:
    root = tmp_path / "albert"
    shutil.copytree(shared / "checkouts/pyalbert-current", root)
    audit = engine.check(workspace.open(root))
    assert audit.severities.get("error", 0) == 0
    assert [one.code for one in audit.findings if one.severity == "warning"] == []
    assert audit.counts["alb-dialect-inferred"] == 1
    row = {"id": "1", "query": "Q", "chunks_collection": [{"url": "u", "title": "t", "text": "x", "context": "c"}]}
    (root / "data.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    opened = workspace.open(root)
    audit = engine.check(opened)
    assert (audit.records.read, audit.severities.get("error", 0)) == (1, 0)
    assert request_settings.get_sampling_values(opened, Selection(mode="rag")) == {
        "temperature": 0.3,
        "max_tokens": 8192,
    }


def test_b13_sampling_values_and_the_dialect_are_in_the_answer_of_render(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    top = (
        "temperature: 0.3\ntop_p: 0.9\nmax_tokens: 900\nstop_token_ids: [1, 2]\n"
        "models: [{model_kind: gemma, temperature: 0.1}]\n"
    )
    more = "models: {g: {settings: {model: google/gemma-2}}}\nconditions: [{name: c, mode: rag, model: g}]\n"
    made = files(top)
    prompts = "prompts: [{mode: rag, template: rag.jinja, top_p: 0.5}]\n"
    root = write({**made, "prompt_config.yml": top + prompts, "readback.yml": made["readback.yml"] + more})
    expected = {"temperature": 0.3, "top_p": 0.5, "max_tokens": 900, "stop_token_ids": [1, 2]}
    for words, temperature in ((["--mode", "rag"], 0.3), (["--condition", "c"], 0.1)):
        cli.main(["render", str(root), *words, "--wire", "--format", "json"])
        answer = json.loads(capsys.readouterr().out)
        assert answer["sampling"] == {**expected, "temperature": temperature}
        assert (answer["dialect"], answer["wire"]["dialect"]) == ("current", "current")
    cli.main(["render", str(root), "--mode", "rag"])
    assert "dialect current" in capsys.readouterr().out


def test_b13_an_unknown_sampling_key_is_named(write: Write) -> None:
    diagnostics = workspace.open(write(files("temprature: 0.3"))).diagnostics
    assert [
        (diagnostic.values["key"], diagnostic.values["nearest"])
        for diagnostic in diagnostics
        if diagnostic.code == "alb-unknown-key"
    ] == [("temprature", "temperature")]
