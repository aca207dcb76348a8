"""How far a difference could move if the scores that a judge failed to give on one side were known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from readback.scores.comparing.paired_items import PairedItems, members, scored_items
from readback.scores.summary import BY_LINE
from readback.scores.table import FAILED, MISSING, ConditionKey, ScoreTable
from readback.types import Criterion

Bounds = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Lost:
    """At how many items the judge gave no score under a, and under b, that it scored on the other side.

    Where b − a over these and the shared items lies whatever those scores are: `bounds` of these items, `interval` of
    all items like them (from the lower end of the 95 % interval of the least difference to the upper end of that of
    the most).
    """

    under_a: int = 0
    under_b: int = 0
    bounds: Bounds | None = None
    interval: Bounds | None = None


def bounds(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, shared: PairedItems
) -> Lost:
    """What a judge failed to give, and how far it could move b − a (Manski 1990: each is put at either end of the
    scale; Horowitz and Manski 2000 for the intervals of both).

    No bounds without such items, without ends of the scale, and of means over several judges (then 0 items). The
    intervals take items as independent.
    """
    if table.pool is not None or a not in table.columns.conditions:
        return Lost()
    import numpy as np

    lost_b = _lost(table, a, b, criterion, judge)
    lost_a = _lost(table, b, a, criterion, judge)
    edges = ends(table.criteria[criterion])
    if not len(lost_a) + len(lost_b) or edges is None:
        return Lost(len(lost_a), len(lost_b))
    low, high = edges
    known = shared.b - shared.a
    least = np.concatenate([known, low - lost_b, lost_a - high])
    most = np.concatenate([known, high - lost_b, lost_a - low])
    sides = _low(least), -_low(-most)
    return Lost(len(lost_a), len(lost_b), (float(least.mean()), float(most.mean())), sides)


def _low(differences: Any) -> float:
    """The lower end of the interval of their mean; the mean where they have none."""
    from readback.stats import interval

    found = interval.compute_difference_interval(differences)
    return found.low if found else float(differences.mean())


@lru_cache(maxsize=64)
def judges_of_criterion(table: ScoreTable, criterion: str) -> tuple[str, ...]:
    """Return who has cells for a criterion."""
    import numpy as np

    c = table.columns
    here = np.asarray(c.criterion) == c.criteria.index(criterion)
    return tuple(c.judges[code] for code in np.unique(np.asarray(c.judge)[here]).tolist())


def _lost(table: ScoreTable, scored: ConditionKey, failed: ConditionKey, criterion: str, judge: str) -> Any:
    """The scores under one condition of the items that have none under the other, because the judge failed there.

    Where the criterion has one judge only, a row without a score, and an item without a row, count as well: nobody
    else was to give it. Of items that are known by their line only, those without a row are not counted.
    """
    import numpy as np

    c = table.columns
    state = np.frombuffer(c.state, np.uint8)
    unscored = state == FAILED
    alone = len(judges_of_criterion(table, criterion)) == 1
    if alone:
        unscored |= state == MISSING
    here = np.asarray(c.criterion) == c.criteria.index(criterion)
    here &= np.asarray(c.judge) == c.judges.index(judge)
    here &= np.isin(np.asarray(c.condition), members(table, failed))
    item = np.asarray(c.item)
    names, means = scored_items(table, scored, criterion, judge)
    without = {c.items[code] for code in item[here & unscored].tolist()}
    if alone and not all(map(BY_LINE.fullmatch, c.items)):
        with_row = {c.items[code] for code in np.unique(item[here]).tolist()}
        without |= set(names) - with_row
    without -= set(scored_items(table, failed, criterion, judge)[0])
    return means[np.array([name in without for name in names], bool)]


def ends(criterion: Criterion) -> Bounds | None:
    """Return the least and the greatest value of a criterion's scale; None where it has none."""
    if criterion.scale == "binary":
        return 0.0, 1.0
    if criterion.values:
        return min(criterion.values), max(criterion.values)
    return (criterion.low, criterion.high) if criterion.low is not None and criterion.high is not None else None
