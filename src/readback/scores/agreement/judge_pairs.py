"""Two judges side by side: how often they give the same value, and which values they take for each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from readback.scores.agreement.ratings import Ratings, grid, is_person
from readback.types import Criterion

if TYPE_CHECKING:
    from readback.stats.agreement import Metric, Weights

SMALL = 5  # units that two judges share below which their kappa is not given
MOST_VALUES = 12  # rows of a confusion matrix


@dataclass(frozen=True, slots=True)
class Pair:
    """Two judges on the `n` units both scored. `kappa` is None for a measured scale, few units or one value only."""

    a: str
    b: str
    n: int
    exact: float
    kappa: float | None
    weights: Weights | None
    alpha: float | None  # of the two alone, by the headline metric


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often `a` gave the value of the row and `b` the one of the column."""

    a: str
    b: str
    values: tuple[float, ...]
    table: tuple[tuple[int, ...], ...]


def given(found: Ratings, pair: tuple[str, str], a: float, b: float) -> tuple[int, ...]:
    """The units to which the first of the pair gave `a` and the second `b`: what a cell of the matrix counts."""
    import numpy as np

    rated = grid(found, [found.judges.index(name) for name in pair])
    return tuple(np.flatnonzero((rated[:, 0] == a) & (rated[:, 1] == b)).tolist())


def pairs(found: Ratings, judges: Sequence[int], scale: Criterion, headline: Metric) -> Iterator[Pair]:
    """Every two of these judges (by their numbers) that share a unit."""
    import numpy as np

    from readback.stats.agreement import exact_share, kappa, krippendorff

    weights: Weights | None = {"nominal": "none", "ordinal": "quadratic", "binary": "none"}.get(scale.scale)  # type: ignore[assignment]
    for a, b, both in _together(found, judges):
        one, other = both[:, 0], both[:, 1]
        share = exact_share(one, other)
        if share is not None:
            enough = weights and len(one) >= SMALL
            yield Pair(
                found.judges[a], found.judges[b], len(one), share,
                kappa(one, other, weights, scale.values or None) if enough and weights else None,
                weights, krippendorff(np.ascontiguousarray(both), headline),
            )  # fmt: skip


def _together(found: Ratings, judges: Sequence[int]) -> Iterator[tuple[int, int, Any]]:
    """Two judges and their values on the units both rated, a column each; only those who share one, for among many
    raters most never meet."""
    import numpy as np

    listed = np.isin(found.judge, np.asarray(judges, found.judge.dtype))
    unit, judge, value = found.unit[listed], found.judge[listed], found.value[listed]
    for a in judges:
        mine = np.full(len(found.item), np.nan)
        own = judge == a
        mine[unit[own]] = value[own]
        later = (judge > a) & np.isfinite(mine[unit])
        order = np.lexsort((unit[later], judge[later]))
        who, where, theirs = judge[later][order], unit[later][order], value[later][order]
        for part in np.split(np.arange(len(who)), np.flatnonzero(np.diff(who)) + 1):
            if len(part):
                yield a, int(who[part[0]]), np.column_stack((mine[where[part]], theirs[part]))


def chosen(pairs: Sequence[Pair], people: Mapping[str, bool] = MappingProxyType({})) -> tuple[str, str] | None:
    """The pair a reader asks for first: a person and a judge, else those who share most units."""
    mixed = [one for one in pairs if is_person(one.a, people) != is_person(one.b, people)]
    best = max(mixed or pairs, key=lambda one: one.n, default=None)
    if best is None:
        return None
    first = is_person(best.a, people) or not is_person(best.b, people)
    return (best.a, best.b) if first else (best.b, best.a)


def confusion(found: Ratings, pair: tuple[str, str], scale: Criterion) -> Confusion | None:
    """The matrix of two judges on the units both scored; None for a measured scale or one of many values."""
    import numpy as np

    from readback.stats.agreement import confusion as confused

    rated = grid(found, [found.judges.index(name) for name in pair])
    one, other = rated[np.isfinite(rated).all(1)].T
    values = scale.values or tuple(np.unique(found.value).tolist())
    if scale.scale in ("numeric", "unknown") or len(values) > MOST_VALUES:
        return None
    return Confusion(*pair, values, confused(one, other, values))
