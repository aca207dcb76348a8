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

BATCH = 1024  # rows decoded at once
FRAME = 1 << 20  # characters sent at once
UNREADABLE = '"unreadable"'  # stands where a row cannot be decoded: not an object, so it is refused


def rows(path: str) -> Iterator[dict[str, Any]]:
    """First {"names", "rows"} as the footer states them; then {"json": texts of rows}; {"error"} where it breaks."""
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # the others map more than they use, and maps are counted
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import parquet

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    try:
        with parquet.ParquetFile(path, memory_map=False, pre_buffer=False) as file:
            names = file.schema_arrow.names
            yield {"names": names, "rows": file.metadata.num_rows}
            for batch in file.iter_batches(BATCH, use_threads=False):
                yield from _frames(batch)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        yield {"error": " ".join(str(error).split())[:300]}


def _frames(batch: Any) -> Iterator[dict[str, Any]]:
    texts: list[str] = []
    size = 0
    for start in range(0, batch.num_rows, 16):
        for text in _texts(batch.slice(start, 16)):
            texts.append(text)
            size += len(text)
        if size > FRAME:
            yield {"json": texts}
            texts, size = [], 0
    if texts:
        yield {"json": texts}


def _texts(batch: Any) -> list[str]:
    try:
        return [json.dumps(row, default=_text) for row in zip(*(_values(c) for c in batch.columns), strict=True)]
    except (ValueError, OverflowError, RecursionError):
        if batch.num_rows == 1:
            return [UNREADABLE]
        return [text for row in range(batch.num_rows) for text in _texts(batch.slice(row, 1))]


def _values(column: Any) -> list[Any]:
    if str(column.type).startswith(("timestamp[ns", "duration[ns", "time64[ns")):
        return list(column.cast("string").to_pylist())  # nanoseconds: Python's own types would cut them
    return list(column.to_pylist())


def _text(value: Any) -> Any:
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return base64.b64encode(value).decode("ascii")
    return value.isoformat() if isinstance(value, date | time) else str(value)
