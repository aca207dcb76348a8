"""A file that has grown is read on from where it ended; what comes out is what a reading from its first byte gives."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from counts import many

from readback import workspace
from readback.checks import engine
from readback.readers import cache_folder
from readback.records import dataset_index, index_pass, reading_state
from readback.records.dataset import Dataset, open_dataset
from readback.types import DatasetSource

Write = Callable[[dict[str, Any]], Path]
SOURCES = (
    DatasetSource("d.jsonl"),
    DatasetSource("d.jsonl"),
    DatasetSource("d.jsonl", id="key"),
    DatasetSource("d.jsonl", fields={"question": "q"}, private=("secret",)),
)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_state, "LEAST", 1)
    monkeypatch.setattr(reading_state, "PART", 200)


@pytest.fixture
def read_on(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The byte from which each reading went on that went on."""
    begun: list[int] = []
    resume = index_pass._Reading.resume

    def remembered(reading: Any, before: reading_state.Earlier) -> None:
        resume(reading, before)
        begun.append(before.mark.end)

    monkeypatch.setattr(index_pass._Reading, "resume", remembered)
    return begun


def row(chance: random.Random) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name in ("id", "qid", "key"):
        if chance.random() < 0.6:
            made[name] = chance.choice(["a", "b", "c", 7, 1.0, "line_3", "\u200bx", "", None, f"r{chance.random()}"])
    made["q"] = chance.choice(["why", "é" * chance.randrange(9), {"deep": {"er": [1]}}, ["x"]])
    if chance.random() < 0.3:
        made |= {
            "messages": [{"role": "system", "content": f"s{chance.randrange(3)}"}, {"role": "user", "content": "u"}]
        }
    if chance.random() < 0.2:
        made |= {"prompt": "p", "chosen": "long", "rejected": "r"}
    if chance.random() < 0.1:
        made |= {f"name {chance.randrange(99)}\u200b": 1, "secret": 2, "condition": chance.choice("xy")}
    return made


def line(chance: random.Random) -> bytes:
    end = b"\r\n" if chance.random() < 0.1 else b"\n"
    text = json.dumps(row(chance), ensure_ascii=chance.random() < 0.5).encode()
    odd: Callable[[], bytes] = chance.choice(
        [
            lambda: b"",
            lambda: b"# remark",
            lambda: b"// " + text,
            lambda: text[: chance.randrange(len(text))],
            lambda: json.dumps(row(chance), indent=chance.randrange(3)).encode(),
            lambda: json.dumps(row(chance), indent=2).encode() + text,
            lambda: b'{"id": [' + b"\n" * chance.randrange(3),
            lambda: b'{"id": "a",',
            lambda: b'[1, {"id": 2}]',
            lambda: b'{"id": NaN, "id": 1e999}',
            lambda: b"\xff\xfe" + text,
            lambda: b'{"id": "\\ud800", "q": "\\u0022"}',
        ]
    )
    return (text if chance.random() < 0.8 else odd()) + end


def content(chance: random.Random) -> bytes:
    head = chance.choice([b"", b"", b"", b"\xef\xbb\xbf", b"# remark\n", b"\xff\xfe", b"[1]\n2\n"])
    return head + b"".join(line(chance) for _ in range(chance.randrange(1, 40)))


def stages(chance: random.Random) -> Iterator[bytes]:
    """A file as it is first and after each change: mostly grown by a few bytes or lines."""
    whole = content(chance)
    at = chance.randrange(len(whole))
    yield whole[:at]
    for _ in range(4):
        change = chance.random()
        if change < 0.1:  # shorter
            at = chance.randrange(at + 1)
        elif change < 0.2 and at:  # a byte in what was read
            where = chance.randrange(at)
            whole = whole[:where] + b"x" + whole[where + 1 :]
        elif change < 0.25:  # another file
            whole = content(chance)
            at = chance.randrange(len(whole))
        if chance.random() < 0.5:
            whole += line(chance)
        at = min(len(whole), chance.randrange(at, at + chance.choice([2, 50, 2_000])))
        if chance.random() < 0.5:  # up to the end of a line
            at = whole.find(b"\n", at) + 1 or len(whole)
        yield whole[:at]


def held(folder: Path) -> dict[str, bytes]:
    """What is kept of the one file that was read."""
    (about,) = folder.glob("datasets/*/about.json")
    return {path.name: path.read_bytes() for path in about.parent.iterdir()}


def test_the_index_of_a_file_that_grew_is_the_one_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_on: list[int]
) -> None:
    chance = random.Random(17)
    cases = many(120, 8)
    for case in range(cases):
        source = chance.choice(SOURCES)
        for stage, now in enumerate(stages(chance)):
            (tmp_path / "d.jsonl").write_bytes(now)
            monkeypatch.setenv("READBACK_CACHE", str(tmp_path / f"grown-{case}"))
            open_dataset(tmp_path, source)
            monkeypatch.setenv("READBACK_CACHE", str(tmp_path / f"anew-{case}-{stage}"))
            open_dataset(tmp_path, source)
            if now:
                assert held(tmp_path / f"grown-{case}") == held(tmp_path / f"anew-{case}-{stage}"), (case, stage, now)
    assert len(read_on) > cases
    assert max(read_on) > 1_000


def test_the_table_of_ids_is_gone_on_with_where_each_was_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[bool] = []
    begins = dataset_index.Index.begins

    def remembered(before: dataset_index.Index, names: dataset_index.Names) -> bool:
        begun.append(begins(before, names))
        return begun[-1]

    monkeypatch.setattr(dataset_index.Index, "begins", remembered)
    numbers = [*range(300)]
    twice = [*range(200), 7, *range(200, 299)]
    other = [*range(100), None, *range(100, 299)]  # a row without an id has its line for one
    for name, ids in (("once", numbers), ("twice", twice), ("other", other)):
        lines = [json.dumps({"id": f"r{one}" if one is not None else None, "q": "why"}) + "\n" for one in ids]
        begun.clear()
        for stage, end in enumerate((1, 100, 101, 120, 128, 129, 250, 300)):
            (tmp_path / "d.jsonl").write_text("".join(lines[:end]))
            for where in (f"grown-{name}", f"anew-{name}-{stage}"):
                monkeypatch.setenv("READBACK_CACHE", str(tmp_path / where))
                data = open_dataset(tmp_path, SOURCES[0])
                assert [data.find(record.id) for record in data.records(0, end)] == [
                    ids.index(one) if one is not None else at for at, one in enumerate(ids[:end])
                ]
            assert held(tmp_path / f"grown-{name}") == held(tmp_path / f"anew-{name}-{stage}")
        assert begun == [True] * (6 if name == "twice" else 7) + [False] * (name == "twice")


LINES = b"".join(b'{"id": "r%d", "q": "why"}\n' % n for n in range(50))
OLD = LINES + b'{"id": "last", "q": "no'


@pytest.mark.parametrize(
    ("before", "after", "begun"),
    [
        (LINES, LINES + b'{"id": "r3"}\n', len(LINES)),  # which an old record is called, too
        (LINES[:-1], LINES + b'{"id": "new"}', LINES.rindex(b"{")),
        (OLD, OLD + b't yet"}\r\n{"id": "r7"}\n', len(LINES)),
        (LINES, LINES[:200], None),
        (LINES, LINES.replace(b"r3", b"R3", 1) + LINES, None),
        (LINES + b'{"id": 1,\n', LINES + b'{"id": 1,\n"q": 2}\n', len(LINES)),
    ],
)
def test_only_what_is_new_is_read(
    before: bytes, after: bytes, begun: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_on: list[int]
) -> None:
    told: list[Any] = []
    for caches in (("a", "a"), ("b", "c")):
        for cache, now in zip(caches, (before, after), strict=True):
            monkeypatch.setenv("READBACK_CACHE", str(tmp_path / cache))
            (tmp_path / "d.jsonl").write_bytes(now)
            data = open_dataset(tmp_path, DatasetSource("d.jsonl"))
        told.append(known(data))
    assert told[0] == told[1]
    assert read_on == ([] if begun is None else [begun])


def known(data: Dataset) -> list[Any]:
    records = [(one.id, one.fields, one.place, one.again) for one in data.records()]
    return [records, data.counts, data.diagnostics, data.diagnostic_counts, data.field_counts, data.id_field]


def test_what_is_damaged_is_not_read_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_on: list[int]
) -> None:
    # half of the records have no id, so that the ids that there are lie in a file of their own
    begun = b"".join(b'{"id": "r%d"}\n{"q": "why"}\n' % n for n in range(50))
    path = tmp_path / "d.jsonl"
    path.write_bytes(begun + b'{"id": "r1"}\n')
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "anew"))
    open_dataset(tmp_path, DatasetSource("d.jsonl"))
    for name in ("reading.bin", "ids-0", "ids.bin", "numbers.i64", "meta.json", "about.json"):
        monkeypatch.setenv("READBACK_CACHE", str(tmp_path / name))
        path.write_bytes(begun)
        open_dataset(tmp_path, DatasetSource("d.jsonl"))
        (damaged,) = cache_folder.cache_folder().glob(f"*-*/{name}")
        was = damaged.read_bytes()
        damaged.write_bytes(was[: len(was) // 2] + b"?" + was[len(was) // 2 + 1 :])
        path.write_bytes(begun + b'{"id": "r1"}\n')
        open_dataset(tmp_path, DatasetSource("d.jsonl"))
        assert held(tmp_path / name) == held(tmp_path / "anew"), name
    assert not read_on


def test_a_check_of_a_file_that_grew_finds_what_one_finds_afresh(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_on: list[int]
) -> None:
    folder = write(
        {
            "readback.yml": "dataset: d.jsonl\nmodes: [{mode: short, system: No., template: '{{ q }} {{ nope }}'}]\n",
            "d.jsonl": LINES.decode(),
        }
    )
    found = []
    for cache, more in (("a", b""), ("a", b'{"id": "r3", "q": "\\ud800"}\n{"id"\n'), ("b", b"")):
        monkeypatch.setenv("READBACK_CACHE", str(tmp_path / cache))
        with (folder / "d.jsonl").open("ab") as file:
            file.write(more)
        found.append(engine.check(workspace.open(folder)))
    assert found[1] == found[2]
    assert found[0] != found[2]
    assert read_on == [len(LINES)]
