"""A small packed file takes neither the disk nor the memory: what comes out is bounded, and so are children at once."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from readback import workspace
from readback.prompts import children
from readback.readers.files.decoding import BUDGET, LEAST, RATIO, budget_of, unpack
from readback.readers.files.row import Row
from readback.records import raw_rows
from readback.records.dataset import open_dataset
from readback.types import Diagnostic

MEMORY = 700  # MiB of a check with its children: the parent, one child that looks at records, and what starts it


def pack(path: Path, count: int, size: int) -> None:
    """Write so many records of that size."""
    with gzip.open(path, "wb", 9) as out:
        for number in range(count):
            out.write(json.dumps({"id": str(number), "question": "x " * (size // 2)}).encode() + b"\n")


@pytest.mark.parametrize(
    ("size", "budget"), [(0, LEAST), (150 << 10, LEAST), (1 << 20, RATIO << 20), (1 << 30, BUDGET), (20 << 30, BUDGET)]
)
def test_what_may_come_out_of_a_file_depends_on_its_size(size: int, budget: int) -> None:
    assert budget_of(size) == budget


def test_a_small_file_that_swells_ends_at_its_bound_and_what_came_out_is_read(tmp_path: Path) -> None:
    pack(tmp_path / "rows.jsonl.gz", 40, 4 << 20)
    assert (tmp_path / "rows.jsonl.gz").stat().st_size < 300 << 10
    opened = workspace.open(tmp_path)
    data = open_dataset(opened.root, opened.dataset)
    assert len(data) == LEAST // (4 << 20) - 1
    (limit,) = [one for one in data.diagnostics if one.code == "dat-limit"]
    assert limit.place.file == "rows.jsonl.gz"
    assert data.longest > 4 << 20
    assert children.count_children(data) == 1


def test_over_short_records_every_core_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(tmp_path / "rows.jsonl.gz", 40, 1_000)
    opened = workspace.open(tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 7)
    assert children.count_children(open_dataset(opened.root, opened.dataset)) == 7


def test_who_looks_at_the_first_rows_unpacks_no_more_and_says_nothing_of_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl.gz"
    pack(path, 40, 4 << 20)
    written: list[int] = []

    def counted(path: Path, out: object, file: str, budget: int | None = None) -> object:
        for frame in unpack(path, out, file, budget):  # type: ignore[arg-type]
            written.append(out.tell())  # type: ignore[attr-defined]
            yield frame

    monkeypatch.setattr(raw_rows, "unpack", counted)
    rows = list(raw_rows.read_raw_rows(path, path.name, enough=3))
    assert max(written) <= raw_rows.BEGINNING
    assert sum(isinstance(row, Row) for row in rows) >= 3
    assert not [one for one in rows if isinstance(one, Diagnostic) and one.code == "dat-limit"]


def measure_tree(pid: int) -> int:
    """MiB of a process and all below it, what they share counted once."""
    total = 0
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) >> 10
        for task in Path(f"/proc/{pid}/task").iterdir():
            children = (task / "children").read_text().split()
            total += sum(measure_tree(int(child)) for child in children)
    except OSError:  # it has ended meanwhile
        return total
    return total


@pytest.mark.slow
def test_a_check_of_150_kib_of_gzip_stays_small_with_all_its_children(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    pack(root / "rows.jsonl.gz", 20, 7 << 20)
    assert (root / "rows.jsonl.gz").stat().st_size < 160 << 10
    (root / "prompt.txt").write_text("Answer {question}.", "utf-8")
    command = [sys.executable, "-m", "readback.cli", "check", str(root)]
    env = {**os.environ, "READBACK_CACHE": str(tmp_path / "cache")}
    child = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    most = 0
    while child.poll() is None:
        most = max(most, measure_tree(child.pid))
        time.sleep(0.05)
    assert child.stdout is not None
    out = child.stdout.read().decode()
    child.stdout.close()
    assert 50 < most < MEMORY
    assert "dat-limit" in out
    assert "records read" in out
