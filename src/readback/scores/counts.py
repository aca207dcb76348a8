"""Scores counted for charts: pairs of criteria, pairs of factors, and what became of each record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from readback.scores.table import NOT_APPLICABLE, SCORED, ConditionKey, ScoreTable
from readback.scores.values.criteria import number
from readback.types import Criterion

BINS = 5  # ranges of a measured criterion where two of them are set against each other
LISTED = 12  # distinct values that are taken one by one


@dataclass(frozen=True, slots=True)
class Counted:
    """How often each pair of values came together: `counts[row][column]`. `left_out` had a value on one side only."""

    titles: tuple[str, str]  # what rows and columns are
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    left_out: int = 0

    @property
    def n(self) -> int:
        """All pairs."""
        return sum(map(sum, self.counts))


@dataclass(frozen=True, slots=True)
class Heat:
    """Means, numbers of scored and of failed or missing cells, by the values of two factors.

    `same_items` is False where not every pair of values has scores of the same items under the same other factors, so
    that two means may differ because their items do.
    """

    titles: tuple[str, str]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    means: tuple[tuple[float | None, ...], ...]
    counts: tuple[tuple[int, ...], ...]
    unscored: tuple[tuple[int, ...], ...]
    same_items: bool = True


def joint(table: ScoreTable, first: str, second: str, judge: str) -> Counted:
    """How often the values of two criteria came together, by item, condition and run; `first` makes the rows.

    Where one judge gave several scores of one criterion there, the first in the files counts. Raises ValueError for
    a criterion or judge that is not there.
    """
    a, b, left = _together(table, first, second, judge)
    counted = transitions(a[1], b[1], table.criteria[first], table.criteria[second], (first, second))
    return Counted(counted.titles, counted.rows, counted.columns, counted.counts, left)


def joint_cells(table: ScoreTable, first: str, second: str, judge: str, row: str, column: str) -> list[int]:
    """Return what `joint` counts in the cell of that row and column: the numbers of the scores of `first`."""

    (cells, a), (_, b), _ = _together(table, first, second, judge)
    (rows, i), (columns, j) = _coded(a, table.criteria[first], None), _coded(b, table.criteria[second], None)
    if row not in rows or column not in columns:
        return []
    numbers: list[int] = cells[(i == rows.index(row)) & (j == columns.index(column))].tolist()
    return numbers


def _together(table: ScoreTable, first: str, second: str, judge: str) -> tuple[tuple[Any, Any], tuple[Any, Any], int]:
    """Pair the scores of two criteria: return their numbers and values, and how many scores have no partner."""
    import numpy as np

    c = table.columns
    cells = []
    for name in (first, second):
        here = np.frombuffer(c.state, np.uint8) == SCORED
        here &= (np.asarray(c.criterion) == c.criteria.index(name)) & (np.asarray(c.judge) == c.judges.index(judge))
        at = np.flatnonzero(here)
        key = np.asarray(c.condition)[at].astype(np.int64) * len(c.items) + np.asarray(c.item)[at]
        key = key * (len(c.runs) + 1) + np.asarray(c.run)[at] + 1
        distinct, where = _first(key)
        cells.append((distinct, at[where]))
    (a, a_at), (b, b_at) = cells
    shared, in_a, in_b = np.intersect1d(a, b, assume_unique=True, return_indices=True)
    value = np.asarray(c.value)
    both = [(at, value[at]) for at in (a_at[in_a], b_at[in_b])]
    return both[0], both[1], len(a) + len(b) - 2 * len(shared)


def transitions(
    a: Any, b: Any, criterion: Criterion, other: Criterion | None = None, titles: tuple[str, str] = ("a", "b")
) -> Counted:
    """How often each value of `a` came with each of `b`, arrays of equal length; measured values in equal ranges.

    Means of several scores, which lie between the values of a scale, count at the nearest.
    """
    import numpy as np

    if other is None:
        both = np.concatenate([a, b])
    else:
        both = None
    (rows, i), (columns, j) = (
        _coded(np.asarray(values, float), pair, both) for values, pair in ((a, criterion), (b, other or criterion))
    )
    flat = np.bincount(i * len(columns) + j, minlength=len(rows) * len(columns)).reshape(len(rows), len(columns))
    return Counted(titles, rows, columns, tuple(map(tuple, flat.tolist())))


def heat(table: ScoreTable, rows: str, columns: str, criterion: str, judge: str) -> Heat:
    """Compute the mean and the counts of every pair of values of two factors, over all rows that share it."""
    import numpy as np

    c = table.columns
    down, across = table.factors[rows], table.factors[columns]
    names = [dict(key) for key in c.conditions]
    to = np.array(
        [
            -1 if rows not in n or columns not in n else down.index(n[rows]) * len(across) + across.index(n[columns])
            for n in names
        ]
    )
    here = (np.asarray(c.criterion) == c.criteria.index(criterion)) & (np.asarray(c.judge) == c.judges.index(judge))
    place, state = to[np.asarray(c.condition)[here]], np.frombuffer(c.state, np.uint8)[here]
    many = len(down) * len(across)
    scored = (state == SCORED) & (place >= 0)
    unscored = (state != SCORED) & (state != NOT_APPLICABLE) & (place >= 0)
    n = np.bincount(place[scored], minlength=many)
    total = np.bincount(place[scored], np.asarray(c.value)[here][scored], many)
    means = [t / k if k else None for t, k in zip(total.tolist(), n.tolist(), strict=True)]
    shaped = (
        _shaped(flat, len(across))
        for flat in (means, n.tolist(), np.bincount(place[unscored], minlength=many).tolist())
    )
    mean_table, count_table, unscored_table = shaped
    others: dict[ConditionKey, int] = {}
    rest = [
        others.setdefault(tuple(p for p in key if p[0] not in (rows, columns)), len(others)) for key in c.conditions
    ]
    item = np.asarray(c.item)[here].astype(np.int64) * len(others) + np.array(rest)[np.asarray(c.condition)[here]]
    return Heat(
        (rows, columns), down, across, mean_table, count_table, unscored_table, _same(place[scored], item[scored])
    )


def _same(places: Any, items: Any) -> bool:
    """Whether every place that has any has all the items."""
    import numpy as np

    if not len(items):
        return True
    all_of = np.unique(items)
    pairs = places.astype(np.int64) * len(all_of) + np.searchsorted(all_of, items)
    pairs.sort()
    each = np.bincount(pairs[np.r_[True, pairs[1:] != pairs[:-1]]] // len(all_of))
    return bool((each[each > 0] == len(all_of)).all())


def _first(key: Any) -> tuple[Any, Any]:
    """Return the distinct keys in order, and where each occurs first."""
    import numpy as np

    order = np.argsort(key, kind="stable")
    ordered = key[order]
    new = np.ones(len(key), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new], order[new]


def _coded(values: Any, criterion: Criterion, both: Any) -> tuple[tuple[str, ...], Any]:
    """Return the names of a criterion's values or ranges, and for each value the code of its name."""
    import numpy as np

    steps = np.asarray(criterion.values, float)
    if not len(steps):
        distinct = np.unique(values if both is None else both)
        if len(distinct) > LISTED:
            low, high = criterion.low, criterion.high
            has_ends = low is not None and high is not None and low <= distinct[0] and distinct[-1] <= high
            if has_ends:
                start, end = (low or 0.0, high or 0.0)
            else:
                start, end = (float(distinct[0]), float(distinct[-1]))
            edges = np.linspace(start, end, BINS + 1)
            names = tuple(f"{number(a)} to {number(b)}" for a, b in pairwise(edges.tolist()))
            return names, np.clip(np.searchsorted(edges, values, side="right") - 1, 0, BINS - 1)
        steps = distinct
    middles = (steps[1:] + steps[:-1]) / 2
    rounded = tuple(number(round(value, 2)) for value in steps.tolist())  # a mean over three judges has endless digits
    exact = tuple(number(value) for value in steps.tolist())
    return rounded if len(set(rounded)) == len(rounded) else exact, np.searchsorted(middles, values, side="right")


def _shaped(flat: Sequence[Any], width: int) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(flat[at : at + width]) for at in range(0, len(flat), width))
