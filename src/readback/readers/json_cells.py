"""Cells of a table that hold JSON: the text that they are, and the list or object for whoever goes into it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any


class CellList(list[Any]):
    """A list that stood in a cell: printed whole, it is the cell as it is written."""

    __slots__ = ("readback_cell",)

    def __init__(self, values: list[Any], cell: str) -> None:
        super().__init__(values)
        self.readback_cell = cell

    def __str__(self) -> str:
        return self.readback_cell

    def __repr__(self) -> str:
        return repr(self.readback_cell)

    def __format__(self, spec: str) -> str:
        return format(self.readback_cell, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> CellList:
        return CellList(copy.deepcopy(list(self), memo), self.readback_cell)


class CellObject(dict[str, Any]):
    """An object that stood in a cell: printed whole, it is the cell as it is written."""

    __slots__ = ("readback_cell",)

    def __init__(self, values: Mapping[str, Any], cell: str) -> None:
        super().__init__(values)
        self.readback_cell = cell

    def __str__(self) -> str:
        return self.readback_cell

    def __repr__(self) -> str:
        return repr(self.readback_cell)

    def __format__(self, spec: str) -> str:
        return format(self.readback_cell, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> CellObject:
        return CellObject(copy.deepcopy(dict(self), memo), self.readback_cell)


def with_cell(value: Any, cell: str) -> Any:
    """Return a list or an object that prints as its cell; any other value as it is."""
    if isinstance(value, list):
        return CellList(value, cell)
    if isinstance(value, dict):
        return CellObject(value, cell)
    return value


def cell_of(value: Any) -> str | None:
    """Return the cell that a list or an object stood in; None of any other value."""
    return value.readback_cell if isinstance(value, CellList | CellObject) else None


def as_written(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with every cell as the text that the file has."""
    written: dict[str, Any] = {}
    for name, value in fields.items():
        cell = cell_of(value)
        written[name] = value if cell is None else cell
    return written
