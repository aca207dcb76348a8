"""Decode Parquet; runs in the bounded child, for a footer may promise anything.

Values that JSON does not know become text: bytes as UTF-8 where they are, else in base64; decimals, dates, times and
timestamps as written by `str` and `isoformat`; durations as `str`; a map as a list of [key, value].
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from datetime import date, time
from typing import Any

from readback.readers.table_columns import number_repeated_names
from readback.types import Location

BATCH = 1024  # rows decoded at once
FRAME = 1 << 20  # characters sent at once
UNREADABLE = '"unreadable"'  # is where a row cannot be decoded: not an object, so it is refused


def rows(path: str) -> Iterator[dict[str, Any]]:
    """First {"names", "rows"} as the footer states them; then {"json": rows as JSON, a line each}, in the order of the
    file, a repeated name numbered as `unique` does it, and {"lost": number of rows, "error"} where rows cannot be read;
    {"error"} where nothing can.

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
        yield {"error": _shorten_error(error)}


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
        repeated_names = (
            list(dict.fromkeys(path.partition(".")[0] for path in paths)) if paths and about.num_rows else names
        )
    return (
        ""
        if names == repeated_names
        else f"its end calls the columns {', '.join(names)} and also {', '.join(repeated_names)}"
    )


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
            yield from _split_into_frames(batch, names)
    except broken as stopped:
        error = _shorten_error(stopped)
    if left > 0:
        yield {"lost": left, "error": error}


def _shorten_error(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _split_into_frames(batch: Any, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
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
    return value.isoformat() if isinstance(value, date | time) else str(value)
