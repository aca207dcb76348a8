"""What the JSON answer of scores holds besides rows and comparisons: means without rows, a ranking, slices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from readback.scores import summary
from readback.scores.pairwise import outcomes as pairwise
from readback.scores.reported.aggregates import Aggregate, list_aggregates
from readback.scores.reported.counted_failures import CountedFailures, find_counted_failures
from readback.scores.reported.matching_rows import LeftOut, agrees, find_left_out, match_rows
from readback.scores.slices import by_field
from readback.scores.slices.by_field import SliceField, SliceFields
from readback.scores.table import SCORED, STATES, ConditionKey, ScoreTable
from readback.types import Workspace

Side = tuple[ConditionKey, ConditionKey | None, str, str]  # a, b (None: a alone), criterion, judge


def reported(table: ScoreTable, criteria: Iterable[str], judge: str | None = None) -> list[dict[str, Any]]:
    """Every stated mean without rows of these criteria, and what cannot be computed of it."""
    wanted = set(criteria)
    return [
        _reported(aggregate)
        for aggregate in list_aggregates(table)
        if aggregate.reported.criterion in wanted and judge in (None, aggregate.reported.judge)
    ]


def beside_rows(table: ScoreTable) -> dict[str, Any]:
    """How many stated means have rows of their own, how many agree with them, and what they make of failed rows."""
    rows = summary.rows(table)
    pairs = [(mean, row) for mean, row in match_rows(table, rows) if row is not None]
    return {
        "means": len(pairs),
        "agree": sum(agrees(mean, row) for mean, row in pairs),
        "not_recomputed": _list_not_recomputed(table),
        "leave_out": [_left_out(table, left_out) for left_out in find_left_out(table, rows)],
        "count_failures": [_counted(table, counted) for counted in find_counted_failures(table, rows)],
    }


def _list_not_recomputed(table: ScoreTable) -> list[dict[str, Any]]:
    """Return each kind of number that logs state and that is no plain mean of their rows, with how many there are."""
    counts = Counter(summary.name for summary in table.summaries)
    return [{"name": name, "n": n} for name, n in counts.items()]


def _left_out(table: ScoreTable, left_out: LeftOut) -> dict[str, Any]:
    """Return what a stated mean leaves out, in numbers and as the sentence that every page has."""
    further = {"left_out": left_out.unscored, "with_failures_as_0": left_out.with_zeros}
    return _describe_statement(table, left_out, further)


def _counted(table: ScoreTable, counted: CountedFailures) -> dict[str, Any]:
    """Return which failed rows a stated mean counts, in numbers and as the sentence that every page has."""
    further = {
        "failed": len(counted.stored),
        "counted_as": list(counted.stored),
        "without_failures": counted.mean,
        "items": list(counted.items),
    }
    return _describe_statement(table, counted, further)


def _describe_statement(
    table: ScoreTable, statement: LeftOut | CountedFailures, further: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a stated mean beside its rows; `further` are the numbers that its kind alone has."""
    row, means = statement.row, statement.reported
    return {
        "condition": dict(row.condition),
        "criterion": row.criterion,
        "judge": row.judge or None,
        "stated": means.mean,
        "stated_n": means.n,
        "n": row.n,
        "all": statement.whole,
        **further,
        "sentence": statement.line(table.label(row.condition)),
        "file": means.place.file,
        "line": means.place.line,
    }


def criteria_of(table: ScoreTable, criterion: str | None) -> tuple[str, ...]:
    """List the criteria of stated means, or the one that is asked for, with or without its ending `_score`."""
    names = tuple(dict.fromkeys(mean.criterion for mean in table.reported))
    return tuple(name for name in names if criterion in (None, name, name.removesuffix("_score")))


def ranking(table: ScoreTable, judge: str | None = None) -> dict[str, Any] | None:
    """Return the contestants of three or more side by side, the strongest first; None where fewer met."""
    ranked = pairwise.rank_contestants(table, judge)
    if ranked is None or len(ranked.conditions) < 3:
        return None
    return {
        "contestants": [
            {"condition": dict(key), "strength": strength, "interval": span}
            for key, strength, span in zip(ranked.conditions, ranked.strengths, ranked.intervals, strict=True)
        ],
        "connected": ranked.connected,
        "method": ranked.method,
        "seed": ranked.seed,
    }


def field(workspace: Workspace, table: ScoreTable, name: str) -> SliceField:
    """Return the field of the records called `name`. Raises LookupError with the fields there are."""
    slice_fields = by_field.list_fields(workspace, table)
    for slice_field in slice_fields.fields:
        if slice_field.name == name:
            return slice_field
    raise LookupError(_without(workspace, slice_fields, name))


def slices(table: ScoreTable, by: SliceField, sides: Iterable[Side]) -> list[dict[str, Any]]:
    """For each side, or each pair of sides, the scores by the value of the field; p is adjusted within each."""
    sliced = (by_field.slice_scores(table, by.value_of, criterion, judge, a, b) for a, b, criterion, judge in sides)
    return [
        {
            "field": by.name,
            "a": dict(scores_slice.a),
            "b": None if scores_slice.b is None else dict(scores_slice.b),
            "criterion": scores_slice.criterion,
            "judge": scores_slice.judge or None,
            "n": scores_slice.n,
            "without": scores_slice.without,
            "values": [asdict(part) for part in scores_slice.slices],
        }
        for scores_slice in sliced
    ]


def _reported(aggregate: Aggregate) -> dict[str, Any]:
    mean = aggregate.reported
    scored = mean.state == SCORED
    return {
        "condition": dict(mean.condition),
        "criterion": mean.criterion,
        "judge": mean.judge or None,
        "state": STATES[mean.state],
        "mean": mean.mean if scored else None,
        "decimals": mean.decimals,
        "of": mean.whole,
        "n": mean.n,
        "count": mean.count,
        "sd": mean.sd,
        "min": mean.low,
        "max": mean.high,
        "interval": aggregate.span,
        "method": aggregate.method,
        "cannot": list(aggregate.cannot),
        "file": mean.place.file,
        "line": mean.place.line,
    }


def _without(workspace: Workspace, slice_fields: SliceFields, name: str) -> str:
    if workspace.dataset is None:
        return f"--slice {name}: there are no records, and slices are made by a field of the records"
    if not slice_fields.records:
        return f"--slice {name}: no scored item is a record of the dataset, by its id"
    there = ", ".join(slice_field.name for slice_field in slice_fields.fields) or "none"
    return f"no field '{name}' sorts the scored items into 2 to 30 kinds; there are: {there}"
