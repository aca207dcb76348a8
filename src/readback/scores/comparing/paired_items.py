"""Pair the items that two conditions were both scored on, with both scores, for every paired number."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from readback.scores.table import NONE, SCORED, Columns, ConditionKey, Pool, ScoreTable


@dataclass(frozen=True, slots=True, eq=False)
class PairedItems:
    """Hold the shared items in the order of the files.

    `a` and `b` are float arrays of their scores (means, where an item has several); `clusters` holds a code for each
    item, or is None where not every item has one. `only_a` and `only_b` count items scored on one side only.
    """

    items: tuple[str, ...]
    a: Any
    b: Any
    clusters: Any
    only_a: int
    only_b: int


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """Hold the scored cells of one criterion and judge as arrays; `judge` holds codes of the judges of a pool."""

    item: Any
    condition: Any
    cluster: Any
    value: Any
    judge: Any
    judges: int = 1


def pair_items(table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str) -> PairedItems:
    """Return the items scored under `a` and under `b` by one judge.

    `a` and `b` are conditions, or two values of one factor: then an item's scores are paired within the same values
    of all other factors, so that a cell missing on one side leaves its partner out too, and averaged by item. Of a
    pooled table they are paired within the same judge as well, so that no judge counts on one side alone.
    """
    import numpy as np

    scored = _get_rated_cells(table, criterion, judge)
    remainder, remainders = _number_remainders(table.columns.conditions, a)
    cells_of_item = remainders * scored.judges
    pairs, means = [], []
    for side in (a, b):
        members = np.asarray(list_members(table, side), np.int64)
        cells = np.isin(scored.condition, members)
        key = scored.item[cells].astype(np.int64) * cells_of_item
        key += remainder[scored.condition[cells]] * scored.judges + scored.judge[cells]
        pair, position, counts = np.unique(key, return_inverse=True, return_counts=True)
        pairs.append(pair)
        means.append(np.bincount(position, scored.value[cells], len(pair)) / counts)
    shared, in_a, in_b = np.intersect1d(pairs[0], pairs[1], assume_unique=True, return_indices=True)
    codes, position, counts = np.unique(shared // cells_of_item, return_inverse=True, return_counts=True)
    mean_a = np.bincount(position, means[0][in_a], len(codes)) / counts
    mean_b = np.bincount(position, means[1][in_b], len(codes)) / counts
    only_a, only_b = (len(np.setdiff1d(pair // cells_of_item, codes)) for pair in pairs)
    items = tuple(table.columns.items[code] for code in codes.tolist())
    return PairedItems(items, mean_a, mean_b, _find_clusters(scored, codes), only_a, only_b)


def get_scored_items(
    table: ScoreTable, condition: ConditionKey, criterion: str, judge: str
) -> tuple[tuple[str, ...], Any]:
    """Return the items scored under a condition (or a value of a factor), and their scores as an array.

    Means, where an item has several scores.
    """
    import numpy as np

    scored = _get_scored_cells(table, criterion, judge)
    cells = np.isin(scored.condition, list_members(table, condition))
    codes, position, counts = np.unique(scored.item[cells], return_inverse=True, return_counts=True)
    means = np.bincount(position, scored.value[cells], len(codes)) / counts
    return tuple(table.columns.items[code] for code in codes.tolist()), means


def list_members(table: ScoreTable, side: ConditionKey) -> list[int]:
    """Return the codes of the conditions that `side` names: itself, or all that have these values of its factors."""
    conditions = table.columns.conditions
    if side in conditions:
        return [conditions.index(side)]
    return [code for code, key in enumerate(conditions) if set(side) <= set(key)]


@lru_cache(maxsize=8)  # of a million scores one takes some ten megabytes
def _get_scored_cells(table: ScoreTable, criterion: str, judge: str) -> _Scored:
    import numpy as np

    columns = table.columns
    cells = np.frombuffer(columns.state, np.uint8) == SCORED
    cells &= np.asarray(columns.criterion) == columns.criteria.index(criterion)
    cells &= np.asarray(columns.judge) == columns.judges.index(judge)
    item, condition, cluster, value = (
        np.asarray(column)[cells] for column in (columns.item, columns.condition, columns.cluster, columns.value)
    )
    return _Scored(item, condition, cluster, value, np.zeros(len(item), np.int64))


@lru_cache(maxsize=8)
def _get_rated_cells(table: ScoreTable, criterion: str, judge: str) -> _Scored:
    """Return the cells that pairs are made of: of a pooled table those of each judge, else those of the judge."""
    import numpy as np

    if table.pool is None:
        return _get_scored_cells(table, criterion, judge)
    names = table.pool.judges.get((criterion, judge), ())
    parts = [_get_scored_cells(table.pool.table, criterion, name) for name in names]
    if not parts:
        return _get_scored_cells(table, criterion, judge)
    codes = np.repeat(np.arange(len(parts)), [len(part.item) for part in parts])
    item, condition, cluster, value = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("item", "condition", "cluster", "value")
    )
    return _Scored(item, condition, cluster, value, codes, len(parts))


def _number_remainders(conditions: Sequence[ConditionKey], side: ConditionKey) -> tuple[Any, int]:
    """Return for each condition a number of what it has besides the factors of `side`, and how many numbers there are.

    Items are paired where these numbers are equal. Where `side` is a whole condition, nothing is left to pair by, so
    all have the number 0.
    """
    import numpy as np

    if side in conditions:
        return np.zeros(len(conditions), np.int64), 1
    factors = {factor for factor, _ in side}
    code_of: dict[ConditionKey, int] = {}
    codes: list[int] = []
    for key in conditions:
        remainder = tuple(pair for pair in key if pair[0] not in factors)
        codes.append(code_of.setdefault(remainder, len(code_of)))
    return np.array(codes, np.int64), max(len(code_of), 1)


def _find_clusters(scored: _Scored, codes: Any) -> Any:
    """Return the cluster of each item; None where an item has none."""
    import numpy as np

    clustered = scored.cluster != NONE
    if not clustered.any() or not len(codes):
        return None
    items, first = np.unique(scored.item[clustered], return_index=True)
    if not np.isin(codes, items).all():
        return None
    return scored.cluster[clustered][first][np.searchsorted(items, codes)]


@lru_cache(maxsize=8)
def drop_items(table: ScoreTable, items: frozenset[str]) -> ScoreTable:
    """Return the table without the cells of these items; of a pooled table, without them in what is pooled too.

    Notes and reasons are left out: such a table is for computing, not for listing.
    """
    reduced = replace(table, columns=_drop_cells(table.columns, items))
    if table.pool is None:
        return reduced
    return replace(reduced, pool=Pool(drop_items(table.pool.table, items), table.pool.judges))


def _drop_cells(columns: Columns, items: frozenset[str]) -> Columns:
    import numpy as np

    dropped = [code for code, name in enumerate(columns.items) if name in items]
    cells = np.flatnonzero(~np.isin(np.asarray(columns.item), dropped))

    def select(column: Any) -> Any:
        return array(column.typecode, np.asarray(column)[cells].tolist())

    return replace(
        columns,
        item=select(columns.item),
        condition=select(columns.condition),
        criterion=select(columns.criterion),
        judge=select(columns.judge),
        cluster=select(columns.cluster),
        run=select(columns.run),
        prompt=select(columns.prompt),
        file=select(columns.file),
        line=select(columns.line),
        value=select(columns.value),
        state=bytearray(np.frombuffer(columns.state, np.uint8)[cells].tobytes()),
        whys={},
        texts={},
    )
