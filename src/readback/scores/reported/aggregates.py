"""Means and rates that files state without the rows behind them, with what can still be said of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

from readback.scores.reported.beside_rows import beside
from readback.scores.reported.reachable import reachable
from readback.scores.stats import rows
from readback.scores.table import SCORED, ConditionKey, Reported, RunFacts, ScoreTable
from readback.statistics import interval

Span = tuple[float, float]
FEWEST = interval.ENOUGH_FOR_T  # below it an interval needs the rows themselves


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A stated mean or rate whose rows are not there. It is in tables, never in charts of rows or in tests.

    `span` is on the scale of `stated.mean` (percent where that is percent). `cannot` says what would need the rows or
    numbers that the file does not give: some of n, spread, interval; count, where no count gives the stated rate.
    """

    stated: Reported
    facts: RunFacts | None = None
    span: Span | None = None
    method: str | None = None
    cannot: tuple[str, ...] = ()


def aggregates(table: ScoreTable) -> tuple[Aggregate, ...]:
    """Every stated mean or rate of a condition and criterion that no row is there for, in the order of the files."""
    facts: dict[ConditionKey, RunFacts] = {}
    for one in table.about:
        facts[one.condition] = _merged(facts[one.condition], one) if one.condition in facts else one
    return tuple(
        _aggregate(stated, facts.get(stated.condition))
        for stated, row in beside(table, rows(table))
        if row is None and not _has_rows(table, stated)
    )


def _merged(known: RunFacts, more: RunFacts) -> RunFacts:
    """What is known of a run, with what a later file adds to it."""
    told = {one.name: getattr(more, one.name) for one in fields(known) if not getattr(known, one.name)}
    return replace(known, **told)


def _has_rows(table: ScoreTable, stated: Reported) -> bool:
    """Whether several judges scored it, so that none of their rows is the one meant."""
    return any(row.condition == stated.condition and row.criterion == stated.criterion for row in rows(table))


def _aggregate(stated: Reported, facts: RunFacts | None) -> Aggregate:
    if stated.state != SCORED:
        return Aggregate(stated, facts)
    found = _interval(stated)
    span = (found.low, found.high) if found else None
    return Aggregate(stated, facts, span, found.method if found else None, tuple(_cannot(stated, span)))


def _interval(stated: Reported) -> interval.Interval | None:
    """Wilson's for a rate with its n; Student's t for a mean with n and spread."""
    if stated.n is None or stated.n <= 0:
        return None
    if stated.whole is not None:
        count = stated.count if stated.count is not None else round(stated.mean / stated.whole * stated.n)
        if not 0 <= count <= stated.n:
            return None
        rate = interval.wilson(count, stated.n)
        return interval.Interval(rate.low * stated.whole, rate.high * stated.whole, rate.method)
    return None if stated.sd is None else interval.of_summary(stated.mean, stated.sd, stated.n)


def _cannot(stated: Reported, span: Span | None) -> Iterator[str]:
    if stated.n is None:
        yield "n"
    if not reachable(stated):
        yield "count"
    if stated.whole is None and stated.sd is None:
        yield "spread"
    if span is None or not all(map(math.isfinite, span)):
        yield "interval"
