"""Hold a table of plain values, as it is under each chart, and write it as Markdown that reads the same anywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from readback.bookmarks.markdown import line
from readback.scores.values.criteria import MINUS, number

Cell = str | int | float | None  # None: there is no value


class PlainTable(NamedTuple):
    """Hold column titles, and rows with one value for each of them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


ABSENT = "–"


def format_markdown(table: PlainTable) -> str:
    """Return the table with pipes, numbers to the right; nothing in a cell becomes markup or another row."""
    lines = [[line(title) for title in table.columns]]
    columns = range(len(table.columns))
    lines.append(["---:" if _is_numeric(row[column] for row in table.rows) else "---" for column in columns])
    lines.extend([_format_cell(value) for value in row] for row in table.rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _format_cell(value: Cell) -> str:
    if value is None or value == "":
        return ABSENT
    if isinstance(value, str):
        return line(value)
    return number(round(value, 4)).replace("-", MINUS)


def _is_numeric(values: Iterable[Cell]) -> bool:
    present = [value for value in values if value is not None]
    return bool(present) and not any(isinstance(value, str) for value in present)
