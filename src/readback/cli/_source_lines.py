"""What each score file was taken for and what became of its rows, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MOST = 8  # names of unused columns that a line lists
Answer = Mapping[str, Any]


def text(answer: Answer) -> Iterator[str]:
    """A line for each condition and judge that cost something, then one for each file."""
    if answer["costs"]:
        yield "\ncost and tokens"
    for one in answer["costs"]:
        judge = f" by {one['judge']}" if one["judge"] else ""
        sums = [f"{name} {amount:.6g}" for name, amount in one["cost"].items()]
        sums += [f"{name} {count:,}" for name, count in one["tokens"].items()]
        yield f"  {' · '.join(one['condition'].values())}{judge}: {', '.join(sums)}; {_many(one['rows'], 'row')}"
    if answer["sources"]:
        yield "\nfiles"
    for one in answer["sources"]:
        yield f"  {one['path']}: {one['what']}, {'; '.join(_said(one))}"


def _said(one: Answer) -> Iterator[str]:
    yield f"{_many(one['rows'], 'row')}, {_many(one['cells'], 'score')}"
    if one["refused"]:
        yield f"{_many(one['refused'], 'row')} refused"
    yield from (f"left out: {count} {why}" for why, count in one["left_out"].items())
    if one["doubled"]:
        yield f"{_many(one['doubled'], 'score')} was there twice"
    if one["failures"]:
        yield f"failures recorded: {', '.join(f'{group} {count}' for group, count in one['failures'].items())}"
    if one["texts_left"]:
        yield f"{_many(one['texts_left'], 'diagnostic')} of judges not kept in memory"
    if unused := one["columns"].get("unused", ()):
        more = f" and {len(unused) - MOST} more" if len(unused) > MOST else ""
        yield f"columns not used: {', '.join(name or 'one without a name' for name in unused[:MOST])}{more}"
    if cost := one["columns"].get("cost", ()):
        yield f"cost: {', '.join(cost)}"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
