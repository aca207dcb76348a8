"""What the scores say: how many, how many not, the distribution and the mean, for each condition and criterion."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from readback.scores.certainty import certainty
from readback.scores.files.row_labels import WITHOUT_ID
from readback.scores.summary_row import Row
from readback.scores.table import FAILED, NOT_APPLICABLE, SCORED, ConditionKey, ScoreTable
from readback.scores.values.criteria import MINUS, number
from readback.types import Criterion

BY_LINE = WITHOUT_ID  # what an item without an id is called
BINS = 10
MANY = 30  # distinct values of a numeric criterion that are still listed one by one


@lru_cache(maxsize=64)  # pages ask the same of the same table at every rerun, of each criterion and its judges
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
    item, condition, cluster = np.asarray(c.item), np.asarray(c.condition), np.asarray(c.cluster)
    by_line = all(map(BY_LINE.fullmatch, c.items))  # then no item of one condition is known to be that of another
    value, state, marks = np.asarray(c.value), np.frombuffer(c.state, np.uint8), table.marks
    for (code, said_by), cells in _parts(table).items():
        if code not in wanted or said_by not in judges:
            continue
        name = c.criteria[code]
        scale = table.criteria[name]
        there = _there(item[cells], condition[cells], len(c.conditions))
        universe = int(np.count_nonzero(np.bincount(item[cells])))
        edges = _edges(value[cells][state[cells] == SCORED], scale)
        for key, here in _split(to[condition[cells]], cells):
            used = np.unique(condition[here])
            states = np.bincount(state[here], minlength=4).tolist()
            good = here[state[here] == SCORED]
            scored = value[good]
            sure = certainty(scored, item[good], cluster[good], scale, name not in table.inferred)
            yield Row(
                condition=groups[key],
                criterion=name,
                judge=c.judges[said_by],
                n=states[SCORED],
                failed=states[FAILED],
                missing=states[2] + (0 if by_line else len(used) * universe - int(there[used].sum())),
                not_applicable=states[NOT_APPLICABLE],
                mean=_mean(scored) if scale.scale != "nominal" else None,
                distribution=_distribution(scored, scale, edges),
                interval=sure.interval,
                method=sure.method,
                interval_clustered=sure.interval_clustered,
                clusters=sure.clusters,
                design_effect=sure.design_effect,
                share_of_one=sure.share_of_one,
                method_clustered=sure.method_clustered,
                interval_on_scale=sure.interval_on_scale,
                not_read=int((marks[here] == 1).sum()),
                in_question=int((marks[here] == 2).sum()),
            )


def _mean(scored: Any) -> float | None:
    if len(scored):
        return math.fsum(scored.tolist()) / len(scored)
    return None


@lru_cache(maxsize=2)  # of a million cells it takes eight megabytes
def _parts(table: ScoreTable) -> Mapping[tuple[int, int], Any]:
    """Return the numbers of the cells of each criterion and judge, in the order of the files."""
    import numpy as np

    c = table.columns
    pair = np.asarray(c.criterion, np.int64) * len(c.judges) + np.asarray(c.judge)
    return {divmod(key, len(c.judges)): cells for key, cells in _split(pair, np.arange(len(pair)))}


def _split(codes: Any, cells: Any) -> Iterator[tuple[int, Any]]:
    """Return the cells of each code, codes ascending, cells in their order."""
    import numpy as np

    if len(codes) and codes[0] == codes[-1] and bool(np.all(codes == codes[0])):
        yield int(codes[0]), cells
        return
    # sorted by radix
    if len(codes) and int(codes.max()) < 1 << 16:
        small = codes.astype(np.uint16)
    else:
        small = codes
    order = np.argsort(small, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(codes[order]) != 0])
    for part in np.split(order, starts[1:]):
        if len(part):
            yield int(codes[part[0]]), cells[part]


def _groups(table: ScoreTable, by: str | None) -> tuple[Sequence[ConditionKey], Any]:
    """Return the conditions, or the values of one factor, and for each condition code the group it belongs to."""
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

    pairs = conditions.astype(np.int64) << 32 | items
    pairs.sort()  # np.unique hashes, which takes ten times as long where most pairs differ
    return np.bincount(pairs[np.r_[True, pairs[1:] != pairs[:-1]]] >> 32, minlength=many)


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
    count_by_value = dict(zip(*(many.tolist() for many in np.unique(scored, return_counts=True)), strict=True))
    return tuple((number(value), count_by_value.get(value, 0)) for value in criterion.values or sorted(count_by_value))


def main_effects(
    table: ScoreTable, criterion: str | None = None, judge: str | None = None
) -> Mapping[str, tuple[Row, ...]]:
    """Return the rows of every factor that varies."""
    return {factor: rows(table, factor, criterion, judge) for factor in table.varying}


def cells(
    table: ScoreTable, wanted: Callable[[ConditionKey], bool], criterion: str, judge: str
) -> tuple[int, list[int]]:
    """How many conditions are wanted, and the numbers of their cells for one criterion and judge."""
    import numpy as np

    c = table.columns
    codes = [code for code, key in enumerate(c.conditions) if wanted(key)]
    is_wanted = np.isin(np.asarray(c.condition), codes)
    is_wanted &= (np.asarray(c.criterion) == c.criteria.index(criterion)) & (
        np.asarray(c.judge) == c.judges.index(judge)
    )
    return len(codes), np.flatnonzero(is_wanted).tolist()


def _wanted(what: str, name: str | None, names: Sequence[str]) -> set[int]:
    """Return the codes that a filter lets through; a criterion may be named without its ending `_score`."""
    if name is None:
        return set(range(len(names)))
    wanted = {code for code, code_name in enumerate(names) if name in (code_name, code_name.removesuffix("_score"))}
    if not wanted:
        raise LookupError(_unknown(what, name, names))
    return wanted


def _unknown(what: str, name: str, names: Sequence[str] | Mapping[str, Any]) -> str:
    return f"no {what} is called '{name}'; there are: {', '.join(filter(None, names)) or 'none'}"


def signed(value: float | None, places: int = 2) -> str:
    """Format a mean, with a real minus sign."""
    if value is None:
        return "–"
    return f"{value:.{places}f}".replace("-", MINUS)
