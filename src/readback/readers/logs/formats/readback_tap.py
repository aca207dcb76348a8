"""Requests that `readback tap` kept: a line each, with the body that a program sent and the path that it asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from readback.readers.logs.bodies import Body, read_body
from readback.readers.logs.calls import RowCall, read_calls
from readback.readers.logs.events import Event
from readback.readers.logs.head import peek_objects
from readback.readers.logs.messages import describe_kind

NAME = "requests that readback tap kept"
HOLDS_SCORES = False
NOT_JSON = "the body is no JSON"


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether the rows of a file are those of `readback tap`."""
    if b'"tap"' not in head:
        return False
    rows = peek_objects(head)
    return bool(rows) and all(
        isinstance(row.get("tap"), int) and "url" in row and bool({"body", "text"} & row.keys()) for row in rows
    )


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield a call for each request, without a reply."""
    return read_calls(path, file, "readback tap", _read_row)


def _read_row(row: Any) -> RowCall:
    if not isinstance(row, dict):
        return RowCall(Body(error=f"the line is {describe_kind(row)}, where an object is needed"))
    if "body" not in row and "text" in row:
        return RowCall(Body(error=NOT_JSON, details={"body": row["text"]}))
    return RowCall(read_body(row.get("body"), row.get("url")))
