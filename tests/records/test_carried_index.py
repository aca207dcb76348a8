"""An index that another machine made of the same bytes is the one that would be made here; whatever else is told as one
is not taken.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback.readers.files import cache_folder
from readback.records import carried_index, index_pass
from readback.records.carried_index import _pack
from readback.records.dataset import Dataset, open_dataset
from readback.types import DatasetSource

ROWS = [{"id": f"é{n}", "q": "x" * n, "more": {"deep": n}} for n in range(50)]
LINES = "".join(json.dumps(row) + "\n" for row in [*ROWS[:20], {"id": "é3"}, *ROWS[20:]]) + "no JSON\n"
SOURCE = DatasetSource("d.jsonl", id="id")

Machine = Callable[[str], Path]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Be another machine: a folder of its own with the dataset, and a cache of its own, which is used from now on."""
    monkeypatch.setattr(carried_index, "LEAST", 0)

    def on(name: str) -> Path:
        folder = tmp_path / name
        if not folder.exists():
            folder.mkdir()
            (folder / "d.jsonl").write_text(LINES, "utf-8")
        monkeypatch.setenv("READBACK_CACHE", str(folder / "cache"))
        return folder

    return on


def everything(data: Dataset) -> list[Any]:
    about = [data.file, data.format, data.counts, data.diagnostics, data.diagnostic_counts, data.fields, data.systems]
    return [*about, data.field_counts, data.id_field, data.kinds, data.digest(0, len(data)), [*data.records()]]


def carried(machine: Machine, source: DatasetSource = SOURCE) -> dict[str, str] | None:
    """What a machine that has made its index tells, after JSON."""
    there = machine("there")
    open_dataset(there, source)
    told: dict[str, str] | None = json.loads(json.dumps(carried_index.export_index(there, source)))
    return told


def test_it_is_the_index_that_would_be_made_here(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    told = carried(machine)
    assert told
    expected = everything(open_dataset(machine("third"), SOURCE))
    here = machine("here")
    wanted = carried_index.find_missing(here, SOURCE)
    assert wanted
    assert carried_index.import_index(wanted, told)
    assert carried_index.find_missing(here, SOURCE) is None
    monkeypatch.setattr(index_pass, "_fill", None)  # nobody reads the file again
    data = open_dataset(here, SOURCE)
    assert everything(data) == expected
    assert [data.find(f"é{n}") for n in (0, 3, 30)] == [0, 3, 31]
    assert cache_folder.forget(here) == 1  # it says of which file it is
    assert not [*(here / "cache/datasets").glob(".new-*")]


@pytest.mark.parametrize(
    "damaged",
    [
        {},
        {"numbers.i64": ""},
        {"numbers.i64": "no base 64"},
        {"numbers.i64": _pack(bytearray(b"12345"))},
        {"meta.json": _pack(bytearray(b"no JSON"))},
        {"meta.json": 7},
        {"meta.json": _pack(bytearray(b"[]"))},
    ],
)
def test_what_makes_no_sense_is_not_taken(damaged: Mapping[str, Any], machine: Machine) -> None:
    told = carried(machine)
    assert told
    here = machine("here")
    wanted = carried_index.find_missing(here, SOURCE)
    assert wanted
    assert not carried_index.import_index(wanted, {**told, **damaged} if damaged else {})
    assert not [*(here / "cache/datasets").glob("[!.]*"), *(here / "cache/datasets").glob(".new-*")]
    assert len(open_dataset(here, SOURCE)) == 51


def test_of_a_file_that_is_another_meanwhile_nothing_is_taken(machine: Machine) -> None:
    told = carried(machine)
    assert told
    here = machine("here")
    wanted = carried_index.find_missing(here, SOURCE)
    assert wanted
    (here / "d.jsonl").write_text('{"id": "other"}\n')
    assert not carried_index.import_index(wanted, told)
    assert open_dataset(here, SOURCE).ids() == ("other",)


def test_what_is_quickly_made_or_cannot_be_is_not_asked_for(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    here = machine("here")
    (here / "list.json").write_text("[]")
    for source in (None, DatasetSource("absent.jsonl"), DatasetSource("../d.jsonl"), DatasetSource("list.json.gz")):
        assert carried_index.find_missing(here, source) is None
        assert carried_index.export_index(here, source) is None
    assert carried_index.export_index(here, SOURCE) is None  # nobody has made it
    monkeypatch.setattr(carried_index, "LEAST", 1 << 20)
    assert carried_index.find_missing(here, SOURCE) is None
    open_dataset(here, SOURCE)
    monkeypatch.setattr(carried_index, "LARGEST", 100)
    assert carried_index.export_index(here, SOURCE) is None


def test_a_file_that_is_unpacked_to_be_read_is_read_here(machine: Machine) -> None:
    import gzip

    here = machine("here")
    (here / "d.jsonl.gz").write_bytes(gzip.compress(LINES.encode()))
    source = DatasetSource("d.jsonl.gz")
    assert carried_index.find_missing(here, source) is None
    open_dataset(here, source)
    assert carried_index.export_index(here, source) is None
