"""Whoever waits for a log hears how far its reading is, and can stop it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import Any

import pytest

from readback.readers.files.progress import Cancelled, report_progress_to
from readback.readers.logs import decode as decoding
from readback.readers.logs.decode import decode

Write = Callable[[Mapping[str, Any]], Path]
PLACE = "batch.jsonl"


@pytest.fixture
def log(write: Write) -> Path:
    """A log that is sent in several frames."""
    rows = [
        {"custom_id": str(n), "url": "/v1/chat/completions",
         "body": {"model": "m", "messages": [{"role": "user", "content": f"{n} {'word ' * 10_000}"}]}}
        for n in range(60)
    ]  # fmt: skip
    return write({PLACE: "".join(json.dumps(row) + "\n" for row in rows)}) / PLACE


def test_a_log_is_read_bytes_by_bytes(log: Path) -> None:
    seen: list[tuple[int, int]] = []
    with report_progress_to(lambda done, total: seen.append((done, total)) is None):
        decoded = decode(log, PLACE)
    assert decoded is not None
    assert decoded.counts["calls"] == 60
    assert len(seen) > 2
    assert seen == sorted(seen)
    assert {total for _, total in seen} == {log.stat().st_size}
    assert not decoding._positions


def test_what_is_stopped_leaves_nothing_behind(log: Path) -> None:
    with report_progress_to(lambda *_: False), pytest.raises(Cancelled):
        decode(log, PLACE)
    decoded = decode(log, PLACE)
    assert decoded is not None
    assert decoded.counts["calls"] == 60


def test_whoever_waits_for_another_reader_hears_how_far_that_one_is(log: Path) -> None:
    heard, answers = Event(), []

    def read_slowly(done: int, total: int) -> bool:
        return heard.wait(60)

    def listen(done: int, total: int) -> bool:
        if done:
            heard.set()
        return True

    def read(progress: Callable[[int, int], bool]) -> None:
        with report_progress_to(progress):
            answers.append(decode(log, PLACE))

    first = Thread(target=read, args=(read_slowly,))
    first.start()
    while not decoding._positions and first.is_alive():
        sleep(0.01)
    second = Thread(target=read, args=(listen,))
    second.start()
    for each in (first, second):
        each.join(60)
    assert heard.is_set()
    assert len(answers) == 2
    assert answers[0] == answers[1]
