"""A chart in larger type, for a page that is presented: every length that is in pixels grows alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PIXELS = frozenset(
    {"b", "height", "itemwidth", "l", "r", "shift", "size", "t", "xshift", "yshift", "ticklabelstandoff"}
)


def larger(figure: Any, times: float) -> Any:
    """The figure with its texts, marks, margins and height `times` as large; the one that was given stays as it is."""
    return type(figure)(_grown(figure.to_dict(), times))


def _grown(value: Any, times: float) -> Any:
    if isinstance(value, Mapping):
        return {key: _times(one, times) if key in PIXELS else _grown(one, times) for key, one in value.items()}
    if isinstance(value, list | tuple) and any(isinstance(one, Mapping) for one in value):
        return [_grown(one, times) for one in value]
    return value


def _times(value: Any, times: float) -> Any:
    """A length, or the one of each mark; "t" and the like may also be something else."""
    if isinstance(value, bool) or not isinstance(value, int | float | list | tuple):
        return _grown(value, times)
    return [_times(one, times) for one in value] if isinstance(value, list | tuple) else round(value * times)
