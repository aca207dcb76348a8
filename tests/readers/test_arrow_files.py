"""Arrow files and saved datasets: every row of every file is read, and what lies about its length is a finding."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from counts import many
from everyday_files import write_arrow_folder
from pyarrow import ipc

from readback import workspace
from readback.records.dataset import Dataset, open_dataset
from readback.types import DatasetSource

ROWS = [{"id": f"r{n}", "q": f"  é {n}\n", "contexts": [{"text": str(n)}], "n": n} for n in range(40)]


def open_file(path: Path) -> Dataset:
    return open_dataset(path.parent, DatasetSource(path.name))


def read_rows(data: Dataset) -> list[dict[str, Any]]:
    return [dict(record.fields) for record in data.records()]


def write(path: Path, kind: str, batch: int = 10) -> Path:
    table = pa.Table.from_pylist(ROWS)
    with (ipc.new_file if kind == "file" else ipc.new_stream)(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=batch)
    return path


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_files_and_streams_are_read(tmp_path: Path, kind: str) -> None:
    data = open_file(write(tmp_path / "d.arrow", kind))
    assert read_rows(data) == ROWS
    assert data.format == "arrow"


def test_a_saved_dataset_is_one_dataset_of_all_its_files(tmp_path: Path) -> None:
    write_arrow_folder(tmp_path / "saved", ROWS, shards=3)
    opened = workspace.open(tmp_path)
    assert opened.dataset is not None
    assert opened.dataset.path == "saved/state.json"
    assert read_rows(open_dataset(tmp_path, opened.dataset)) == ROWS
    used = {file.path: file.used for file in opened.recognised}
    assert set(used) == {f"saved/{path.name}" for path in (tmp_path / "saved").iterdir()}
    assert all(used.values())


def test_the_splits_of_a_dictionary_are_datasets_to_choose_from(tmp_path: Path) -> None:
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train", "test"]}', "utf-8")
    write_arrow_folder(tmp_path / "train", ROWS)
    write_arrow_folder(tmp_path / "test", ROWS[:5])
    opened = workspace.open(tmp_path)
    assert opened.alternatives["dataset"] == ("test/state.json", "train/state.json")
    chosen = workspace.open(tmp_path, chosen={"dataset": "train/state.json"})
    assert len(open_dataset(tmp_path, chosen.dataset)) == 40


def test_a_file_that_changes_is_read_anew(tmp_path: Path) -> None:
    write_arrow_folder(tmp_path, ROWS, shards=1)
    assert len(open_file(tmp_path / "state.json")) == 40
    table = pa.Table.from_pylist(ROWS[:3])
    with ipc.new_stream(tmp_path / "data-00000-of-00001.arrow", table.schema) as writer:
        writer.write_table(table)
    assert len(open_file(tmp_path / "state.json")) == 3


@pytest.mark.parametrize(
    ("name", "code"),
    [("../outside.arrow", "dat-path-outside"), ("/etc/passwd", "dat-path-outside"), ("gone.arrow", "dat-file-missing")],
)
def test_a_file_that_is_not_beside_it_is_a_finding(tmp_path: Path, name: str, code: str) -> None:
    folder = tmp_path / "saved"
    write_arrow_folder(folder, ROWS, shards=1)
    write(tmp_path / "outside.arrow", "stream")
    state = json.loads((folder / "state.json").read_text("utf-8"))
    state["_data_files"].append({"filename": name})
    (folder / "state.json").write_text(json.dumps(state), "utf-8")
    data = open_file(folder / "state.json")
    assert len(data) == 40
    assert code in [one.code for one in data.diagnostics]


@pytest.mark.parametrize("files", [None, 3, [3], [{"filename": None}], [{}], "x"])
def test_a_list_of_files_that_is_none_is_a_finding(tmp_path: Path, files: Any) -> None:
    (tmp_path / "state.json").write_text(json.dumps({"_data_files": files, "_fingerprint": "x"}), "utf-8")
    data = open_file(tmp_path / "state.json")
    assert len(data) == 0
    assert data.diagnostics


@pytest.mark.parametrize("length", [0x7FFFFFFF, -1, 0x10000000])
@pytest.mark.parametrize("kind", ["file", "stream"])
def test_a_length_that_lies_is_a_finding(tmp_path: Path, kind: str, length: int) -> None:
    path = write(tmp_path / "d.arrow", kind)
    content = bytearray(path.read_bytes())
    marks = [at for at in range(0, len(content) - 8, 8) if content[at : at + 4] == b"\xff\xff\xff\xff"]
    struct.pack_into("<i", content, marks[2] + 4, length)  # the second batch
    path.write_bytes(content)
    data = open_file(path)
    rows = read_rows(data)
    assert rows[:10] == ROWS[:10]
    assert all(row in ROWS for row in rows)
    assert data.diagnostics


def test_a_file_that_ends_early_keeps_what_came_before(tmp_path: Path) -> None:
    path = write(tmp_path / "d.arrow", "stream")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])
    data = open_file(path)
    assert 10 <= len(data) < 40
    assert read_rows(data) == ROWS[: len(data)]
    assert [one.code for one in data.diagnostics] == ["dat-bad-line"]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(many(2_000)))
def test_a_damaged_arrow_file_is_read_or_refused_and_counts_reconcile(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    path = write(tmp_path / "d.arrow", draw.choice(("file", "stream")))
    content = bytearray(path.read_bytes())
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(content))
        if draw.random() < 0.7:
            content[at] = draw.randrange(256)
        else:
            del content[at : at + draw.randint(1, 60)]
    path.write_bytes(content)
    data = open_file(path)
    assert data.counts.read + data.counts.bad == data.counts.lines
    assert len(data) >= 40 or data.diagnostics
