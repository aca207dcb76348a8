"""Damaged Parquet files: what is read of them is what was written, and what is lost is counted and told."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from counts import many
from pyarrow import parquet

from readback.records.dataset import Dataset, open_dataset
from readback.types import DatasetSource

ROWS = [{"id": f"r{n}", "q": f"question {n}", "n": n, "f": n / 7, "list": [{"a": n}]} for n in range(40)]
KINDS = [
    {"compression": packed, "data_page_version": version, "use_dictionary": table}
    for packed in ("none", "snappy", "zstd", "gzip")
    for version in ("1.0", "2.0")
    for table in (True, False)
]


def written(**kind: Any) -> bytes:
    out = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(ROWS), out, write_page_checksum=True, row_group_size=10, **kind)
    return out.getvalue()


def opened(folder: Path, content: bytes) -> Dataset:
    (folder / "d.parquet").write_bytes(content)
    return open_dataset(folder, DatasetSource("d.parquet"))


def test_c5_a_page_that_is_not_what_was_written_is_told_and_other_groups_are_read(tmp_path: Path) -> None:
    content = written(compression="none", use_dictionary=False).replace(b"question 13", b"quastion 13")
    data = opened(tmp_path, content)
    assert [one.fields["id"] for one in data.records()] == [f"r{n}" for n in range(40) if n // 10 != 1]
    assert [one.place.line for one in data.records()][9:12] == [10, 21, 22]
    assert (data.counts.read, data.counts.bad, data.counts.lines) == (30, 10, 40)
    assert [(diagnostic.code, diagnostic.place.line) for diagnostic in data.diagnostics] == [("dat-bad-line", 11)]
    assert "rows 11 to 20 are lost: " in str(data.diagnostics[0].values["reason"])
    assert "CRC" in str(data.diagnostics[0].values["reason"])


def test_c5_a_file_without_checksums_is_read_as_it_is(tmp_path: Path) -> None:
    out = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(ROWS), out, compression="none", use_dictionary=False)
    data = opened(tmp_path, out.getvalue().replace(b"question 13", b"quastion 13"))
    assert [one.fields["q"] for one in data.records(12, 15)] == ["question 12", "quastion 13", "question 14"]
    assert data.diagnostics == ()


@pytest.mark.parametrize("mine", [b"n", b"q"])
def test_c5_columns_with_two_names_are_not_guessed(tmp_path: Path, mine: bytes) -> None:
    content = written(compression="none", use_dictionary=False)
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    at = content.index(b"\x01" + mine, footer) + 1  # Thrift: the length of the name, and the name
    data = opened(tmp_path, content[:at] + b"z" + content[at + 1 :])
    assert [diagnostic.code for diagnostic in data.diagnostics] == ["dat-bad-line"]
    assert len(data) == 0


@pytest.mark.long
def test_c5_mutated_files_give_no_wrong_record(tmp_path: Path) -> None:
    sound = {str(n + 1): row for n, row in enumerate(json.loads(json.dumps(ROWS)))}
    chance, files = random.Random(6), [written(**kind) for kind in KINDS]
    told: dict[str, int] = dict.fromkeys(("whole", "with a finding", "stopped"), 0)
    for said in _answers(tmp_path, [_mutated(chance.choice(files), chance) for _ in range(many(2000))]):
        if said is None:  # the child that decodes would have ended: `dat-limit`
            told["stopped"] += 1
            continue
        assert {line: row for line, row in said["rows"].items() if sound.get(line) != row} == {}
        counts = said["counts"]
        assert (counts["read"], counts["read"] + counts["bad"]) == (len(said["rows"]), counts["lines"])
        assert said["notes"] or counts["read"] == 40
        told["with a finding" if said["notes"] else "whole"] += 1
    assert sum(told.values()) == many(2000)
    assert told["with a finding"] >= many(2000) / 2
    print(told)


def _answers(folder: Path, contents: list[bytes]) -> Iterator[dict[str, Any] | None]:
    """What `opened_datasets.py` says of each file; None where it died of one."""
    paths = [folder / f"{n}.parquet" for n in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    while paths:
        asked = "".join(f"{path}\n" for path in paths)
        program = [sys.executable, str(Path(__file__).parents[1] / "support" / "opened_datasets.py")]
        done = subprocess.run(program, input=asked, capture_output=True, text=True)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        yield from answers
        if len(answers) < len(paths):
            assert done.returncode < 0, done.stderr  # a signal, and no traceback of ours
            yield None
        paths = paths[len(answers) + 1 :]


def _mutated(content: bytes, chance: random.Random) -> bytes:
    made = bytearray(content)
    at = chance.randrange(len(made))
    match chance.randrange(5):
        case 0:
            made[at] ^= 1 << chance.randrange(8)
        case 1:
            made[at] = chance.randrange(256)
        case 2:
            made[at : at + 16] = bytes(len(made[at : at + 16]))
        case 3:
            made[at:at] = chance.randbytes(chance.randrange(1, 5))
        case _:
            del made[at : at + chance.randrange(1, 5)]
    return bytes(made)
