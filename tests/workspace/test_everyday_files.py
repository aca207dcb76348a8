"""The files of everybody, by folder and by upload: the right record's exact text is reached without help."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import everyday_files
import pytest
from everyday_files import ASKED, EMOJI, MESSAGES, ROWS, SYSTEM, TABLES, TEMPLATE, TRAINING, WANTED, fill

from readback import cli, workspace
from readback.records.dataset import open_dataset
from readback.records.training import training_reader
from readback.ui.common.uploads import store
from readback.ui.open.pasting import name_files

WAYS = ("folder", "upload")


def export(root: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, Any]]:
    """Return what `readback export` writes of a folder."""
    capsys.readouterr()
    cli.main(["export", str(root), "--as", "messages-jsonl", *options])
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def upload(root: Path) -> Path:
    """Send every file of a folder by itself, as somebody does who picks them all, and return the upload's folder."""
    whose = store.owner("me")
    files = [(path.name, io.BytesIO(path.read_bytes())) for path in sorted(root.rglob("*")) if path.is_file()]
    token, _ = store.save(files, whose)
    folder = store.path(token, whose)
    assert folder is not None
    return folder


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_UPLOADS", str(tmp_path / "uploads"))
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return an empty folder for the files."""
    folder = tmp_path / "study"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", TABLES)
def test_a_table_gives_the_exact_text(root: Path, capsys: pytest.CaptureFixture[str], kind: str, way: str) -> None:
    TABLES[kind](root)
    (root / "prompt.txt").write_text(TEMPLATE, "utf-8")
    rows: tuple[Mapping[str, Any], ...] = ROWS if kind == "windows-1252" else EMOJI
    lines = export(upload(root) if way == "upload" else root, capsys)
    texts = {line["record"]: line["messages"][-1]["content"] for line in lines}
    assert texts == {row["id"]: fill(row) for row in rows}
    assert texts["007"] == fill(rows[WANTED])


def test_a_zip_file_gives_the_exact_text(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    everyday_files.write_zip(root)
    lines = export(root / "study.zip", capsys)
    assert [line["messages"][-1]["content"] for line in lines] == [fill(row) for row in EMOJI]
    assert [line["record"] for line in export(upload(root), capsys)] == [row["id"] for row in EMOJI]


@pytest.mark.parametrize("way", WAYS)
def test_a_pasted_prompt_gives_the_exact_text(root: Path, capsys: pytest.CaptureFixture[str], way: str) -> None:
    for name, text in name_files(TEMPLATE, everyday_files.write_csv(EMOJI)):
        (root / name).write_text(text, "utf-8")
    lines = export(upload(root) if way == "upload" else root, capsys)
    assert [line["messages"] for line in lines] == [[{"role": "user", "content": fill(row)}] for row in EMOJI]


@pytest.mark.parametrize("way", WAYS)
def test_constants_of_python_give_the_exact_text(root: Path, capsys: pytest.CaptureFixture[str], way: str) -> None:
    everyday_files.write_python(root)
    folder = upload(root) if way == "upload" else root
    lines = export(folder, capsys)
    assert [line["messages"] for line in lines] == [[SYSTEM, {"role": "user", "content": fill(row)}] for row in EMOJI]
    computed = [one for one in workspace.open(folder).diagnostics if one.code == "dat-text-computed"]
    assert [(one.values["name"], one.place.line) for one in computed] == [("GREETING", 8)]
    assert not Path("/tmp/never").exists()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("field", ["input", "messages", "turns"])
def test_rows_of_messages_are_sent_as_they_are(
    root: Path, capsys: pytest.CaptureFixture[str], way: str, field: str
) -> None:
    rows = [{field: messages, "ideal": "x"} for messages in MESSAGES]
    (root / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    lines = export(upload(root) if way == "upload" else root, capsys)
    assert [line["messages"] for line in lines] == MESSAGES


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", TRAINING)
def test_training_rows_show_their_exact_text(root: Path, kind: str, way: str) -> None:
    TRAINING[kind](root)
    opened = workspace.open(upload(root) if way == "upload" else root)
    row = training_reader.read(open_dataset(opened.root, opened.dataset).record(WANTED).fields)
    assert row is not None
    question = row.question
    assert question is not None
    assert ASKED in question.text
    assert [turn.text for turn in row.completion][-1:] in ([EMOJI[WANTED]["note"]], [])
    assert row.system is None or row.system.text == SYSTEM["content"]
