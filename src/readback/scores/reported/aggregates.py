"""Means and rates that files state without the rows behind them, with what can still be said of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

from readback.scores.reported.beside_rows import beside
from readback.scores.reported.reachable import reachable
from readback.scores.summary import rows
from readback.scores.table import SCORED, ConditionKey, Reported, RunFacts, ScoreTable
from readback.stats import interval

Span = tuple[float, float]
FEWEST = interval.ENOUGH_FOR_T  # below it an interval needs the rows themselves


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A stated mean or rate whose rows are not there. It is in tables, never in charts of rows or in tests.

    `span` is on the scale of `stated.mean` (percent where that is percent). `cannot` says what would need the rows or
    numbers that the file does not give: some of n, spread, interval; count, where no count gives the stated rate.
    """

    reported: Reported
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
        _aggregate(reported, facts.get(reported.condition))
        for reported, row in beside(table, rows(table))
        if row is None and not _has_rows(table, reported)
    )


def _merged(known: RunFacts, more: RunFacts) -> RunFacts:
    """What is known of a run, with what a later file adds to it."""
    told = {one.name: getattr(more, one.name) for one in fields(known) if not getattr(known, one.name)}
    return replace(known, **told)


def _has_rows(table: ScoreTable, reported: Reported) -> bool:
    """Whether several judges scored it, so that none of their rows is the one meant."""
    return any(row.condition == reported.condition and row.criterion == reported.criterion for row in rows(table))


def _aggregate(reported: Reported, facts: RunFacts | None) -> Aggregate:
    if reported.state != SCORED:
        return Aggregate(reported, facts)
    found = _interval(reported)
    span = (found.low, found.high) if found else None
    return Aggregate(reported, facts, span, found.method if found else None, tuple(_cannot(reported, span)))


def _interval(reported: Reported) -> interval.Interval | None:
    """Wilson's for a rate with its n; Student's t for a mean with n and spread."""
    if reported.n is None or reported.n <= 0:
        return None
    if reported.whole is not None:
        count = reported.count if reported.count is not None else round(reported.mean / reported.whole * reported.n)
        if not 0 <= count <= reported.n:
            return None
        rate = interval.wilson(count, reported.n)
        return interval.Interval(rate.low * reported.whole, rate.high * reported.whole, rate.method)
    return None if reported.sd is None else interval.compute_summary_interval(reported.mean, reported.sd, reported.n)


def _cannot(reported: Reported, span: Span | None) -> Iterator[str]:
    if reported.n is None:
        yield "n"
    if not reachable(reported):
        yield "count"
    if reported.whole is None and reported.sd is None:
        yield "spread"
    if span is None or not all(map(math.isfinite, span)):
        yield "interval"
