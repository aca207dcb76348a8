"""What is kept on disk between runs may be damaged; what is read from it is then made again and never wrong."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from counts import many

from readback import workspace
from readback.checks.run import engine
from readback.prompts import training_rows
from readback.readers.files import cache_folder
from readback.records.dataset import Dataset, open_dataset
from readback.types import DatasetSource

Write = Callable[[dict[str, Any]], Path]
ROWS = [{"id": f"r{n}", "q": f"question {n}", "context": ["one", "two"][: n % 3]} for n in range(12)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
FILES = {
    "d.jsonl": LINES + "not JSON\n\n",
    "d.jsonl.gz": gzip.compress(LINES.encode()),
    "d.csv": "id,q\n" + "".join(f"r{n},question {n}\n" for n in range(12)),
}


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of this test's own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("READBACK_CACHE", str(folder))
    return folder


def told(data: Dataset) -> list[Any]:
    """All that is known of a dataset: its records, where they stand, what is said of it."""
    records = [(one.id, dict(one.fields), one.place) for one in data.records()]
    return [
        records,
        [data.find(one[0] or "") for one in records],
        data.counts,
        data.diagnostics,
        data.fields,
        data.id_field,
    ]


def test_c4_a_zeroed_file_of_ids_names_no_record(write: Write, kept: Path) -> None:
    folder = write(FILES)
    sound = told(open_dataset(folder, DatasetSource("d.jsonl")))
    for ids in kept.rglob("ids.bin"):
        ids.write_bytes(bytes(ids.stat().st_size))
    assert told(open_dataset(folder, DatasetSource("d.jsonl"))) == sound


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_c4_mutated_index_files_give_no_wrong_record(name: str, write: Write, kept: Path) -> None:
    folder = write(FILES)
    sound = told(open_dataset(folder, DatasetSource(name)))
    chance = random.Random(4)
    for _ in range(many(5000 // len(FILES))):
        parts = [path for path in cache_folder.cache_folder().glob("*-*/*") if path.is_file()]
        _mutate(chance.choice(sorted(parts)), chance)
        assert told(open_dataset(folder, DatasetSource(name))) == sound


def test_c4_damaged_indexes_of_training_rows_and_logs_are_made_again(write: Write, kept: Path) -> None:
    folder = write(
        {
            "readback.yml": (
                "dataset: {path: d.jsonl, fields: {question: q}}\n"
                "modes: [{mode: short, system: Be brief., template: '{{ q }}'}]\n"
                "models: {m: {training: {messages: train.jsonl}}}\n"
                "conditions: [{name: a, mode: short, model: m}]\nsent: [log.jsonl]\n"
            ),
            "d.jsonl": ROWS,
            "train.jsonl": [{"prompt": row["q"], "completion": f"answer {row['id']}"} for row in ROWS],
            "log.jsonl": [
                {"record": row["id"], "messages": [{"role": "system", "content": "Be brief."},
                                                   {"role": "user", "content": row["q"]}]}
                for row in ROWS
            ],
        }
    )  # fmt: skip
    sound = [*_found(folder)]
    chance = random.Random(5)
    for _ in range(6):
        for path in sorted(path for kind in ("trained", "observed") for path in (kept / kind).iterdir()):
            _mutate(path, chance)
        training_rows._load_index.cache_clear()
        training_rows._open_file.cache_clear()
        assert [*_found(folder)] == sound


def test_lines_of_a_log_lie_on_disk_once_and_are_decoded_again_where_they_are_damaged(write: Write, kept: Path) -> None:
    rows = [{"custom_id": row["id"], "body": {"model": "m", "messages": [{"role": "user", "content": row["q"]}]}}
            for row in ROWS]  # fmt: skip
    folder = write({"batch.jsonl": "".join(json.dumps(row | {"url": "/v1/chat/completions"}) + "\n" for row in rows)})
    source = DatasetSource("batch.jsonl", format="log calls", id="key")
    sound = told(open_dataset(folder, source))
    assert len(sound[0]) == len(ROWS)
    chance = random.Random(6)
    for _ in range(12):
        (lines,) = kept.rglob("calls.jsonl")
        (spool,) = kept.rglob("spool")
        assert spool.samefile(lines)
        _mutate(chance.choice([lines, lines.with_name("facts")]), chance)
        assert told(open_dataset(folder, source)) == sound


def _found(folder: Path) -> Iterator[Any]:
    """The findings of a check, how many requests were equal, and the training row of each record."""
    audit = engine.check(workspace.open(folder))
    yield [one.key for one in audit.findings]
    yield [row.observed for row in audit.conditions]
    opened = workspace.open(folder)
    for record in open_dataset(opened.root, opened.dataset).records():
        row = training_rows.find_row(opened, record, "train.jsonl")
        yield row and row[0].place


def _mutate(path: Path, chance: random.Random) -> None:
    """Damage a file as disks and interrupted writes do."""
    content = bytearray(path.read_bytes())
    at = chance.randrange(len(content) + 1)
    match chance.randrange(6):
        case 0:
            content[at : at + 1] = bytes([(content[at] ^ (1 << chance.randrange(8))) if at < len(content) else 0])
        case 1:
            content[at : at + 64] = bytes(len(content[at : at + 64]))
        case 2:
            del content[at:]
        case 3:
            content[at:at] = chance.randbytes(chance.randrange(1, 40))
        case 4:
            content = bytearray(chance.randbytes(len(content)))
        case _:
            content = bytearray(len(content))
    path.write_bytes(content)
