"""The functions that every template has: range, cycler, joiner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from readback.projects.javascript_text import UNDEFINED, is_true, make_number
from readback.projects.nunjucks.fault import ITEMS, TemplateFault, check_items


def make_range(start: Any = UNDEFINED, stop: Any = UNDEFINED, step: Any = UNDEFINED) -> list[float]:
    """Return numbers from `start` to before `stop`; with one argument from 0 to before it."""
    if stop is UNDEFINED:
        start, stop, step = 0.0, start, 1.0
    first, last = make_number(start), make_number(stop)
    if is_true(step):
        width = make_number(step)
    else:
        width = 1.0
    numbers: list[float] = []
    while first < last if width > 0 else first > last:
        numbers.append(first)
        if len(numbers) > ITEMS:
            check_items(len(numbers))
        first += width
    return numbers


def make_cycler(*items: Any) -> dict[str, Any]:
    """Return an object whose `next` gives the items in turn."""
    cycler: dict[str, Any] = {"current": None}
    turn = [-1]

    def reset() -> Any:
        turn[0] = -1
        cycler["current"] = None
        return UNDEFINED

    def move() -> Any:
        turn[0] = turn[0] + 1 if turn[0] + 1 < len(items) else 0
        cycler["current"] = items[turn[0]] if items else UNDEFINED
        return cycler["current"]

    cycler["reset"], cycler["next"] = reset, move
    return cycler


def make_joiner(separator: Any = UNDEFINED) -> Callable[[], Any]:
    """Return a function that gives nothing the first time and a separator afterwards."""
    calls: list[bool] = []

    def join() -> Any:
        calls.append(True)
        if len(calls) > ITEMS:
            raise TemplateFault("a joiner is called too often", unknown=True)
        if len(calls) == 1:
            return ""
        if is_true(separator):
            return separator
        return ","

    return join


GLOBALS: dict[str, Any] = {"range": make_range, "cycler": make_cycler, "joiner": make_joiner}
