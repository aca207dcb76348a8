"""Read the columns of texts of a chart with rows."""

from __future__ import annotations

from typing import Any


def list_columns(figure: Any) -> list[list[str]]:
    """Return the texts of each column from left to right: a head, if the column has one, then a cell for each row."""
    names = sorted((name for name in figure.layout if name.startswith("yaxis") and name != "yaxis"), key=_number)
    axes = [figure.layout[name] for name in names]
    left = [axis for axis in axes if axis.side == "left"]
    right = [axis for axis in axes if axis.side == "right"]
    return [list(axis.ticktext) for axis in (*left[::-1], *right)]


def _number(name: str) -> int:
    return int(name.removeprefix("yaxis"))
