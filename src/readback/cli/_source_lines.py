"""What each score file was taken for and what became of its rows, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.cli._sentence import fill

SENTENCES_SCORES = {
    "left_out": "left out: {parts}",
    "lacking_spread": "the spread",
    "costs": "cost and tokens",
    "cost": "{condition}: {sums}; {n:,} {n:row|rows}",
    "cost_judge": "{condition} by {judge}: {sums}; {n:,} {n:row|rows}",
    "file_unused": "columns not used: {names}",
    "file_unused_more": "columns not used: {names} and {n:,} more",
}


MOST = 8  # names of unused columns that a line lists
Answer = Mapping[str, Any]


def text(answer: Answer) -> Iterator[str]:
    """A line for each condition and judge that cost something, then one for each file."""
    if answer["costs"]:
        yield "\ncost and tokens"
    for one in answer["costs"]:
        sums = [f"{name} {amount:.6g}" for name, amount in one["cost"].items()]
        sums += [f"{name} {count:,}" for name, count in one["tokens"].items()]
        said = {"condition": " · ".join(one["condition"].values()), "judge": one["judge"], "sums": ", ".join(sums)}
        cost = "cost_judge" if one["judge"] else "cost"
        yield ("  " + fill(SENTENCES_SCORES[cost], **said, n=one["rows"]))
    if answer["sources"]:
        yield "\nfiles"
    for one in answer["sources"]:
        yield fill("  {file}: {what}, {facts}", file=one["path"], what=one["what"], facts="; ".join(_said(one)))


def _said(one: Answer) -> Iterator[str]:
    yield fill("{n:,} {n:row|rows}, {cells:,} {cells:score|scores}", n=one["rows"], cells=one["cells"])
    if one["refused"]:
        yield fill("{n:,} {n:row|rows} refused", n=one["refused"])
    yield from (fill("left out: {n:,} {why}", n=count, why=why) for why, count in one["left_out"].items())
    if one["doubled"]:
        yield fill("{n:,} {n:score was|scores were} given twice", n=one["doubled"])
    if one["failures"]:
        groups = ", ".join(f"{group} {count}" for group, count in one["failures"].items())
        yield fill("failures: {groups}", groups=groups)
    if one["texts_left"]:
        yield fill("{n:,} {n:diagnostic|diagnostics} of judges not kept in memory", n=one["texts_left"])
    if unused := one["columns"].get("unused", ()):
        names = ", ".join(name or "one without a name" for name in unused[:MOST])
        more = "file_unused_more" if len(unused) > MOST else "file_unused"
        yield fill(SENTENCES_SCORES[more], names=names, n=len(unused) - MOST)
    if cost := one["columns"].get("cost", ()):
        yield fill("cost: {columns}", columns=", ".join(cost))
