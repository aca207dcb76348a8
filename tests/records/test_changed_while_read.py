"""Files that change, shrink or disappear while they are read, or are shaped oddly: all of a state, or a sentence."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from counts import LONG

from readback.readers.files.text_file import LONGEST
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.types import DatasetSource

RECORDS = 60_000 if LONG else 20_000
Change = Callable[[Path], object]


def body(letter: str = "x", records: int = RECORDS) -> bytes:
    return "".join(json.dumps({"id": f"r{i}", "q": letter * 100}) + "\n" for i in range(records)).encode()


def opened(path: Path, change: Change, times: int = 1) -> Dataset:
    """The dataset, of which `change` happens to the file in the middle of the first readings."""
    left = [times]
    before = [0]

    def progress(done: int, total: int) -> bool:
        if before[0] * 2 <= total < done * 2 and left[0]:
            left[0] -= 1
            change(path)
        before[0] = done
        return True

    found = open_dataset(path.parent, DatasetSource(path.name), progress)
    assert left == [0]
    return found


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "data.jsonl"
    path.write_bytes(body())
    return path


def written_over(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(body("y"))


def replaced(path: Path) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(body("z", 3))
    other.rename(path)


def appended(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b'{"id": "new", "q": "n"}\n')


def cut(path: Path) -> None:
    os.truncate(path, 110 * RECORDS // 2 + 7)


@pytest.mark.parametrize("change", [written_over, replaced, appended, cut])
def test_a_file_that_changes_while_it_is_read_is_shown_as_it_is_afterwards(path: Path, change: Change) -> None:
    data = opened(path, change)
    lines = path.read_bytes().splitlines()
    whole = lines if change is not cut else lines[:-1]
    assert [record.fields for record in data.records()] == [json.loads(line) for line in whole]
    assert data.counts.read == len(whole)
    assert data.diagnostic_counts == ({"dat-bad-line": 1} if change is cut else {})
    assert not data.written


def test_a_file_that_disappears_while_it_is_read_is_said_to_be_missing(path: Path) -> None:
    data = opened(path, Path.unlink)
    assert (len(data), data.counts.lines) == (0, 0)
    (said,) = data.diagnostics
    assert (said.code, said.values["reason"]) == ("dat-file-missing", "no such file or directory")


def test_a_file_that_never_stands_still_is_not_read_and_says_so(path: Path) -> None:
    data = opened(path, appended, 3)
    assert (len(data), data.counts.lines) == (0, 0)
    (said,) = data.diagnostics
    assert said.values["reason"].startswith("it changed while it was read, 3 times")


def test_a_packed_file_that_is_replaced_while_it_is_read_is_read_again(tmp_path: Path, path: Path) -> None:
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(body()))
    data = opened(packed, lambda file: file.write_bytes(gzip.compress(body("y", 5))))
    assert [record.fields["q"][0] for record in data.records()] == ["y"] * 5


def test_nothing_of_a_reading_that_failed_is_kept(path: Path) -> None:
    opened(path, cut)
    path.write_bytes(body("y"))
    data = open_dataset(path.parent, DatasetSource(path.name))
    assert (data.counts.read, data.record(RECORDS - 1).fields["q"]) == (RECORDS, "y" * 100)


@pytest.mark.parametrize("change", [cut, lambda path: os.truncate(path, 0)])
def test_a_record_that_is_gone_when_it_is_asked_for_says_so(path: Path, change: Change) -> None:
    data = open_dataset(path.parent, DatasetSource(path.name))
    change(path)
    with pytest.raises(DatasetChanged, match=f"record {RECORDS - 1} is no longer there"):
        data.record(RECORDS - 1)
    assert data.written


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_the_last_line_needs_no_end(path: Path, end: bytes) -> None:
    path.write_bytes(b'{"id": "a"}\n{"id": "b"}' + end)
    data = open_dataset(path.parent, DatasetSource(path.name))
    assert (data.ids(), data.counts.lines, data.counts.bad) == (("a", "b"), 2, 0)


def test_a_line_of_16_mib_is_read_and_a_longer_one_refused_in_one_sentence(path: Path) -> None:
    around = len(b'{"id": "a", "q": ""}')
    longest = b'{"id": "a", "q": "' + b"x" * (LONGEST - around) + b'"}'
    assert len(longest) == LONGEST
    path.write_bytes(longest + b"\n" + longest.replace(b'"a"', b'"aaa"') + b"\n" + b'{"id": "b"}\n')
    data = open_dataset(path.parent, DatasetSource(path.name))
    assert (data.ids(), data.counts.read, data.counts.bad) == (("a", "b"), 2, 1)
    assert len(data.record(0).fields["q"]) == LONGEST - around
    assert [(said.code, said.place.line) for said in data.diagnostics] == [("dat-too-large", 2)]
