"""What a format yields while it reads: rows, refusals, blank lines and the header, each with its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from readback.types import Diagnostic


class Row(NamedTuple):
    """One record as it is in a file. A named tuple, for a pass makes one for every line.

    `offset` and `end` are byte offsets of the record without its line end; `line` and `end_line` count from 1.
    `raw` is what is between them. `diagnostics`: what was seen in it (a repeated key, NaN). `cells` are the texts of
    a table's cells that were read as JSON.
    """

    fields: dict[str, Any]
    line: int
    end_line: int
    offset: int
    end: int
    raw: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    cells: Mapping[str, str] = {}


class Refused(NamedTuple):
    """A record that could not be read; its note says why (None: an earlier note says it for all)."""

    diagnostic: Diagnostic | None
    line: int
    end_line: int
    end: int


class Blank(NamedTuple):
    """A line without anything on it."""

    line: int
    end: int


class Header(NamedTuple):
    """What comes before the rows: the line that names the columns (`line` 0: there is no such line).

    `shape` is what `parse` needs to read any row again, in JSON values.
    """

    shape: dict[str, Any]
    line: int
    end_line: int
    end: int


Event = Row | Refused | Blank | Header | Diagnostic
