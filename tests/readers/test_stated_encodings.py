"""A dataset in another encoding is read where somebody states which: by command, page, notebook and workspace file."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from looking import page, words

from readback import cli, workspace
from readback.checks.run import engine
from readback.notebook import open_workspace
from readback.readers.files.decoding import CHUNK, ENCODINGS, decode_head, make_decoding_step
from readback.records.dataset import Dataset, open_dataset
from readback.types import Diagnostic

Write = Callable[[Mapping[str, Any]], Path]
CSV = "id,question\n1,Où est le café à 5 €?\n2,“Plain”…\n3,ok\n"
QUESTIONS = ["Où est le café à 5 €?", "“Plain”…", "ok"]
PROMPT = {"prompt.txt": "Answer {question}."}


def read(root: Path, **chosen: str) -> Dataset:
    opened = workspace.open(root, chosen=chosen)
    return open_dataset(opened.root, opened.dataset)


def questions(data: Dataset) -> list[str]:
    return [record.fields["question"] for record in data.records()]


ROWS = "".join(json.dumps({"id": str(n), "question": q}, ensure_ascii=False) + "\n" for n, q in enumerate(QUESTIONS))


@pytest.mark.parametrize(
    ("name", "content", "encoding"),
    [
        ("d.csv", CSV.encode("cp1252"), "windows-1252"),
        ("d.csv", CSV.replace("\n", "\r\n").encode("utf-16"), "utf-16"),
        ("d.tsv", CSV.replace(",", "\t").encode("utf-16-le"), "utf-16"),
        ("d.tsv", CSV.replace(",", "\t").encode("utf-16-be"), "utf-16"),
        ("d.csv", b"\xfe\xff" + CSV.encode("utf-16-be"), "utf-16"),
        ("d.jsonl", ROWS.encode("cp1252"), "windows-1252"),
        ("d.jsonl", ROWS.encode("utf-16"), "utf-16"),
        ("d.json", json.dumps(list(map(json.loads, ROWS.splitlines())), ensure_ascii=False).encode("utf-16"), "utf-16"),
        ("d.csv.gz", gzip.compress(CSV.encode("cp1252"), mtime=0), "windows-1252"),
        ("d.csv", CSV.encode("iso8859-15", "replace").replace(b"?", b"\xa4", 0), "iso-8859-15"),
    ],
)
def test_a_stated_encoding_is_read_in_every_format(write: Write, name: str, content: bytes, encoding: str) -> None:
    root = write({name: content, "readback.yml": {"dataset": {"path": name, "encoding": encoding}, **MODES}})
    data = read(root)
    expected = [text.encode("iso8859-15", "replace").decode("iso8859-15") for text in QUESTIONS]
    assert questions(data) == (expected if encoding == "iso-8859-15" else QUESTIONS)
    assert not [one for one in data.diagnostics if one.severity == "error" or one.code == "dat-encoding"]
    counts = data.counts
    assert counts.read + counts.bad + counts.blank + counts.header + counts.continued == counts.lines
    assert data.format.endswith(f" in {encoding}")


MODES = {"modes": [{"mode": "m", "template": "{{ question }}"}]}


@pytest.mark.parametrize("encoding", sorted(ENCODINGS.keys() - {"utf-8", "utf-16"}))
@given(text=st.text(st.characters(codec="iso8859-1", exclude_characters="\r"), max_size=40))
def test_what_is_written_in_an_encoding_comes_back(tmp_path: Path, encoding: str, text: str) -> None:
    raw = text.encode(ENCODINGS[encoding], "ignore")
    path = tmp_path / "f"
    path.write_bytes(raw)
    out = io.BytesIO()
    assert not [one for one in make_decoding_step(encoding)(path, out, "f") if isinstance(one, Diagnostic)]
    assert out.getvalue().decode("utf-8") == raw.decode(ENCODINGS[encoding])
    assert decode_head(raw, encoding) == out.getvalue()


@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_utf_16_comes_back_also_over_the_edge_of_a_piece(tmp_path: Path, text: str) -> None:
    path, out = tmp_path / "f", io.BytesIO()
    whole = "x" * (CHUNK // 2 - 2) + "\U0001f600" + text
    path.write_bytes(whole.encode("utf-16"))
    assert not [one for one in make_decoding_step("utf-16")(path, out, "f") if isinstance(one, Diagnostic)]
    assert out.getvalue().decode("utf-8") == whole


@pytest.mark.parametrize(
    ("content", "encoding", "code", "line", "read_ids"),
    [
        # 0x81 stands for nothing in Windows-1252: that line is refused, the others are read
        (b"id,question\n1,caf\xe9\n2,a\x81b\n3,ok\n", "windows-1252", "dat-encoding", 3, ["1", "3"]),
        # half a surrogate pair
        ("id,question\n1,caf\xe9\n2,".encode("utf-16") + b"\x3d\xd8\n\x00" + "3,ok\n".encode("utf-16-le"),
         "utf-16", "dat-encoding", 3, ["1", "3"]),
        ("id,question\n1,caf\xe9\n".encode("utf-16") + b"2", "utf-16", "dat-bad-line", None, ["1"]),
        (b"id,question\n1,ok\n", "utf-16", "dat-bad-line", 1, []),
        ("id,question\n1,ok\n".encode("utf-16"), "windows-1252", "dat-bad-line", 1, []),
        (b"\xef\xbb\xbfid,question\n1,ok\n", "windows-1252", "dat-bad-line", 1, []),
    ],
)  # fmt: skip
def test_what_is_not_in_the_stated_encoding_is_a_finding_with_its_line_and_the_rest_is_read(
    write: Write, content: bytes, encoding: str, code: str, line: int | None, read_ids: list[str]
) -> None:
    root = write({"d.csv": content, "readback.yml": {"dataset": {"path": "d.csv", "encoding": encoding}, **MODES}})
    data = read(root)
    assert [record.id for record in data.records()] == read_ids
    assert (code, line) in [(one.code, one.place.line) for one in data.diagnostics]


@pytest.mark.parametrize(("coding", "encoding"), [("cp1252", "windows-1252"), ("utf-16", "utf-16")])
def test_command_page_and_notebook_name_the_statement_and_read_by_it(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, coding: str, encoding: str
) -> None:
    root = write({"d.csv": CSV.encode(coding), **PROMPT})
    (finding,) = [one for one in engine.check(workspace.open(root)).findings if one.code == "dat-encoding-guessed"]
    assert f"--encoding {encoding}" in finding.fix
    assert cli.main(["check", str(root)]) == 0
    assert "dat-encoding-guessed: the file is not UTF-8" in capsys.readouterr().out
    # the command
    assert cli.main(["check", str(root), "--encoding", encoding]) == 0
    out = capsys.readouterr().out
    assert "3 records read; 0 of 4 lines could not be read" in out
    assert "dat-encoding" not in out
    # the notebook
    study = open_workspace(root, encoding=encoding)
    assert [record.fields["question"] for record in study.records] == QUESTIONS
    assert study.assemble().text("user") == f"Answer {QUESTIONS[0]}."
    with pytest.raises(ValueError, match="no encoding 'ebcdic'"):
        open_workspace(root, encoding="ebcdic")
    # the page, by a click
    monkeypatch.setenv("READBACK_WORKSPACE", str(root))
    test = page("open")
    assert "is not UTF-8 and is read as" in words(test)
    test.button(key="encoding").click().run()
    assert test.query_params["encoding"] in (encoding, [encoding])
    assert "You chose to read d.csv as" in words(test)
    assert "3 records" in words(test)
    test.button(key="utf8").click().run()
    assert "encoding" not in test.query_params
    # what init writes down opens so by itself
    assert cli.main(["init", str(root), "--encoding", encoding]) == 0
    assert f"encoding: {encoding}" in (root / "readback.yml").read_text("utf-8")
    assert questions(read(root)) == QUESTIONS


def test_an_unknown_encoding_in_the_workspace_file_is_a_finding_with_its_line(write: Write) -> None:
    root = write({"d.csv": CSV, "readback.yml": "dataset:\n  path: d.csv\n  encoding: windows-1525\n"})
    (diagnostic,) = [one for one in workspace.open(root).diagnostics if one.severity != "info" and one.place.line == 3]
    assert "did you mean 'windows-1252'?" in str(diagnostic.values)


def test_an_address_with_an_encoding_that_there_is_not_changes_nothing(write: Write) -> None:
    root = write({"d.csv": CSV, **PROMPT})
    assert questions(read(root, encoding="../../x")) == QUESTIONS


def test_an_unread_encoding_of_another_file_than_the_dataset_names_no_statement(write: Write) -> None:
    root = write(
        {
            "d.csv": CSV,
            "readback.yml": {"dataset": "d.csv", "prompts": ["p.txt"]},
            "p.txt": "Est-ce un café ?".encode("cp1252"),
        }
    )
    (finding,) = [one for one in engine.check(workspace.open(root)).findings if one.code == "dat-encoding"]
    assert "--encoding" not in finding.fix
    assert "Windows-1252" in finding.fix
