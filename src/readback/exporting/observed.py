"""Write what the logs of a file or folder hold: the requests that were sent, or the scores, a line of JSON for each.

    observed   {"index", "record", "epoch", "call", "role", "condition", "prompt", "messages", "output", "error", …}
    scores     {"record", "epoch", "condition", "judge", "criterion", "value", "raw", "status"}

Nothing is assembled. `text` stands beside `messages` where a tool sent one text without roles; `warning` and `line`
stand at the end where there is something to say. Of logs that hold the same requests the first by name is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from readback import as_json
from readback.exporting.selections import NothingToExport
from readback.readers.files.paths import format_relative, list_inside
from readback.readers.logs.decode import DecodedLog, decode
from readback.readers.logs.formats import find_format
from readback.types import Diagnostic

What = Literal["assembled", "observed", "scores"]
WHATS: tuple[What, ...] = ("assembled", "observed", "scores")
PARTS = {"observed": "calls", "scores": "scores"}


@dataclass(frozen=True, slots=True)
class Observed:
    """What was written: the logs by their names, those left out because they repeat one, the lines, and the faults."""

    logs: tuple[str, ...]
    repeated: tuple[str, ...]
    lines: int
    failed: int
    diagnostics: tuple[Diagnostic, ...]


def export_observed(path: Path, what: What, out: BinaryIO) -> Observed:
    """Write a part of every log at or below `path` to `out`. Raises NothingToExport where there is none."""
    digests: set[str] = set()
    logs: list[str] = []
    repeated: list[str] = []
    diagnostics: list[Diagnostic] = []
    lines = failed = 0
    for name, log in list_logs(path):
        if log.counts["calls"] and log.digest in digests:
            repeated.append(name)
            continue
        digests.add(log.digest)
        logs.append(name)
        diagnostics += log.diagnostics
        for line in _read_lines(log, PARTS[what]):
            lines += 1
            failed += '"error": null' not in line and what == "observed"
            out.write(line.encode() + b"\n")
    if not logs:
        raise NothingToExport("no file there is a log of another tool that Readback reads")
    return Observed(tuple(logs), tuple(repeated), lines, failed, tuple(diagnostics))


def list_logs(path: Path) -> Iterator[tuple[str, DecodedLog]]:
    """Yield every log at or below a path, with its name below it. Raises OSError."""
    if path.is_file():
        log = decode(path.absolute(), path.name)
        if log is not None:
            yield path.name, log
        return
    root = path.absolute()
    for file in list_inside(root).files:
        name = format_relative(root, file)
        if find_format(file) is None:
            continue
        log = decode(file, name)
        if log is not None:
            yield name, log


def _read_lines(log: DecodedLog, part: str) -> Iterator[str]:
    """Yield the lines of a part without the key by which Readback finds them."""
    with log.part(part).open(encoding="utf-8") as lines:
        for line in lines:
            value = json.loads(line)
            value.pop("key", None)
            yield as_json.dumps(value)
