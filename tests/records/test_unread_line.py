"""A line that is no record, shown as the file has it: where it is text, with nothing private, and still there."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.quoted import Quoted
from readback.checks.run import engine
from readback.readers.files import text_file
from readback.records import unread_line as module
from readback.records.dataset import open_dataset
from readback.records.unread_line import read_unread_line
from readback.types import DatasetSource

Write = Callable[[Mapping[str, Any]], Path]
GOOD = b'{"id": "1"}\n'


@pytest.mark.parametrize(
    ("name", "content", "line", "expected"),
    [
        ("d.jsonl", GOOD + b'{"id": nul}\r\n', 2, '{"id": nul}'),
        ("d.jsonl", GOOD + b'{"id": nul}', 2, '{"id": nul}'),
        ("d.jsonl", b"\xef\xbb\xbf{x}\n" + GOOD, 1, "{x}"),
        ("d.jsonl", GOOD + b'{"a": "\xff\xfe\xc3\xa9"}\n', 2, '{"a": "\ufffd\ufffdé"}'),
        ("d.jsonl", GOOD + b"\n" + GOOD, 2, ""),
        ("d.jsonl", GOOD, 2, None),
        ("d.jsonl", GOOD + b"x" * 100 + b"\n" + GOOD, 2, None),
        ("d.csv", b'id,q\n1,"x\n2,y\n', 2, '1,"x'),
        ("d.json", b'[{"id": "1"},\n {"id": nope}]', 2, ' {"id": nope}]'),
        ("d.jsonl.gz", gzip.compress(GOOD + b"nope\n", mtime=0), 2, None),
        ("d.yaml", b"- id: 1\n- nope\n", 2, None),
        ("none.jsonl", None, 1, None),
    ],
)
def test_a_line_is_what_the_file_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes | None, line: int, expected: str | None
) -> None:
    monkeypatch.setattr(module, "LONGEST", 99)
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert read_unread_line(open_dataset(tmp_path, DatasetSource(name)), line) == expected


def test_nothing_is_shown_where_it_could_be_private_or_is_another(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(GOOD + b"nope\n")
    source = DatasetSource("d.jsonl")
    assert read_unread_line(open_dataset(tmp_path, replace(source, private=("q",))), 2) is None
    data = open_dataset(tmp_path, source)
    assert read_unread_line(data, 2) == "nope"
    path.write_bytes(GOOD + b"none\n")
    assert read_unread_line(data, 2) is None
    path.unlink()
    assert read_unread_line(data, 2) is None


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"id": "2", "q": nul}', [('{"id": "2", "q": nul}', ((17, 18),), 0)]),
        (b'{"id": "2"', [('{"id": "2"', ((9, 10),), 0)]),  # what is missing is behind the last letter
        (b'{"q": "' + b"a" * 200 + b'", "x": tru}', [("a" * 82 + '", "x": tru}', ((90, 91),), 125)]),
        (b'{"id": "\x81"}', [('{"id": "\ufffd"}', ((8, 9),), 0)]),
    ],
)
def test_a_finding_about_a_line_points_at_its_letter(
    write: Write, content: bytes, expected: list[tuple[str, tuple[tuple[int, int], ...], int]]
) -> None:
    root = write({"d.jsonl": ""})
    (root / "d.jsonl").write_bytes(GOOD + content + b"\n")
    opened = workspace.open(root / "d.jsonl")
    quoted = Quoted(opened, open_dataset(opened.root, opened.dataset))
    found = [one for one in engine.check(opened).findings if one.place.line == 2]
    parts = [part for one in found if (part := quoted.excerpt(one))]
    assert [(part.text, part.marks, part.before) for part in parts] == expected
    assert {part.label for part in parts} == {"line 2, as the file has it"}


def test_of_a_line_without_a_column_the_beginning_is_shown(write: Write) -> None:
    root = write({"d.csv": 'id,q\n1,"' + "x" * 300 + "\n"})
    opened = workspace.open(root / "d.csv")
    (one,) = (one for one in engine.check(opened).findings if one.code == "dat-bad-line")
    part = Quoted(opened, open_dataset(opened.root, opened.dataset)).excerpt(one, 10)
    assert part is not None
    assert (part.text, part.marks, part.after) == ('1,"' + "x" * 17, (), 283)


def test_a_line_is_never_longer_than_records_may_be() -> None:
    assert module.LONGEST == text_file.LONGEST
