"""Parquet: decoded in the bounded child into JSON lines, one for each row."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, time
from pathlib import Path
from typing import Any, BinaryIO

from readback.readers import jsonl
from readback.readers.files.row import Event, Refused
from readback.readers.tables.table_columns import number_repeated_names
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
        for frame in stream("readback.readers.parquet:decode_rows", str(path.resolve()), LIMITS):
            if "names" in frame:
                _, diagnostics = number_repeated_names(frame["names"], place)
                promised = frame["rows"]
                yield from diagnostics
            elif "lost" in frame:
                count = min(frame["lost"], LOST)
                out.write(GONE * count)
                yield Diagnostic(
                    "dat-bad-line",
                    {"reason": describe_lost_rows(frame, done)},
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


def describe_lost_rows(frame: Mapping[str, Any], done: int) -> str:
    """Return which rows are gone, and why; an end that promises more than `LOST` of them is not believed."""
    many, error = frame["lost"], frame["error"]
    if many > LOST:
        return f"rows from {done + 1} on are lost, {many:,} of them if its end is right: {error}"
    if many > 1:
        return f"rows {done + 1} to {done + many} are lost: {error}"
    return f"row {done + 1} is lost: {error}"


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


BATCH = 1024  # rows decoded at once
FRAME = 1 << 20  # characters sent at once
UNREADABLE = '"unreadable"'  # is where a row cannot be decoded: not an object, so it is refused


def decode_rows(path: str) -> Iterator[dict[str, Any]]:
    """Decode a Parquet file; runs in the bounded child, for a footer may promise anything.

    Yield first {"names", "rows"} as the footer states them; then {"json": rows as JSON, a line each} in the order of
    the file, with repeated names numbered by `number_repeated_names`, and {"lost": number of rows, "error"} where rows
    cannot be read; {"error"} where nothing can.

    Values that JSON does not know become text: bytes as UTF-8 where they are, else in base64; decimals, dates, times
    and timestamps as written by `str` and `isoformat`; durations as `str`; a map as a list of [key, value].

    Pages are held against the checksums that were written with them (`crc` in parquet.thrift), if there are any. The
    rows of a row group stand for themselves: after damage in one, the next is read.
    """
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # the others map more than they use, and maps are counted
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import parquet

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    broken = (pa.ArrowException, OSError, ValueError)  # also what is no UTF-8 and no base64
    try:
        with parquet.ParquetFile(path, memory_map=False, pre_buffer=False, page_checksum_verification=True) as file:
            if unlike := _describe_contradiction(file):
                yield {"error": unlike}
                return
            column_names = file.schema_arrow.names
            yield {"names": column_names, "rows": file.metadata.num_rows}
            names, _ = number_repeated_names(column_names, Location())
            for number in range(file.metadata.num_row_groups):
                yield from _read_group(file, number, names, broken)
    except broken as error:
        yield {"error": shorten_error(error)}


def _describe_contradiction(file: Any) -> str:
    """How the footer contradicts itself, which has no checksum of its own; "" where it does not."""
    about = file.metadata
    groups = [about.row_group(number) for number in range(about.num_row_groups)]
    if (row_count := sum(group.num_rows for group in groups)) != about.num_rows:
        return f"its end says {about.num_rows} rows, and its {len(groups)} groups say {row_count}"
    names = list(file.schema_arrow.names)
    written = (about.metadata or {}).get(b"ARROW:schema")  # the same once more, from whoever wrote it with Arrow
    if written is not None:
        repeated_names = list(_read_arrow_schema(written).names)
    else:
        paths = [group.column(at).path_in_schema for group in groups[:1] for at in range(group.num_columns)]
        if paths and about.num_rows:
            repeated_names = list(dict.fromkeys(path.partition(".")[0] for path in paths))
        else:
            repeated_names = names
    if names == repeated_names:
        return ""
    return f"its end calls the columns {', '.join(names)} and also {', '.join(repeated_names)}"


def _read_arrow_schema(written: bytes) -> Any:
    import pyarrow as pa

    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(written)))


def _read_group(
    file: Any, number: int, names: tuple[str, ...], broken: tuple[type[Exception], ...]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one row group, and how many are lost of those that it promises."""
    left = file.metadata.row_group(number).num_rows
    error = "it has fewer rows than its end says"
    try:
        for batch in file.iter_batches(BATCH, row_groups=[number], use_threads=False):
            left -= batch.num_rows
            yield from split_into_frames(batch, names)
    except broken as stopped:
        error = shorten_error(stopped)
    if left > 0:
        yield {"lost": left, "error": error}


def shorten_error(error: Exception) -> str:
    """Return the beginning of an error on one line."""
    return " ".join(str(error).split())[:300]


def split_into_frames(batch: Any, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch as {"json": JSON texts}, about `FRAME` characters at once."""
    texts: list[str] = []
    size = 0
    for start in range(0, batch.num_rows, 16):
        for text in _encode_rows(batch.slice(start, 16), names):
            texts.append(text)
            size += len(text)
        if size > FRAME:
            yield {"json": texts}
            texts, size = [], 0
    if texts:
        yield {"json": texts}


def _encode_rows(batch: Any, names: tuple[str, ...]) -> list[str]:
    try:
        rows = zip(*(_list_values(column) for column in batch.columns), strict=True)
        return [json.dumps(dict(zip(names, row, strict=True)), default=_convert_value) for row in rows]
    except (ValueError, OverflowError, RecursionError):
        if batch.num_rows == 1:
            return [UNREADABLE]
        return [text for row in range(batch.num_rows) for text in _encode_rows(batch.slice(row, 1), names)]


def _list_values(column: Any) -> list[Any]:
    if str(column.type).startswith(("timestamp[ns", "duration[ns", "time64[ns")):
        return list(column.cast("string").to_pylist())  # nanoseconds: Python's own types would cut them
    return list(column.to_pylist())


def _convert_value(value: Any) -> Any:
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return base64.b64encode(value).decode("ascii")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)
