"""A plain table as Markdown that shows the same words wherever it is pasted."""

from __future__ import annotations

from collections.abc import Iterable

from readback.bookmarks.markdown import line
from readback.scores.criteria import MINUS, number
from readback.scores.export.plain_table import Cell, PlainTable

ABSENT = "–"


def markdown(table: PlainTable) -> str:
    """The table in the form with pipes, numbers to the right; nothing in a cell becomes markup or another row."""
    right = [_numeric(row[at] for row in table.rows) for at in range(len(table.columns))]
    lines = [
        [line(title) for title in table.columns],
        ["---:" if one else "---" for one in right],
        *([_cell(value) for value in row] for row in table.rows),
    ]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _cell(value: Cell) -> str:
    if value is None or value == "":
        return ABSENT
    if isinstance(value, str):
        return line(value)
    return number(round(value, 4)).replace("-", MINUS)


def _numeric(values: Iterable[Cell]) -> bool:
    given = [value for value in values if value is not None]
    return bool(given) and not any(isinstance(value, str) for value in given)
