"""What the JSON answer of scores holds besides rows and comparisons: means without rows, a ranking, slices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from readback.scores import summary
from readback.scores.pairwise import outcomes as pairwise
from readback.scores.reported.aggregates import Aggregate, list_aggregates
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
        _reported(one)
        for one in list_aggregates(table)
        if one.reported.criterion in wanted and judge in (None, one.reported.judge)
    ]


def beside_rows(table: ScoreTable) -> dict[str, Any]:
    """How many stated means have rows of their own, how many agree with them, and which leave failed rows out."""
    found = summary.rows(table)
    pairs = [(said, row) for said, row in match_rows(table, found) if row is not None]
    return {
        "means": len(pairs),
        "agree": sum(agrees(said, row) for said, row in pairs),
        "leave_out": [_left_out(table, one) for one in find_left_out(table, found)],
    }


def _left_out(table: ScoreTable, one: LeftOut) -> dict[str, Any]:
    """What a stated mean leaves out, in numbers and as the sentence that every page has."""
    return {
        "condition": dict(one.row.condition),
        "criterion": one.row.criterion,
        "judge": one.row.judge or None,
        "stated": one.reported.mean,
        "stated_n": one.reported.n,
        "n": one.row.n,
        "all": one.whole,
        "left_out": one.unscored,
        "with_failures_as_0": one.with_zeros,
        "sentence": one.line(table.label(one.row.condition)),
        "file": one.reported.place.file,
        "line": one.reported.place.line,
    }


def criteria_of(table: ScoreTable, criterion: str | None) -> tuple[str, ...]:
    """The criteria of stated means, or the one that is asked for, with or without its ending `_score`."""
    names = tuple(dict.fromkeys(one.criterion for one in table.reported))
    return tuple(name for name in names if criterion in (None, name, name.removesuffix("_score")))


def ranking(table: ScoreTable, judge: str | None = None) -> dict[str, Any] | None:
    """The contestants of three or more side by side, the strongest first; None where fewer met."""
    found = pairwise.rank_contestants(table, judge)
    if found is None or len(found.conditions) < 3:
        return None
    return {
        "contestants": [
            {"condition": dict(key), "strength": strength, "interval": span}
            for key, strength, span in zip(found.conditions, found.strengths, found.intervals, strict=True)
        ],
        "connected": found.connected,
        "method": found.method,
        "seed": found.seed,
    }


def field(workspace: Workspace, table: ScoreTable, name: str) -> SliceField:
    """The field of the records called `name`. Raises LookupError with the fields there are."""
    found = by_field.list_fields(workspace, table)
    for one in found.fields:
        if one.name == name:
            return one
    raise LookupError(_without(workspace, found, name))


def slices(table: ScoreTable, by: SliceField, sides: Iterable[Side]) -> list[dict[str, Any]]:
    """For each side, or each pair of sides, the scores by the value of the field; p is adjusted within each."""
    made = (by_field.slice_scores(table, by.value_of, criterion, judge, a, b) for a, b, criterion, judge in sides)
    return [
        {
            "field": by.name,
            "a": dict(one.a),
            "b": None if one.b is None else dict(one.b),
            "criterion": one.criterion,
            "judge": one.judge or None,
            "n": one.n,
            "without": one.without,
            "values": [asdict(part) for part in one.slices],
        }
        for one in made
    ]


def _reported(one: Aggregate) -> dict[str, Any]:
    said = one.reported
    scored = said.state == SCORED
    return {
        "condition": dict(said.condition),
        "criterion": said.criterion,
        "judge": said.judge or None,
        "state": STATES[said.state],
        "mean": said.mean if scored else None,
        "decimals": said.decimals,
        "of": said.whole,
        "n": said.n,
        "count": said.count,
        "sd": said.sd,
        "min": said.low,
        "max": said.high,
        "interval": one.span,
        "method": one.method,
        "cannot": list(one.cannot),
        "file": said.place.file,
        "line": said.place.line,
    }


def _without(workspace: Workspace, found: SliceFields, name: str) -> str:
    if workspace.dataset is None:
        return f"--slice {name}: there are no records, and slices are made by a field of the records"
    if not found.records:
        return f"--slice {name}: no scored item is a record of the dataset, by its id"
    there = ", ".join(one.name for one in found.fields) or "none"
    return f"no field '{name}' sorts the scored items into 2 to 30 kinds; there are: {there}"
