"""The files of everybody, by folder and by upload: the right record's exact text is reached without help."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import everyday_files
import pytest
from everyday_files import EMOJI, ROWS, TABLES, TEMPLATE, WANTED, fill

from readback import cli
from readback.ui.common.uploads import store

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
