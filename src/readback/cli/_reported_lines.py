"""Means that files report without the rows behind them, as lines for people, with what cannot be computed of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import groupby
from typing import Any

from readback.cli._plan_lines import about, ends
from readback.cli._sentence import fill

SENTENCES_SCORES = {
    "interval": "95 % interval {low} to {high}",
    "mean": "mean {mean}",
    "n": "n {n}",
    "reported": "means that files report without rows; they are in no comparison and no test",
    "reported_by": (
        "means that files report without rows; they are in no comparison and no test; conditions by {factors}"
    ),
    "reported_of": "{mean} of {of}",
    "reported_percent": "{mean} %",
    "count_of": "{count} of {n}",
    "lacking_spread": "the spread",
    "lacking_n": "the number of scores",
    "lacking_count": "a count that gives this rate",
    "lacking_interval": "an interval",
}

Answer = Mapping[str, Any]
Label = Callable[[Mapping[str, str], Collection[str]], str]  # a condition by some of its factors


def text(answer: Answer, label: Label) -> Iterator[str]:
    """How many of those with rows agree with them; then a block for each criterion and judge of those without."""
    known = answer["stated_beside_rows"]
    if known["means"]:
        yield fill(
            "\nreported means that agree with the rows beside them: {n:,} of {all:,}",
            n=known["agree"],
            all=known["means"],
        )
    factors = _varying([one["condition"] for one in answer["aggregates"]])
    if answer["aggregates"]:
        title = "reported_by" if len(factors) > 1 else "reported"
        yield ("\n" + fill(SENTENCES_SCORES[title], factors=" · ".join(factors)))
    for (criterion, judge), found in groupby(_ordered(answer), key=_heading):
        yield f"  {about({'criterion': criterion, 'judge': judge})}"
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
    facts = [_mean(one)]
    if one["n"] is not None:
        counted = "n" if one["count"] is None else "count_of"
        facts.append(fill(SENTENCES_SCORES[counted], n=one["n"], count=one["count"]))
    if one["interval"] and one["method"]:
        span = ends(one["interval"], 1 if one["of"] == 100 else 4)
        facts.append(fill("95 % interval {low} to {high} ({method})", **span, method=one["method"]))
    lacking = ", ".join(SENTENCES_SCORES[f"lacking_{name}"] for name in one["cannot"])
    return ", ".join(facts) + (fill("; not in the file: {parts}", parts=lacking) if lacking else "")


def _mean(one: Answer) -> str:
    """The mean as it was reported, with what it is of: 100 is per cent."""
    mean = f"{one['mean']:.{one['decimals']}f}" if one["decimals"] < 6 else f"{one['mean']:.6g}"
    if one["of"] is None:
        return mean
    of = "reported_percent" if one["of"] == 100 else "reported_of"
    return fill(SENTENCES_SCORES[of], mean=mean, of=f"{one['of']:g}")
