"""List means and rates that files state without the rows behind them, with what can still be said of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

from readback.scores.reported.matching_rows import match_rows
from readback.scores.reported.unreachable_rates import is_reachable
from readback.scores.summary import rows
from readback.scores.table import SCORED, ConditionKey, Reported, RunFacts, ScoreTable
from readback.stats import interval

Span = tuple[float, float]
FEWEST = interval.ENOUGH_FOR_T  # below it an interval needs the rows themselves


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Hold a stated mean or rate without rows. It is in tables, never in charts of rows or in tests.

    `span` is on the scale of `stated.mean` (percent where that is percent). `cannot` says what would need the rows or
    numbers that the file does not give: some of n, spread, interval; count, where no count gives the stated rate.
    """

    reported: Reported
    facts: RunFacts | None = None
    span: Span | None = None
    method: str | None = None
    cannot: tuple[str, ...] = ()


def list_aggregates(table: ScoreTable) -> tuple[Aggregate, ...]:
    """Return every stated mean or rate of a condition and criterion without rows, in the order of the files."""
    facts: dict[ConditionKey, RunFacts] = {}
    for fact in table.about:
        if fact.condition in facts:
            facts[fact.condition] = _merge_facts(facts[fact.condition], fact)
        else:
            facts[fact.condition] = fact
    return tuple(
        _build_aggregate(reported, facts.get(reported.condition))
        for reported, row in match_rows(table, rows(table))
        if row is None and not _has_rows(table, reported)
    )


def _merge_facts(facts: RunFacts, later: RunFacts) -> RunFacts:
    """Return the facts of a run, with what a later file adds to them."""
    added = {field.name: getattr(later, field.name) for field in fields(facts) if not getattr(facts, field.name)}
    return replace(facts, **added)


def _has_rows(table: ScoreTable, reported: Reported) -> bool:
    """Return whether several judges scored it, so that none of their rows is the one meant."""
    return any(row.condition == reported.condition and row.criterion == reported.criterion for row in rows(table))


def _build_aggregate(reported: Reported, facts: RunFacts | None) -> Aggregate:
    if reported.state != SCORED:
        return Aggregate(reported, facts)
    interval = _compute_interval(reported)
    if interval:
        span = (interval.low, interval.high)
    else:
        span = None
    return Aggregate(reported, facts, span, interval.method if interval else None, tuple(_list_missing(reported, span)))


def _compute_interval(reported: Reported) -> interval.Interval | None:
    """Return Wilson's interval for a rate with its n; Student's t for a mean with n and spread."""
    if reported.n is None or reported.n <= 0:
        return None
    if reported.whole is not None:
        if reported.count is not None:
            count = reported.count
        else:
            count = round(reported.mean / reported.whole * reported.n)
        if not 0 <= count <= reported.n:
            return None
        rate = interval.wilson(count, reported.n)
        return interval.Interval(rate.low * reported.whole, rate.high * reported.whole, rate.method)
    if reported.sd is None:
        return None
    return interval.compute_summary_interval(reported.mean, reported.sd, reported.n)


def _list_missing(reported: Reported, span: Span | None) -> Iterator[str]:
    if reported.n is None:
        yield "n"
    if not is_reachable(reported):
        yield "count"
    if reported.whole is None and reported.sd is None:
        yield "spread"
    if span is None or not all(map(math.isfinite, span)):
        yield "interval"
