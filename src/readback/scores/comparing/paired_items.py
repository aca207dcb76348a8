"""The items that two conditions were both scored on, with both scores: what every paired number is made of."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from readback.scores.table import NONE, SCORED, Columns, ConditionKey, Pool, ScoreTable


@dataclass(frozen=True, slots=True, eq=False)
class PairedItems:
    """Shared items in the order of the files. `a` and `b` are float arrays of their scores (means, where an item has
    several); `clusters` holds a code for each item, or is None where not every item has one. `only_a` and `only_b`
    count items scored on one side only.
    """

    items: tuple[str, ...]
    a: Any
    b: Any
    clusters: Any
    only_a: int
    only_b: int


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """The scored cells of one criterion and judge, as arrays of codes and values; `judge` codes those of a pool."""

    item: Any
    condition: Any
    cluster: Any
    value: Any
    judge: Any
    judges: int = 1


def items(table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str) -> PairedItems:
    """The items scored under `a` and under `b` by one judge.

    `a` and `b` are conditions, or two values of one factor: then an item's scores are paired within the same values
    of all other factors, so that a cell missing on one side leaves its partner out too, and averaged by item. Of a
    pooled table they are paired within the same judge as well, so that no judge counts on one side alone.
    """
    import numpy as np

    scored = _rated(table, criterion, judge)
    sides = [np.asarray(members(table, side), np.int64) for side in (a, b)]
    rest, others = _rest(table.columns.conditions, a)
    many = others * scored.judges
    pairs, means = [], []
    for side in sides:
        here = np.isin(scored.condition, side)
        key = scored.item[here].astype(np.int64) * many + rest[scored.condition[here]] * scored.judges
        key += scored.judge[here]
        found, back, counts = np.unique(key, return_inverse=True, return_counts=True)
        pairs.append(found)
        means.append(np.bincount(back, scored.value[here], len(found)) / counts)
    shared, in_a, in_b = np.intersect1d(pairs[0], pairs[1], assume_unique=True, return_indices=True)
    codes, back, counts = np.unique(shared // many, return_inverse=True, return_counts=True)
    a_mean, b_mean = (
        np.bincount(back, mean[where], len(codes)) / counts for mean, where in zip(means, (in_a, in_b), strict=True)
    )
    only = [len(np.setdiff1d(pair // many, codes)) for pair in pairs]
    names = table.columns.items
    return PairedItems(
        tuple(names[code] for code in codes.tolist()), a_mean, b_mean, _clusters(scored, codes), only[0], only[1]
    )


def scored_items(table: ScoreTable, condition: ConditionKey, criterion: str, judge: str) -> tuple[tuple[str, ...], Any]:
    """The items scored under a condition (or a value of a factor), and their scores as an array: means, where an
    item has several.
    """
    import numpy as np

    scored = _scored(table, criterion, judge)
    here = np.isin(scored.condition, members(table, condition))
    codes, back, counts = np.unique(scored.item[here], return_inverse=True, return_counts=True)
    means = np.bincount(back, scored.value[here], len(codes)) / counts
    return tuple(table.columns.items[code] for code in codes.tolist()), means


def members(table: ScoreTable, side: ConditionKey) -> list[int]:
    """The codes of the conditions that `side` names: itself, or all that have these values of its factors."""
    conditions = table.columns.conditions
    if side in conditions:
        return [conditions.index(side)]
    return [code for code, key in enumerate(conditions) if set(side) <= set(key)]


@lru_cache(maxsize=8)  # of a million scores one takes some ten megabytes
def _scored(table: ScoreTable, criterion: str, judge: str) -> _Scored:
    import numpy as np

    c = table.columns
    here = np.frombuffer(c.state, np.uint8) == SCORED
    here &= np.asarray(c.criterion) == c.criteria.index(criterion)
    here &= np.asarray(c.judge) == c.judges.index(judge)
    item, condition, cluster, value = (np.asarray(column)[here] for column in (c.item, c.condition, c.cluster, c.value))
    return _Scored(item, condition, cluster, value, np.zeros(len(item), np.int64))


@lru_cache(maxsize=8)
def _rated(table: ScoreTable, criterion: str, judge: str) -> _Scored:
    """The cells that pairs are made of: of a pooled table those of each judge, else those of the judge."""
    import numpy as np

    if table.pool is None:
        return _scored(table, criterion, judge)
    names = table.pool.judges.get((criterion, judge), ())
    parts = [_scored(table.pool.table, criterion, name) for name in names]
    if not parts:
        return _scored(table, criterion, judge)
    codes = np.repeat(np.arange(len(parts)), [len(part.item) for part in parts])
    item, condition, cluster, value = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("item", "condition", "cluster", "value")
    )
    return _Scored(item, condition, cluster, value, codes, len(parts))


def _rest(conditions: Sequence[ConditionKey], side: ConditionKey) -> tuple[Any, int]:
    """For each condition a code of everything but the factors of `side`, and how many codes there are."""
    import numpy as np

    factors = {factor for factor, _ in side}
    whole = side in conditions
    codes: dict[ConditionKey, int] = {}
    rest = [
        0 if whole else codes.setdefault(tuple(pair for pair in key if pair[0] not in factors), len(codes))
        for key in conditions
    ]
    return np.array(rest, np.int64), max(len(codes), 1)


def _clusters(scored: _Scored, codes: Any) -> Any:
    """The cluster of each item; None where an item has none."""
    import numpy as np

    known = scored.cluster != NONE
    if not known.any() or not len(codes):
        return None
    items, first = np.unique(scored.item[known], return_index=True)
    if not np.isin(codes, items).all():
        return None
    return scored.cluster[known][first][np.searchsorted(items, codes)]


@lru_cache(maxsize=8)
def drop_items(table: ScoreTable, items: frozenset[str]) -> ScoreTable:
    """The table without the cells of these items; of a pooled table, without them in what is pooled too.

    Notes and reasons are left behind: nothing is listed of such a table, only computed.
    """
    made = replace(table, columns=_drop_cells(table.columns, items))
    if table.pool is None:
        return made
    return replace(made, pool=Pool(drop_items(table.pool.table, items), table.pool.judges))


def _drop_cells(c: Columns, items: frozenset[str]) -> Columns:
    import numpy as np

    gone = [code for code, name in enumerate(c.items) if name in items]
    kept = np.flatnonzero(~np.isin(np.asarray(c.item), gone))

    def of(column: Any) -> Any:
        return array(column.typecode, np.asarray(column)[kept].tolist())

    return replace(
        c, item=of(c.item), condition=of(c.condition), criterion=of(c.criterion), judge=of(c.judge),
        cluster=of(c.cluster), run=of(c.run), prompt=of(c.prompt), file=of(c.file), line=of(c.line),
        value=of(c.value), state=bytearray(np.frombuffer(c.state, np.uint8)[kept].tobytes()), whys={}, texts={},
    )  # fmt: skip
