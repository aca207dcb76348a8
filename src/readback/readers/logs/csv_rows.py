"""Read the rows of a log that is CSV, each with its number and its line, every cell a text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from readback.readers import csv_file
from readback.readers.logs.json_rows import LogRow, RowCounts, open_log
from readback.readers.row import Blank, Refused, Row
from readback.readers.text_file import UTF8_MARK
from readback.types import Diagnostic, Location

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
    return tuple(names) if all(names) or not names[0] else ()


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
