"""Compute what the grid is sorted and filtered by, from the scores alone: no record and no answer is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from readback.scores import pooled
from readback.scores.agreement.ratings import collect_ratings
from readback.scores.table import FAILED, MISSING, NOT_APPLICABLE, SCORED, ConditionKey, ScoreTable
from readback.types import Criterion
from readback.ui.common.draw.score_chip import NO_ROW

ORDER = (NO_ROW, NOT_APPLICABLE, MISSING, FAILED, SCORED)  # of several cells of an answer the last state counts
WORST = 0.1  # share of the scored records that are the worst
EXACT = 12  # decimals: means of the same scores differ by rounding alone
PAIR = 2

Sides = tuple[ConditionKey, ...]


@dataclass(frozen=True, slots=True, eq=False)
class GridValues:
    """Hold the items that have a row under any of the sides, in the order of the files.

    `values` is a matrix of items × sides: the score, of several the mean, NaN without any. `states` has the same form.
    """

    items: tuple[str, ...]
    values: Any
    states: Any


@lru_cache(maxsize=8)  # of 100,000 items under two conditions one takes some three megabytes
def collect_values(table: ScoreTable, sides: Sides, criterion: str, judge: str) -> GridValues:
    """Return the scores of one criterion by one judge (or a pool) under these conditions."""
    import numpy as np

    columns = table.columns
    values = np.full((len(columns.items), len(sides)), np.nan)
    states = np.full((len(columns.items), len(sides)), NO_ROW, np.uint8)
    for side, condition in enumerate(sides):
        cells = _find_cells(table, condition, criterion, (judge,))
        scored = cells[np.frombuffer(columns.state, np.uint8)[cells] == SCORED]
        items = np.asarray(columns.item)[scored]
        sums = np.bincount(items, np.asarray(columns.value)[scored], len(columns.items))
        counts = np.bincount(items, minlength=len(columns.items))
        values[:, side][counts > 0] = sums[counts > 0] / counts[counts > 0]
        _mark_states(states[:, side], table, condition, criterion, judge)
    present = np.flatnonzero((states != NO_ROW).any(axis=1))
    return GridValues(tuple(columns.items[code] for code in present.tolist()), values[present], states[present])


def _mark_states(states: Any, table: ScoreTable, condition: ConditionKey, criterion: str, judge: str) -> None:
    """Write the state of each item's answer; of a pool what its judges' own cells say."""
    import numpy as np

    if table.pool is None:
        whole = table
    else:
        whole = table.pool.table
    judges = (judge,) if table.pool is None else table.pool.judges.get((criterion, judge), ())
    cells = _find_cells(whole, condition, criterion, judges)
    cell_states = np.frombuffer(whole.columns.state, np.uint8)[cells]
    items = np.asarray(whole.columns.item)[cells]
    for state in ORDER[1:]:
        states[items[cell_states == state]] = state


def _find_cells(table: ScoreTable, condition: ConditionKey, criterion: str, judges: Sequence[str]) -> Any:
    import numpy as np

    columns = table.columns
    cells = np.asarray(columns.criterion) == columns.criteria.index(criterion)
    cells &= np.asarray(columns.condition) == columns.conditions.index(condition)
    cells &= np.isin(np.asarray(columns.judge), [columns.judges.index(judge) for judge in judges])
    return np.flatnonzero(cells)


def compute_differences(values: GridValues) -> Any:
    """Return of two sides the second minus the first, of more the widest difference; NaN where fewer have a score."""
    import numpy as np

    matrix = values.values
    if matrix.shape[1] < PAIR:
        return np.full(len(values.items), np.nan)
    if matrix.shape[1] == PAIR:
        return (matrix[:, 1] - matrix[:, 0]).round(EXACT)
    counts = (~np.isnan(matrix)).sum(axis=1)
    low = np.where(np.isnan(matrix), np.inf, matrix).min(axis=1)
    high = np.where(np.isnan(matrix), -np.inf, matrix).max(axis=1)
    return np.where(counts >= PAIR, high - low, np.nan).round(EXACT)


def compute_means(values: GridValues) -> Any:
    """Return the mean of each item over the conditions that have a score; NaN where none has."""
    import numpy as np

    counts = (~np.isnan(values.values)).sum(axis=1)
    sums = np.nansum(values.values, axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).round(EXACT)


def find_worst_limit(values: GridValues, criterion: Criterion) -> float | None:
    """Return the mean that the worst tenth of the records reach; None where none is scored."""
    import numpy as np

    means = compute_means(values)
    worst = np.sort(means[~np.isnan(means)])
    if not len(worst):
        return None
    if criterion.direction == "down":
        worst = worst[::-1]
    return float(worst[max(int(len(worst) * WORST) - 1, 0)])


def mark_worst(values: GridValues, criterion: Criterion) -> Any:
    """Return for each item whether it is among the worst tenth, with all that have the same mean."""
    import numpy as np

    means, limit = compute_means(values), find_worst_limit(values, criterion)
    if limit is None:
        return np.zeros(len(means), bool)
    if criterion.direction == "down":
        return means >= limit
    return means <= limit


@lru_cache(maxsize=8)
def find_disputed_items(
    table: ScoreTable, sides: Sides, criterion: str, judge: str
) -> tuple[frozenset[str], int, bool]:
    """Return the items on which judges disagree under these conditions, how many judges there are, and whether any
    answer has two of them.

    Of a pool its judges count, else all that scored the criterion.
    """
    import numpy as np

    if table.pool is None:
        whole = table
    else:
        whole = table.pool.table
    ratings = collect_ratings(whole, criterion)
    names = ratings.judges
    if judge in (pooled.PEOPLE, pooled.JUDGES):
        names = pooled.members(table, criterion, judge)
    codes = [code for code, name in enumerate(ratings.judges) if name in names]
    conditions = [whole.columns.conditions.index(side) for side in sides]
    counted = np.isin(ratings.judge, codes) & np.isin(ratings.condition[ratings.unit], conditions)
    low, high = np.full(len(ratings.item), np.inf), np.full(len(ratings.item), -np.inf)
    np.minimum.at(low, ratings.unit[counted], ratings.value[counted])
    np.maximum.at(high, ratings.unit[counted], ratings.value[counted])
    raters = np.bincount(ratings.unit[counted], minlength=len(ratings.item))
    disputed = np.unique(ratings.item[high > low])
    items = frozenset(whole.columns.items[code] for code in disputed.tolist())
    return items, len(codes), bool((raters >= PAIR).any())


def sort_items(values: GridValues, kept_items: Any, order: str, criterion: Criterion) -> Sequence[int]:
    """Return the places of the items in `order` (difference, score, record); what has no number is last."""
    import numpy as np

    places = np.flatnonzero(kept_items)
    if order == "difference":
        key = -np.abs(compute_differences(values)[places])
    elif order == "score":
        means = compute_means(values)[places]
        if criterion.direction == "down":
            key = -means
        else:
            key = means
    else:
        return tuple(places.tolist())
    return tuple(places[np.argsort(key, kind="stable")].tolist())
