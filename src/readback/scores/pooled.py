"""Scores that several judges, or several people, gave to the same answers, as one table of their means.

An item's mean under a condition is the mean of its judges, each with the mean of what it gave there; a condition's
mean is the mean of its items, and its interval is over items. A judge without a score is in no mean.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

from readback.scores.agreement.ratings import is_person
from readback.scores.criterion_kinds import is_metric, is_program, scored_by
from readback.scores.table import NONE, SCORED, Columns, ConditionKey, Pool, ScoreTable
from readback.scores.values.criteria import MINUS, number
from readback.types import Criterion

PEOPLE, JUDGES = "*people", "*judges"  # what pools are called where a judge is named; shown in words
EXACT = 12  # decimals: means of the same scores differ by rounding alone


@dataclass(frozen=True, slots=True)
class Raters:
    """How many judges the scored items of a row have: in all, and the fewest and the most of one item."""

    judges: int
    fewest: int
    most: int


@lru_cache(maxsize=4)
def pooled(table: ScoreTable) -> ScoreTable | None:
    """Return a table of means over judges, one for each item and condition; None where no answer has two judges.

    People are pooled with people and judges with judges, under the names PEOPLE and JUDGES. The scale of a pooled
    criterion has its ends and no steps. Names (a nominal scale), programs and automatic metrics are not pooled.
    """
    pools_by_key = dict(_pools(table))
    if not pools_by_key:
        return None
    c = table.columns
    criteria = tuple(name for name in c.criteria if any((name, pool) in pools_by_key for pool in (PEOPLE, JUDGES)))
    names = tuple(pool for pool in (PEOPLE, JUDGES) if any(pool == pool_name for _, pool_name in pools_by_key))
    parts = [
        _means(c, criterion, criteria.index(criterion), names.index(pool), judges)
        for (criterion, pool), judges in pools_by_key.items()
    ]
    columns = _joined(c, parts, criteria, names, ((name, judges) for (name, _), judges in pools_by_key.items()))
    return replace(
        table,
        columns=columns,
        criteria={name: _scale(table.criteria[name]) for name in criteria},
        inferred=table.inferred & set(criteria),
        reported=(),
        outcomes=(),
        expenses=(),
        diagnostics=(),
        pool=Pool(table, pools_by_key),
    )


def pools(table: ScoreTable, criterion: str) -> tuple[str, ...]:
    """Return the pools that a criterion has: PEOPLE, JUDGES, both or none."""
    pooled_table = pooled(table)
    if pooled_table is not None and pooled_table.pool is not None:
        there = pooled_table.pool.judges
    else:
        there = {}
    return tuple(pool for pool in (PEOPLE, JUDGES) if (criterion, pool) in there)


def members(table: ScoreTable, criterion: str, pool: str) -> tuple[str, ...]:
    """Return the judges that a pool of this table takes together; none where it is no pool."""
    pooled_table = table if table.pool is not None else pooled(table)
    if pooled_table is not None and pooled_table.pool is not None:
        return pooled_table.pool.judges.get((criterion, pool), ())
    return ()


@lru_cache(maxsize=64)
def raters(table: ScoreTable, criterion: str, pool: str, condition: ConditionKey | None = None) -> Raters:
    """How many judges the items of a pool have, under one condition (or value of a factor) or under all."""
    import numpy as np

    assert table.pool is not None  # noqa: S101 - asked of pooled tables
    whole = table.pool.table
    unit, judge, _, cells = _ratings(whole.columns, criterion, table.pool.judges[criterion, pool])
    if condition is not None:
        codes = [at for at, key in enumerate(whole.columns.conditions) if set(condition) <= set(key)]
        here = np.isin(np.asarray(whole.columns.condition)[cells], codes)
        unit, judge = unit[here], judge[here]
    if not len(unit):
        return Raters(0, 0, 0)
    pairs = np.unique(np.stack([unit, judge]), axis=1)
    counts = np.unique(pairs[0], return_counts=True)[1]
    return Raters(len(np.unique(judge)), int(counts.min()), int(counts.max()))


def _pools(table: ScoreTable) -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
    import numpy as np

    c = table.columns
    for name in c.criteria:
        if table.criteria[name].scale == "nominal" or is_metric(name):
            continue
        judges = [judge for judge in scored_by(table, name) if not is_program(judge)]
        people = tuple(judge for judge in judges if is_person(judge, table.people))
        for pool, members in (
            (PEOPLE, people),
            (JUDGES, tuple(name_of_judge for name_of_judge in judges if name_of_judge not in people)),
        ):
            if len(members) < 2:
                continue
            unit, judge, _, _ = _ratings(c, name, members)
            pairs = np.unique(np.stack([unit, judge]), axis=1)
            if len(np.unique(pairs[0])) < pairs.shape[1]:
                yield (name, pool), members


def _ratings(c: Columns, criterion: str, judges: tuple[str, ...]) -> tuple[Any, Any, Any, Any]:
    """Of each scored cell of these judges: its answer (item × condition), judge and value; and the cells' numbers."""
    import numpy as np

    cells = _cells(c, criterion, judges)
    cells = cells[np.frombuffer(c.state, np.uint8)[cells] == SCORED]
    return _answers(c, cells), np.asarray(c.judge)[cells].astype(np.int64), np.asarray(c.value)[cells], cells


def _cells(c: Columns, criterion: str, judges: tuple[str, ...]) -> Any:
    import numpy as np

    here = np.asarray(c.criterion) == c.criteria.index(criterion)
    here &= np.isin(np.asarray(c.judge), [c.judges.index(name) for name in judges])
    return np.flatnonzero(here)


def _answers(c: Columns, cells: Any) -> Any:
    import numpy as np

    return np.asarray(c.item)[cells].astype(np.int64) * len(c.conditions) + np.asarray(c.condition)[cells]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The cells of one pool, as arrays; `first` is the cell of the files that each begins with."""

    criterion: int
    judge: int
    first: Any
    value: Any
    state: Any


def _means(c: Columns, criterion: str, code: int, pool: int, judges: tuple[str, ...]) -> _Part:
    """One cell for each answer that any of the judges has a cell of: the mean of their means, else its first state.

    An answer that one judge failed at and the others scored is scored; one that none scored has failed where any
    judge did, else is missing where any should have scored it, else the criterion does not apply.
    """
    import numpy as np

    cells = _cells(c, criterion, judges)
    answers, first, unit = np.unique(_answers(c, cells), return_index=True, return_inverse=True)
    state = np.full(len(answers), 255, np.uint8)  # scored, failed, missing and not applicable are 0 to 3
    np.minimum.at(state, unit.ravel(), np.frombuffer(c.state, np.uint8)[cells])
    answer, judge, value, _ = _ratings(c, criterion, judges)
    keys, back, counts = np.unique(answer * len(c.judges) + judge, return_inverse=True, return_counts=True)
    of_judge = np.bincount(back.ravel(), value, len(keys)) / counts
    places = np.searchsorted(answers, keys // len(c.judges))
    many = np.bincount(places, minlength=len(answers))
    total = np.bincount(places, of_judge, len(answers))
    mean = np.full(len(answers), np.nan)
    mean[many > 0] = np.round(total[many > 0] / many[many > 0], EXACT)
    order = np.argsort(cells[first], kind="stable")
    return _Part(code, pool, cells[first][order], mean[order], state[order])


def _joined(
    c: Columns,
    parts: Sequence[_Part],
    criteria: tuple[str, ...],
    names: tuple[str, ...],
    whose: Iterable[tuple[str, tuple[str, ...]]],
) -> Columns:
    import numpy as np

    first = np.concatenate([part.first for part in parts])
    sizes = [len(part.first) for part in parts]

    def take_first(column: Any) -> array[int]:
        return array(column.typecode, np.asarray(column)[first].tolist())

    def coded(column: Any, codes: list[int]) -> array[int]:
        return array(column.typecode, np.repeat(codes, sizes).tolist())

    return replace(
        c,
        item=take_first(c.item),
        condition=take_first(c.condition),
        cluster=take_first(c.cluster),
        prompt=take_first(c.prompt),
        file=take_first(c.file),
        line=take_first(c.line),
        run=array(c.run.typecode, [NONE]) * len(first),
        criterion=coded(c.criterion, [part.criterion for part in parts]),
        judge=coded(c.judge, [part.judge for part in parts]),
        value=array(c.value.typecode, np.concatenate([part.value for part in parts]).tolist()),
        state=bytearray(np.concatenate([part.state for part in parts]).tobytes()),
        criteria=criteria,
        judges=names,
        whys={},
        texts=_Given(c, first, list(whose), sizes),
    )


def _scale(criterion: Criterion) -> Criterion:
    """Return a range with the same ends, without steps: a mean lies between them."""
    return replace(criterion, scale="numeric", values=(), meanings={})


class _Given(Mapping[int, str]):
    """What each judge gave the answer of a pooled cell, in one line, made when it is looked at."""

    def __init__(self, c: Columns, first: Any, whose: Sequence[tuple[str, tuple[str, ...]]], sizes: Any) -> None:
        self.columns, self.first, self.whose = c, first, whose
        self.ends = list(accumulate(sizes))

    def __len__(self) -> int:
        return len(self.first)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.first)))

    def __getitem__(self, at: int) -> str:
        if not 0 <= at < len(self.first):
            raise KeyError(at)
        criterion, judges = self.whose[bisect_right(self.ends, at)]
        c, cell = self.columns, int(self.first[at])
        answers, order = self._order
        key = c.item[cell] * len(c.conditions) + c.condition[cell]
        low, high = (int(answers.searchsorted(key, side)) for side in ("left", "right"))
        here = (int(code) for code in order[low:high])
        return " · ".join(
            f"{c.judges[c.judge[code]]}: {number(c.value[code]).replace('-', MINUS)}"
            for code in here
            if c.state[code] == SCORED
            and c.criteria[c.criterion[code]] == criterion
            and c.judges[c.judge[code]] in judges
        )

    @cached_property
    def _order(self) -> tuple[Any, Any]:
        """The answers of all cells of the files in order, and where each cell is in them."""
        import numpy as np

        answers = _answers(self.columns, np.arange(len(self.columns)))
        order = np.argsort(answers, kind="stable")
        return answers[order], order
