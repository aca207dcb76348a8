"""What a row without an id is called: by its line, or where rows share a line by its number in the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.readers.files.row import Row
from readback.records.record_ids import BY_LINE, BY_NUMBER
from readback.types import Diagnostic

WITHOUT_ID = re.compile(rf"(?:{BY_LINE}|{BY_NUMBER})\d+")


@dataclass(frozen=True, slots=True)
class NumberedRow:
    """A row that shares its line with others; `number` counts the entries of the file from 1, unreadable ones too."""

    fields: Mapping[str, Any]
    line: int
    offset: int
    number: int


def number_rows(
    rows: Iterable[Row | Diagnostic], refused: Callable[[], int]
) -> Iterator[Row | NumberedRow | Diagnostic]:
    """Yield the rows; those that stand in one line, as in a JSON list without line ends, with their numbers.

    `refused` answers how many entries could not be read so far.
    """
    waiting: list[Row | Diagnostic] = []  # a row, and what was noted since
    count = number = 0
    shared = False  # whether the row that waits shares its line with the one before it
    for row in rows:
        if not isinstance(row, Row):
            if waiting:
                waiting.append(row)
            else:
                yield row
            continue
        count += 1
        if waiting and isinstance(waiting[0], Row):
            first = waiting[0]
        else:
            first = None
        same = first is not None and first.line == row.line
        yield from _number_shared(waiting, number, shared or same)
        waiting, number, shared = [row], count + refused(), same
    yield from _number_shared(waiting, number, shared)


def _number_shared(rows: list[Row | Diagnostic], number: int, shared: bool) -> Iterator[Row | NumberedRow | Diagnostic]:
    for row in rows:
        if shared and isinstance(row, Row):
            yield NumberedRow(row.fields, row.line, row.offset, number)
        else:
            yield row


def label(row: Any) -> str:
    """Return what a row is called that has no id."""
    number = getattr(row, "number", 0)
    if number:
        return f"{BY_NUMBER}{number}"
    return f"{BY_LINE}{row.line}"
