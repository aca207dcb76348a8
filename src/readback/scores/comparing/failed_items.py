"""How far a difference could move if the scores that a judge failed to give on one side were known."""

from __future__ import annotations

from typing import Any

from readback.scores.comparing.paired_items import PairedItems, members, scored_items
from readback.scores.table import FAILED, ConditionKey, ScoreTable
from readback.types import Criterion

Bounds = tuple[float, float]


def bounds(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, shared: PairedItems
) -> tuple[tuple[int, int], Bounds | None]:
    """At how many items the judge failed under a, and under b, that it scored on the other side; and where b − a over
    these and the shared items lies whatever those scores are (Manski 1990: each is put at either end of the scale).

    No bounds without such items, without ends of the scale, and of means over several judges (then 0 items).
    """
    if table.pool is not None or a not in table.columns.conditions:
        return (0, 0), None
    lost_b = _lost(table, a, b, criterion, judge)
    lost_a = _lost(table, b, a, criterion, judge)
    number = len(lost_a) + len(lost_b)
    ends = _ends(table.criteria[criterion])
    if not number or ends is None:
        return (len(lost_a), len(lost_b)), None
    low, high = ends
    known = float((shared.b - shared.a).sum())
    least = known + float((low - lost_b).sum()) + float((lost_a - high).sum())
    most = known + float((high - lost_b).sum()) + float((lost_a - low).sum())
    every = len(shared.items) + number
    return (len(lost_a), len(lost_b)), (least / every, most / every)


def _lost(table: ScoreTable, scored: ConditionKey, failed: ConditionKey, criterion: str, judge: str) -> Any:
    """The scores under one condition of the items that have none under the other because the judge failed."""
    import numpy as np

    c = table.columns
    here = np.frombuffer(c.state, np.uint8) == FAILED
    here &= np.asarray(c.criterion) == c.criteria.index(criterion)
    here &= np.asarray(c.judge) == c.judges.index(judge)
    here &= np.isin(np.asarray(c.condition), members(table, failed))
    without = {c.items[code] for code in np.asarray(c.item)[here].tolist()}
    without -= set(scored_items(table, failed, criterion, judge)[0])
    names, means = scored_items(table, scored, criterion, judge)
    return means[np.array([name in without for name in names], bool)]


def _ends(criterion: Criterion) -> Bounds | None:
    if criterion.scale == "binary":
        return 0.0, 1.0
    if criterion.values:
        return min(criterion.values), max(criterion.values)
    return (criterion.low, criterion.high) if criterion.low is not None and criterion.high is not None else None
