"""A file of two encodings is one finding, which counts its lines and bytes, in every format of lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.records.dataset import open_dataset

Write = Callable[[Mapping[str, Any]], Path]


@pytest.mark.parametrize(
    ("name", "data", "line", "count", "lines", "read"),
    [
        ("d.csv", b"id,question\n1,\xc3\xa9\n2,caf\xe9\n3,d\xe9j\xe0 vu\n", 3, 3, 2, 1),
        ("d.csv", b"id,question\n1,caf\xe9\n2,\xc3\xa9\n", 2, 1, "", 1),
        ("d.jsonl", b'{"id": "1", "question": "\xfcber"}\n' * 3 + b'{"id": "2", "question": "\xc3\xa9"}\n', 1, 3, 3, 1),
        ("d.tsv", b"id\tquestion\n1\t\xc3\xa9\n" + b"2\t\x93so\x94\n" * 2_000, 3, 4_000, 2_000, 1),
        ("d.csv", b"id,question \xc3\xa9\n1,na\xefve\n2,caf\xe9\n", 2, 2, 2, 0),
    ],
)
def test_a_file_of_two_encodings_is_one_finding(
    write: Write, name: str, data: bytes, line: int, count: int, lines: int | str, read: int
) -> None:
    opened = workspace.open(write({name: data, "p.txt": "{question}"}))
    assert opened.dataset is not None
    records = open_dataset(opened.root, opened.dataset)
    (finding,) = [one for one in records.diagnostics if one.code == "dat-encoding"]
    assert finding.place.line == line
    assert {key: finding.values[key] for key in ("count", "lines", "looks")} == {
        "count": count,
        "lines": lines,
        "looks": "Windows-1252",
    }
    assert len(records) == read
    assert "dat-many-faults" not in [one.code for one in records.diagnostics]
