"""Means that files state without the rows behind them, as lines for people, with what cannot be computed of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import groupby
from typing import Any

from readback.cli._plan_lines import ends

Answer = Mapping[str, Any]
Label = Callable[[Mapping[str, str], Collection[str]], str]  # a condition by some of its factors
TITLE = "\nmeans that files state without rows: in no comparison and no test"
WHY = {  # what is missing, in words
    "n": "of how many",
    "count": "no count gives this rate",
    "spread": "no spread",
    "interval": "no interval",
}


def text(answer: Answer, label: Label) -> Iterator[str]:
    """How many of those with rows agree with them; then a block for each criterion and judge of those without."""
    known = answer["stated_beside_rows"]
    if known["means"]:
        yield f"\n{known['agree']} of {known['means']} means that files state agree with the rows beside them"
    factors = _varying([one["condition"] for one in answer["aggregates"]])
    if answer["aggregates"]:
        yield TITLE + (f"; conditions by {' · '.join(factors)}" if len(factors) > 1 else "")
    for (criterion, judge), found in groupby(_ordered(answer), key=_heading):
        yield f"  {criterion}" + (f", judge {judge}" if judge else "")
        yield from (f"    {label(one['condition'], factors)}: {_said(one)}" for one in found)


def _ordered(answer: Answer) -> list[Answer]:
    order: dict[tuple[str, str], int] = {}
    for one in answer["aggregates"]:
        order.setdefault(_heading(one), len(order))
    return sorted(answer["aggregates"], key=lambda one: order[_heading(one)])


def _heading(one: Answer) -> tuple[str, str]:
    return one["criterion"], one["judge"] or ""


def _varying(conditions: list[Mapping[str, str]]) -> tuple[str, ...]:
    """The factors that tell these conditions apart."""
    names = dict.fromkeys(name for one in conditions for name in one)
    return tuple(name for name in names if len({one.get(name) for one in conditions}) > 1)


def _said(one: Answer) -> str:
    if one["mean"] is None:
        return str(one["state"])
    of = "" if one["of"] is None else " %" if one["of"] == 100 else f" of {one['of']:g}"
    said = f"{one['mean']:.{one['decimals']}f}{of}" if one["decimals"] < 6 else f"{one['mean']:.6g}{of}"
    if one["n"] is not None:
        said += f", n {one['n']}" if one["count"] is None else f", {one['count']} of {one['n']}"
    if one["interval"] and one["method"]:
        said += f", 95 % interval {ends(one['interval'], 1 if one['of'] == 100 else 4)} ({one['method']})"
    cannot = [WHY[name] for name in one["cannot"]]
    return f"{said}; not in the file: {', '.join(cannot)}" if cannot else said
