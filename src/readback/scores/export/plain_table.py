"""A table of plain values: what is under each chart, and what is copied or downloaded from it."""

from __future__ import annotations

from typing import NamedTuple

Cell = str | int | float | None  # None: there is no value


class PlainTable(NamedTuple):
    """Column titles, and rows with one value for each of them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
