"""Parquet: decoded in the bounded child into JSON lines, one for each row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from readback.readers import jsonl
from readback.readers.row import Event, Refused
from readback.readers.table_columns import number_repeated_names
from readback.sandbox import Limits, Stopped, stream
from readback.types import Diagnostic, Location

NAME = "parquet"
SUFFIXES = (".parquet", ".pq")
BY_LINES = False
LIMITS = Limits(seconds=30, memory=1 << 30, output=2 << 30, total=900)
GONE = b"null\n"  # is where a row is lost: not an object, so it is refused
LOST = 1_000_000  # rows that a damaged file may count as lost; what its end promises beyond is no fact
parse = jsonl.parse


def spool(path: Path, out: BinaryIO, file: str) -> Iterator[int | Diagnostic]:
    """Write the rows of `path` to `out` as JSON lines; yields how far it is, in bytes of `path`, and diagnostics."""
    size = path.stat().st_size
    promised = done = 0
    place = Location(file=file)
    try:
        for frame in stream("readback.readers._parquet_rows:rows", str(path.resolve()), LIMITS):
            if "names" in frame:
                _, diagnostics = number_repeated_names(frame["names"], place)
                promised = frame["rows"]
                yield from diagnostics
            elif "lost" in frame:
                count = min(frame["lost"], LOST)
                out.write(GONE * count)
                yield Diagnostic(
                    "dat-bad-line",
                    {"reason": _describe_lost_rows(frame, done)},
                    replace(place, line=done + 1),
                    f"{done}",
                )
                done += count
            elif "error" in frame:
                yield Diagnostic("dat-bad-line", {"reason": f"not Parquet that can be read: {frame['error']}"}, place)
            else:
                out.write("".join(f"{text}\n" for text in frame["json"]).encode())
                done += len(frame["json"])
                yield int(size * done / max(promised, done))
    except Stopped as stopped:
        yield Diagnostic("dat-limit", {"what": f"{stopped.kind} for decoding", "limit": stopped.detail}, place)


def _describe_lost_rows(frame: Mapping[str, Any], done: int) -> str:
    """Which rows are gone, and why; an end that promises more than `LOST` of them is not believed."""
    many, error = frame["lost"], frame["error"]
    if many > LOST:
        return f"rows from {done + 1} on are lost, {many:,} of them if its end is right: {error}"
    return f"rows {done + 1} to {done + many} are lost: {error}" if many > 1 else f"row {done + 1} is lost: {error}"


def rows(lines: BinaryIO, file: str) -> Iterator[Event]:
    """Yield the rows that `spool` wrote; `line` is the number of the row."""
    for event in jsonl.rows(lines, file):
        if (
            isinstance(event, Refused)
            and event.diagnostic
            and event.diagnostic.values.get("kind") == jsonl.KINDS["NoneType"]
        ):
            yield event._replace(diagnostic=None)  # told once for all rows that were lost together
        elif isinstance(event, Refused) and event.diagnostic and event.diagnostic.code == "dat-bad-line":
            diagnostic = jsonl.report_bad_record(
                "a value in this row cannot be decoded", Location(file=file, line=event.line), 1
            )
            yield event._replace(diagnostic=diagnostic)
        else:
            yield event
