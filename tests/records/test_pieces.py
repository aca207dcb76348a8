"""A large file of JSON lines is read in pieces by several children; its index is that of one reading."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from counts import many
from test_grown_file import SOURCES, held, line, row

from readback import sandbox
from readback.readers import progress
from readback.records import (
    field_names,
    index_pass,
    piece_in_child,
    pieces,
    reading_state,
    system_texts,
    training_census,
)
from readback.records.dataset import Cancelled, open_dataset
from readback.types import DatasetSource

PLAIN = b'{"id": "r%d", "q": "why"}\n'


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_state, "LEAST", 1)
    monkeypatch.setattr(reading_state, "PART", 500)
    monkeypatch.setattr(pieces.os, "cpu_count", lambda: 2)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many records were taken from each piece that was taken from a child."""
    counts: list[int] = []
    take = index_pass._Reading.take

    def remembered(reading: Any, told: Any, since: Any) -> Any:
        behind = take(reading, told, since)
        counts.append(behind.line - since.line)
        return behind

    monkeypatch.setattr(index_pass._Reading, "take", remembered)
    return counts


def index(folder: Path, cache: Path, source: DatasetSource, piece: int, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(pieces, "PIECE", piece)
    monkeypatch.setenv("READBACK_CACHE", str(cache))
    open_dataset(folder, source)
    return held(cache)


def content(chance: random.Random) -> bytes:
    """Mostly plain lines, in some files with an odd one here and there; now and then many of them."""
    odd = chance.choice([0.0, 0.02, 0.02, 0.3])
    head = chance.choice([b"", b"", b"\xef\xbb\xbf", b"# remark\n", b"[1]\n2\n"])
    end = chance.choice([b"\n", b"\n", b"\r\n"])
    lines = (
        line(chance) if chance.random() < odd else json.dumps(row(chance)).encode() + end
        for _ in range(chance.randrange(5, 150))
    )
    return head + b"".join(lines) + chance.choice([b"", b"", b'{"id": "last"}', b'{"id": '])


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces are read in the process of the test, so that what is patched here holds for them, too."""

    def stream(work: str, asked: Any, *_: Any, once: bool, **__: Any) -> Iterator[Any]:
        assert (work, once) == (piece_in_child.WORK, True)
        return (json.loads(json.dumps(told)) for told in piece_in_child.read(json.loads(json.dumps(asked))))

    monkeypatch.setattr(pieces.sandbox, "stream", stream)


def same(tmp_path: Path, case: int, chance: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    source, whole = chance.choice(SOURCES), content(chance)
    (tmp_path / "d.jsonl").write_bytes(whole)
    by_pieces, at_once = (
        index(tmp_path, tmp_path / f"{case}-{piece}", source, piece, monkeypatch)
        for piece in (chance.choice([150, 400, 1_000]), 1 << 30)
    )
    assert by_pieces == at_once, (case, whole)


def test_the_index_is_that_of_one_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: None, taken: list[int]
) -> None:
    chance, cases = random.Random(18), many(2_000)
    for case in range(cases):
        monkeypatch.setattr(field_names, "MOST", chance.choice([3, 12, 2_000]))
        kept = chance.choice([2, 64])
        for module in (system_texts, training_census):
            monkeypatch.setattr(module, "KEPT", kept)
        same(tmp_path, case, chance, monkeypatch)
    assert len(taken) > cases


def test_children_tell_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: list[int]) -> None:
    chance, cases = random.Random(19), many(200, 3)
    for case in range(cases):
        same(tmp_path, case, chance, monkeypatch)
    assert len(taken) > cases


def test_a_piece_with_an_odd_line_is_read_here_and_the_next_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: None, taken: list[int]
) -> None:
    lines = [PLAIN % number for number in range(100)]
    lines[40] = b'{"id": "over",\n"q": "several"}\n'
    (tmp_path / "d.jsonl").write_bytes(b"".join(lines))
    index(tmp_path, tmp_path / "cache", DatasetSource("d.jsonl"), 10 * len(PLAIN), monkeypatch)
    assert taken == [10] * 6  # of 100: those of the first piece, of the last one and of the odd one were read here


def test_after_some_odd_pieces_nobody_is_asked_for_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: None, taken: list[int]
) -> None:
    (tmp_path / "d.jsonl").write_bytes(b"".join(b"%s\n" % (PLAIN % number) for number in range(100)))
    asked = []
    payload = piece_in_child.payload
    monkeypatch.setattr(piece_in_child, "payload", lambda *which: asked.append(which) or payload(*which))
    index(tmp_path, tmp_path / "cache", DatasetSource("d.jsonl"), 5 * len(PLAIN), monkeypatch)
    assert taken == []
    assert len(asked) <= pieces.ODD + 3


@pytest.mark.parametrize("why", [sandbox.Stopped("memory", "more than 512 MiB"), None])
def test_a_piece_that_stopped_its_child_is_read_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: list[int], why: Exception | None
) -> None:
    (tmp_path / "d.jsonl").write_bytes(b"".join(PLAIN % number for number in range(100)))

    def stream(*_: Any, **__: Any) -> Iterator[Any]:
        if why:
            raise why
        yield next(piece_in_child.read({**_[1], "path": str(tmp_path / "gone.jsonl")}))

    monkeypatch.setattr(pieces.sandbox, "stream", stream)
    found = [
        index(tmp_path, tmp_path / str(piece), DatasetSource("d.jsonl"), piece, monkeypatch)
        for piece in (5 * len(PLAIN), 1 << 30)
    ]
    assert found[0] == found[1]
    assert taken == []


def test_whoever_waits_may_stop_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: None, taken: list[int]
) -> None:
    (tmp_path / "d.jsonl").write_bytes(b"".join(PLAIN % number for number in range(100)))
    monkeypatch.setattr(pieces, "PIECE", 5 * len(PLAIN))
    monkeypatch.setattr(progress, "STEP", 1)
    with pytest.raises(Cancelled):
        open_dataset(tmp_path, DatasetSource("d.jsonl"), lambda done, total: done < total // 2)
    assert 0 < sum(taken) < 60
