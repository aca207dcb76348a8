"""On which scale were the scores of each condition and file given? Told by their values, where nothing declares it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from readback.scores.resolve import OFF_SCALE
from readback.scores.table import SCORED, ScoreTable
from readback.scores.values.criteria import MINUS, holds, load_shipped_criteria, look_up, number
from readback.scores.values.doubtful_numbers import CODES
from readback.types import Criterion

# Families of scales that one condition's scores may suggest. `both`: fractions of 1 beside whole grades above it.
Kind = Literal["share", "flag", "grade", "hundred", "usual", "unusual", "both"]
APART: tuple[tuple[frozenset[Kind], frozenset[Kind]], ...] = (
    (frozenset({"share"}), frozenset({"grade", "hundred"})),
    (frozenset({"flag", "grade"}), frozenset({"hundred"})),
    (frozenset({"usual"}), frozenset({"unusual"})),
)
ONE = 1.000001  # measures of similarity overshoot 1 by rounding
TOP_GRADE, HUNDRED = 10, 100
LOWEST_TOP = 3  # the highest grade of the shortest scale of grades that is told from shares
SOME = 3  # fractions and grades that two scales in one column show at least
FEWEST = 5  # values that tell the usual scale from another


@dataclass(frozen=True, slots=True)
class Group:
    """The scores of one condition in one file by one judge, as far as scales go; all as codes of the columns."""

    condition: int
    file: int
    judge: int
    low: float
    high: float
    kinds: frozenset[Kind]

    @property
    def span(self) -> str:
        """The lowest and the highest value."""
        return f"{number(self.low)} to {number(self.high)}".replace("-", MINUS)


def apart(group: Group, other: Group) -> bool:
    """Whether the values of two groups cannot come from one scale; of one with itself, whether it holds two."""
    if "both" in group.kinds | other.kinds:
        return True
    return any(
        (group.kinds & first and other.kinds & second) or (group.kinds & second and other.kinds & first)
        for first, second in APART
    )


@lru_cache(maxsize=64)
def groups(table: ScoreTable, criterion: str) -> tuple[Group, ...]:
    """Every group of a criterion whose values may be on two scales; none where its scale is certain.

    A scale that is declared, or known by name, is believed as long as all values are on it.
    """
    c = table.columns
    code = c.criteria.index(criterion)
    scale = table.criteria[criterion]
    off = _off_scale(table, code)
    if not off and (criterion not in table.inferred or (scale.high is not None and scale.high <= ONE)):
        return ()
    values, ids = _values(table, code, off)
    if not len(values):
        return ()
    if criterion in table.inferred:
        usual = look_up(criterion, load_shipped_criteria())
    else:
        usual = scale
    return tuple(_groups(table, values, ids, usual, bool(off) and criterion not in table.inferred))


def two(groups: Iterable[Group]) -> tuple[Group, Group] | None:
    """Two groups on different scales, if there are any; one of values from two scales stands for both."""
    by: dict[frozenset[Kind], Group] = {}
    for group in groups:
        by.setdefault(group.kinds, group)
    kinds = list(by.values())
    pairs = ((first, second) for at, first in enumerate(kinds) for second in kinds[at:])
    return next((pair for pair in pairs if apart(*pair)), None)


def _off_scale(table: ScoreTable, code: int) -> Mapping[int, float]:
    """Return the cells of a criterion that are off its scale, with their text."""
    c = table.columns
    return {
        at: float(why.removeprefix(OFF_SCALE))
        for at, why in c.whys.items()
        if c.criterion[at] == code and why.startswith(OFF_SCALE) and float(why.removeprefix(OFF_SCALE)) not in CODES
    }


def _values(table: ScoreTable, code: int, off: Mapping[int, float]) -> tuple[Any, Any]:
    """Each value that was given for a criterion, on its scale or not, and the number of its group."""
    import numpy as np

    c = table.columns
    cells = np.flatnonzero((np.asarray(c.criterion) == code) & (np.frombuffer(c.state, np.uint8) == SCORED))
    more = np.fromiter(off, np.int64, len(off))
    cells = np.concatenate([cells, more])
    values = np.concatenate(
        [np.asarray(c.value)[cells[: len(cells) - len(more)]], np.fromiter(off.values(), float, len(off))]
    )
    judge, file, condition = (np.asarray(column)[cells].astype(np.int64) for column in (c.judge, c.file, c.condition))
    return values, (judge * len(c.files) + file) * len(c.conditions) + condition


def _groups(table: ScoreTable, values: Any, ids: Any, usual: Criterion | None, reported: bool) -> Iterable[Group]:
    """Yield the lowest and highest score of each condition, file and judge, and what they suggest of the scale."""
    import numpy as np

    c = table.columns
    distinct, code = np.unique(values, return_inverse=True)
    there, group = np.unique(ids, return_inverse=True)
    pair, counts = np.unique(group * len(distinct) + code, return_counts=True)
    for at, start, stop in zip(there.tolist(), *_ends(pair // len(distinct)), strict=True):
        rest, condition = divmod(at, len(c.conditions))
        judge, file = divmod(rest, len(c.files))
        mine = distinct[pair[start:stop] % len(distinct)]
        kinds = frozenset(_kinds(mine, counts[start:stop], usual, reported))
        yield Group(condition, file, judge, float(mine[0]), float(mine[-1]), kinds)


def _ends(sorted_codes: Any) -> tuple[list[int], list[int]]:
    """Where each code begins and ends."""
    import numpy as np

    starts = np.flatnonzero(np.r_[True, np.diff(sorted_codes) != 0]).tolist()
    return starts, [*starts[1:], len(sorted_codes)]


def _kinds(values: Any, counts: Any, usual: Criterion | None, reported: bool) -> Iterable[Kind]:
    """Return what the distinct values of a group, ascending, suggest. A stated scale is only held against values off
    it.
    """
    import numpy as np

    many = int(counts.sum())
    if usual is not None and usual.scale not in ("unknown", "nominal") and many >= FEWEST:
        on = np.array([holds(usual, value) for value in values.tolist()])
        if on.all() and len(values) > 1:
            yield "usual"
        elif counts[on].sum() * 2 < many:
            yield "unusual"
    if reported or values[0] < 0:
        return
    whole, above = values % 1 == 0, values > ONE
    if counts[~whole & ~above].sum() >= SOME <= counts[above].sum() and whole[above].all() and values[-1] >= LOWEST_TOP:
        yield "both"
    elif values[-1] <= ONE:
        yield "flag" if whole.all() else "share"
    elif values[-1] > TOP_GRADE:
        if values[-1] <= HUNDRED and counts[values < TOP_GRADE].sum() * 10 < many:
            yield "hundred"
    elif counts[above].sum() * 2 >= many and values[-1] >= LOWEST_TOP:
        yield "grade"
