"""What the scores say: how many, how many not, the distribution and the mean, for each condition and criterion."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from readback.scores.criteria import MINUS, number
from readback.scores.table import FAILED, NOT_APPLICABLE, SCORED, ConditionKey, Reported, ScoreTable
from readback.types import Criterion, Note, Place

NO_INTERVALS = "intervals are not computed yet"
NOT_TESTED = "differences are not tested yet"
HIGH = 0.05  # share of failed or missing above which a mean speaks for too few
BINS = 10
MANY = 30  # distinct values of a numeric criterion that are still listed one by one


@dataclass(frozen=True, slots=True)
class Row:
    """One condition (or one value of a factor) under one criterion by one judge.

    `n` counts scored rows; `missing` counts items that were judged somewhere but have no value here. `mean` is None
    where n is 0. `distribution` holds (value or range, count), the whole scale where it is a list.
    """

    condition: ConditionKey
    criterion: str
    judge: str
    n: int
    failed: int
    missing: int
    not_applicable: int
    mean: float | None
    distribution: tuple[tuple[str, int], ...]
    interval: tuple[float, float] | None = None
    method: str | None = None
    interval_clustered: tuple[float, float] | None = None
    clusters: int | None = None
    design_effect: float | None = None

    @property
    def all(self) -> int:
        """Every cell there should be, but for those that do not apply."""
        return self.n + self.failed + self.missing


@lru_cache(maxsize=16)  # pages ask the same of the same table at every rerun
def rows(
    table: ScoreTable, by: str | None = None, criterion: str | None = None, judge: str | None = None
) -> tuple[Row, ...]:
    """One Row for each condition that was judged, in the order of criterion, judge and condition in the files.

    With `by`, rows of all conditions that share a value of that factor are taken together (a main effect). Raises
    LookupError, with the names there are, for a factor, criterion or judge that is not there.
    """
    c = table.columns
    if by is not None and by not in table.factors:
        raise LookupError(_unknown("factor", by, table.factors))
    wanted = _wanted("criterion", criterion, c.criteria)
    judges = _wanted("judge", judge, c.judges)
    return tuple(_rows(table, by, wanted, judges))


def _rows(table: ScoreTable, by: str | None, wanted: set[int], judges: set[int]) -> Iterator[Row]:
    import numpy as np

    c = table.columns
    if not len(c):
        return
    groups, to = _groups(table, by)
    item, condition = np.asarray(c.item), np.asarray(c.condition)
    value, state = np.asarray(c.value), np.frombuffer(c.state, np.uint8)
    pair = np.asarray(c.criterion, np.int64) * len(c.judges) + np.asarray(c.judge)
    order = np.argsort(pair, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(pair[order]) != 0])
    for cells in np.split(order, starts[1:]):
        code, said_by = divmod(int(pair[cells[0]]), len(c.judges))
        if code not in wanted or said_by not in judges:
            continue
        name = c.criteria[code]
        scale = table.criteria[name]
        there = _there(item[cells], condition[cells], len(c.conditions))
        universe = len(np.unique(item[cells]))
        edges = _edges(value[cells][state[cells] == SCORED], scale)
        group = to[condition[cells]]
        for key, here in ((int(g), cells[group == g]) for g in np.unique(group)):
            used = np.unique(condition[here])
            states = np.bincount(state[here], minlength=4).tolist()
            scored = value[here][state[here] == SCORED]
            yield Row(
                condition=groups[key],
                criterion=name,
                judge=c.judges[said_by],
                n=states[SCORED],
                failed=states[FAILED],
                missing=states[2] + len(used) * universe - int(there[used].sum()),
                not_applicable=states[NOT_APPLICABLE],
                mean=math.fsum(scored.tolist()) / len(scored) if len(scored) else None,
                distribution=_distribution(scored, scale, edges),
            )


def _groups(table: ScoreTable, by: str | None) -> tuple[Sequence[ConditionKey], Any]:
    """The conditions, or the values of one factor, and for each condition code the group it belongs to."""
    import numpy as np

    conditions = table.columns.conditions
    if by is None:
        return conditions, np.arange(len(conditions))
    groups: dict[ConditionKey, int] = {}
    to = [groups.setdefault(((by, dict(key).get(by, "")),), len(groups)) for key in conditions]
    return tuple(groups), np.array(to)


def _there(items: Any, conditions: Any, many: int) -> Any:
    """How many items have a row, by condition."""
    import numpy as np

    pairs = np.unique(conditions.astype(np.int64) << 32 | items)
    return np.bincount(pairs >> 32, minlength=many)


def _edges(scored: Any, criterion: Criterion) -> tuple[float, ...]:
    """Where ranges of a measured criterion begin and end; none where every value is counted by itself.

    Asked once for a criterion and judge, so that the distributions of all conditions have the same bars.
    """
    import numpy as np

    low, high = criterion.low, criterion.high
    if criterion.values or criterion.scale != "numeric" or low is None or high is None or not low < high:
        return ()
    values = np.unique(scored)
    if len(values) <= MANY and bool(np.all(np.round(values, 2) == values)):
        return ()
    return tuple(np.linspace(low, high, BINS + 1).tolist())


def _distribution(scored: Any, criterion: Criterion, edges: Sequence[float]) -> tuple[tuple[str, int], ...]:
    import numpy as np

    if edges:
        counts = np.histogram(scored, edges)[0].tolist()
        return tuple((f"{number(a)} to {number(b)}", n) for (a, b), n in zip(pairwise(edges), counts, strict=True))
    found = dict(zip(*(many.tolist() for many in np.unique(scored, return_counts=True)), strict=True))
    return tuple((number(value), found.get(value, 0)) for value in criterion.values or sorted(found))


def main_effects(
    table: ScoreTable, criterion: str | None = None, judge: str | None = None
) -> Mapping[str, tuple[Row, ...]]:
    """The rows of every factor that varies."""
    return {factor: rows(table, factor, criterion, judge) for factor in table.varying}


def cells(
    table: ScoreTable, wanted: Callable[[ConditionKey], bool], criterion: str, judge: str
) -> tuple[int, list[int]]:
    """How many conditions are wanted, and the numbers of their cells for one criterion and judge."""
    import numpy as np

    c = table.columns
    codes = [code for code, key in enumerate(c.conditions) if wanted(key)]
    kept = np.isin(np.asarray(c.condition), codes)
    kept &= (np.asarray(c.criterion) == c.criteria.index(criterion)) & (np.asarray(c.judge) == c.judges.index(judge))
    return len(codes), np.flatnonzero(kept).tolist()


def notes(table: ScoreTable) -> tuple[Note, ...]:
    """What is wrong with the scores: what was seen while reading, and what shows only when they are counted."""
    found = rows(table)
    return (*table.notes, *_missing(table, found), *_differs(table, found))


def _missing(table: ScoreTable, found: Sequence[Row]) -> Iterator[Note]:
    for row in found:
        lost = row.failed + row.missing
        if lost > HIGH * row.all:
            label = table.label(row.condition)
            values = {
                "condition": label, "criterion": row.criterion, "lost": lost, "all": row.all,
                "failed": row.failed, "missing": row.missing,
            }  # fmt: skip
            place = Place(condition=label, judge=row.judge or None)
            yield Note("scr-missing-high", values, place, flagged=f"{row.criterion}|{row.judge}")


def _differs(table: ScoreTable, found: Sequence[Row]) -> Iterator[Note]:
    """Means that a file states and its rows do not give."""
    for means, row in beside(table, found):
        if row is None or row.mean is None:
            continue
        if not agrees(means, row):
            values = {
                "condition": table.label(row.condition), "criterion": row.criterion,
                "stated": number(means.mean), "computed": number(round(row.mean, 6)),
                "n": row.n, "stated_n": "–" if means.n is None else means.n,
            }  # fmt: skip
            yield Note("scr-summary-differs", values, means.place, flagged=f"{values['condition']}|{row.criterion}")


def agrees(means: Reported, row: Row) -> bool:
    """Whether a stated mean, as exactly as it is printed, and its n where it says one, are those of the rows."""
    close = row.mean is not None and abs(row.mean - means.mean) <= 0.5 * 10**-means.decimals + 1e-9
    return close and means.n in (None, row.n)


def beside(table: ScoreTable, found: Sequence[Row]) -> Iterator[tuple[Reported, Row | None]]:
    """Each mean that a file states, with the row computed for the same condition and criterion, if there is one."""
    by: dict[tuple[frozenset[tuple[str, str]], str], list[Row]] = {}
    for row in found:
        by.setdefault((frozenset(row.condition), row.criterion), []).append(row)
    for means in table.reported:
        rows_of_it = by.get((frozenset(means.condition), means.criterion), [])
        same = [row for row in rows_of_it if row.judge == means.judge]
        yield means, (same or rows_of_it)[0] if len(same or rows_of_it) == 1 else None


def _wanted(what: str, name: str | None, names: Sequence[str]) -> set[int]:
    """The codes that a filter lets through; a criterion may be named without its ending `_score`."""
    if name is None:
        return set(range(len(names)))
    found = {code for code, known in enumerate(names) if name in (known, known.removesuffix("_score"))}
    if not found:
        raise LookupError(_unknown(what, name, names))
    return found


def _unknown(what: str, name: str, names: Sequence[str] | Mapping[str, Any]) -> str:
    return f"no {what} is called '{name}'; there are: {', '.join(filter(None, names)) or 'none'}"


def signed(value: float | None, places: int = 2) -> str:
    """A mean as text, with a real minus sign."""
    return "–" if value is None else f"{value:.{places}f}".replace("-", MINUS)
