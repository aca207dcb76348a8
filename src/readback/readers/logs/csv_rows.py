"""Read the rows of a log that is CSV, each with its number and its line, every cell a text."""

from __future__ import annotations

import ast
import csv
import io
import zlib
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

from readback.readers import csv_file
from readback.readers.files.row import Blank, Refused, Row
from readback.readers.files.text_file import UTF8_MARK
from readback.readers.logs.json_rows import LogRow, RowCounts, decode_json, open_log
from readback.types import Diagnostic, Location

HEAD = 1 << 18
LONGEST_LITERAL = 1 << 20  # characters of a list or object in a cell
MOST_ROWS = 20  # rows at the beginning that are looked at


def peek_header(head: bytes) -> tuple[str, ...]:
    """Return the names of the columns of a CSV file by its first line; none where it is no CSV."""
    first = head.removeprefix(UTF8_MARK).split(b"\n", 1)[0].rstrip(b"\r")
    if not first or first[:1] in b"{[" or b"," not in first:
        return ()
    try:
        names = next(csv.reader([first.decode("utf-8")], strict=True), [])
    except (UnicodeDecodeError, csv.Error):
        return ()
    if all(names) or not names[0]:
        return tuple(names)
    return ()


def peek_csv_rows(head: bytes) -> tuple[dict[str, str], ...]:
    """Return the first rows of a CSV file that are whole in its head."""
    text = head.removeprefix(UTF8_MARK).decode("utf-8", "replace")
    rows: list[dict[str, str]] = []
    try:
        for row in csv.DictReader(io.StringIO(text, newline="")):
            rows.append({name: cell for name, cell in row.items() if isinstance(name, str) and isinstance(cell, str)})
            if len(rows) > MOST_ROWS:
                break
    except csv.Error:
        pass
    return tuple(rows[:-1] if len(rows) > 1 else rows)  # the last one may be cut off


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file, unpacked; none where it cannot be read."""
    try:
        with open_log(path) as stream:
            return stream.read(HEAD)
    except (OSError, EOFError, zlib.error):
        return b""


def read_literal(cell: str) -> Any:
    """Return the list or object that JSON or Python wrote into a cell; any other text as it is. Nothing is run.

    What numpy writes has no commas, and Python would join its texts: only what Python writes again alike is a value.
    """
    if len(cell) > LONGEST_LITERAL or cell[:1] + cell[-1:] not in ("[]", "{}"):
        return cell
    value = decode_json(cell)
    if not isinstance(value, str):
        return value
    try:
        value = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return cell
    if repr(value) == cell and is_json(value):
        return value
    return cell


def is_json(value: Any) -> bool:
    """Tell whether a literal of Python is a value of JSON as well: no tuples, sets, bytes, and texts as keys."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_json(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(map(is_json, value))
    return value is None or isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))


def read_csv_rows(path: Path, file: str, counts: RowCounts) -> Iterator[LogRow | Diagnostic]:
    """Yield the rows of a table with commas, and diagnostics on what cannot be read."""
    try:
        with open_log(path) as stream:
            for event in csv_file.rows(stream, file, ","):
                if isinstance(event, Row):
                    yield from event.diagnostics
                    yield LogRow(counts.rows, event.line, event.fields)
                    counts.rows += 1
                elif isinstance(event, Blank):
                    counts.blank += 1
                elif isinstance(event, Refused):
                    counts.refused += 1
                    if event.diagnostic is not None:
                        yield event.diagnostic
                elif isinstance(event, Diagnostic):
                    yield event
    except (OSError, EOFError) as error:
        counts.refused += 1
        yield Diagnostic("dat-bad-line", {"reason": str(error) or "it cannot be read"}, Location(file=file))
