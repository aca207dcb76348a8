"""What tests of readers of logs ask: the events of a file by kind, and whether what was damaged is accounted for."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from readback.readers.logs.decode import PARTS, read_frames
from readback.readers.logs.events import Aggregate, Call, Event, LogRecord, LogScore, Run
from readback.readers.logs.formats import find_format, get_format
from readback.types import Diagnostic

MARKS = b'{}[]",:\\ \n\x00\xff0aN-'
KINDS = (Call, LogRecord, LogScore, Aggregate, Run, Diagnostic)


def read_log(path: Path, key: str) -> dict[type, list[Any]]:
    """Return the events of a log by kind; its format must be `key`."""
    log_format = find_format(path)
    assert log_format is not None, path
    assert key == log_format.key
    events: dict[type, list[Any]] = {kind: [] for kind in KINDS}
    for event in log_format.read(path, path.name):
        events[type(event)].append(event)
    return events


def list_events(path: Path, key: str) -> list[Event]:
    """Return the events of a file by the reader of a format, whether or not it is recognised."""
    from readback.readers.logs.formats import get_format

    return list(get_format(key).read(path, path.name))


def count_runs(full: int) -> int:
    """Return how many mutated files are tried: all of them in long runs, else a hundredth."""
    return full if os.environ.get("READBACK_LONG") else max(full // 100, 1)


def mutate(data: bytes, seed: int) -> bytes:
    """Return a damaged copy: pieces cut out, doubled, replaced, or the end cut off."""
    rng = random.Random(seed)
    text = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(text) + 1)
        length = rng.choice([1, 1, 2, 8, 100, 3000])
        match rng.randrange(5):
            case 0:
                del text[at : at + length]
            case 1:
                text[at:at] = text[at : at + length]
            case 2:
                text[at : at + length] = bytes(rng.choices(MARKS, k=rng.randint(0, 3)))
            case 3:
                text[at:at] = bytes(rng.choices(MARKS, k=rng.randint(1, 3)))
            case 4:
                del text[at:]
    return bytes(text)


def check_frames(path: Path, key: str) -> dict[str, list[Any]]:
    """Return the decoded lines of a log, which must all be JSON, as the parent would write them."""
    parts: dict[str, list[Any]] = {part: [] for part in PARTS}
    for event in get_format(key).read(path, path.name):
        if isinstance(event, Call | LogRecord | LogScore):
            json.dumps(asdict(event), allow_nan=False)  # where NaN is no value, it must not become null
    for frame in read_frames((str(path), path.name, key)):
        if isinstance(frame, bytes):
            assert frame.endswith(b"\n")
            parts[PARTS[frame[0]]] += map(json.loads, frame[2:].splitlines())
        elif isinstance(frame, list):
            assert 0 <= frame[0] <= frame[1]
        else:
            json.dumps(frame, allow_nan=False)
            parts |= {name: frame[name] for name in ("diagnostics", "runs")}
    return parts


def iterate_lines(path: Path) -> Iterator[Any]:
    """Yield the values of a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
