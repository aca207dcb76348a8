"""Compare two judges: how often they give the same value, and which values they confuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from readback.scores.agreement.ratings import Ratings, build_grid, is_person
from readback.types import Criterion

if TYPE_CHECKING:
    from readback.stats.agreement import Metric, Weights

SMALL = 5  # units that two judges share below which their kappa is not given
MOST_VALUES = 12  # rows of a confusion matrix
WEIGHTS: Mapping[str, Weights] = {"nominal": "none", "ordinal": "quadratic", "binary": "none"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Hold the agreement of two judges on the `n` units both scored.

    `kappa` is None for a measured scale, few units or one value only.
    """

    a: str
    b: str
    n: int
    exact: float
    kappa: float | None
    weights: Weights | None
    alpha: float | None  # of the two alone, by the headline metric


@dataclass(frozen=True, slots=True)
class Confusion:
    """Count how often `a` gave the value of the row and `b` the one of the column."""

    a: str
    b: str
    values: tuple[float, ...]
    table: tuple[tuple[int, ...], ...]


def find_rated_units(ratings: Ratings, pair: tuple[str, str], a: float, b: float) -> tuple[int, ...]:
    """Return the units to which the first of the pair gave `a` and the second `b`: what a cell of the matrix counts."""
    import numpy as np

    grid = build_grid(ratings, [ratings.judges.index(name) for name in pair])
    return tuple(np.flatnonzero((grid[:, 0] == a) & (grid[:, 1] == b)).tolist())


def compare_pairs(ratings: Ratings, judges: Sequence[int], scale: Criterion, headline: Metric) -> Iterator[Pair]:
    """Yield the agreement of every two of these judges (by their numbers) who share a unit."""
    import numpy as np

    from readback.stats.agreement import exact_share, kappa, krippendorff

    weights = WEIGHTS.get(scale.scale)
    for a, b, grid in _pair_values(ratings, judges):
        values_a, values_b = grid[:, 0], grid[:, 1]
        share = exact_share(values_a, values_b)
        if share is None:
            continue
        pair_kappa = None
        if weights and len(grid) >= SMALL:
            pair_kappa = kappa(values_a, values_b, weights, scale.values or None)
        alpha = krippendorff(np.ascontiguousarray(grid), headline)
        yield Pair(ratings.judges[a], ratings.judges[b], len(grid), share, pair_kappa, weights, alpha)


def _pair_values(ratings: Ratings, judges: Sequence[int]) -> Iterator[tuple[int, int, Any]]:
    """Yield two judges and their values on the units both rated, a column each.

    Only those who share a unit: among many raters most never meet.
    """
    import numpy as np

    listed = np.isin(ratings.judge, np.asarray(judges, ratings.judge.dtype))
    unit, judge, value = ratings.unit[listed], ratings.judge[listed], ratings.value[listed]
    for a in judges:
        values_a = np.full(len(ratings.item), np.nan)
        by_a = judge == a
        values_a[unit[by_a]] = value[by_a]
        later = (judge > a) & np.isfinite(values_a[unit])
        order = np.lexsort((unit[later], judge[later]))
        judges_b, units_b, values_b = judge[later][order], unit[later][order], value[later][order]
        for part in np.split(np.arange(len(judges_b)), np.flatnonzero(np.diff(judges_b)) + 1):
            if len(part):
                yield a, int(judges_b[part[0]]), np.column_stack((values_a[units_b[part]], values_b[part]))


def choose_pair(pairs: Sequence[Pair], people: Mapping[str, bool] = MappingProxyType({})) -> tuple[str, str] | None:
    """Return the pair a reader asks for first: a person and a judge, else those who share most units."""
    mixed = [pair for pair in pairs if is_person(pair.a, people) != is_person(pair.b, people)]
    best = max(mixed or pairs, key=lambda pair: pair.n, default=None)
    if best is None:
        return None
    if is_person(best.a, people) or not is_person(best.b, people):
        return best.a, best.b
    return best.b, best.a


def count_confusion(ratings: Ratings, pair: tuple[str, str], scale: Criterion) -> Confusion | None:
    """Return the matrix of two judges on the units both scored; None for a measured scale or one of many values."""
    import numpy as np

    from readback.stats.agreement import confusion

    values = scale.values or tuple(np.unique(ratings.value).tolist())
    if scale.scale in ("numeric", "unknown") or len(values) > MOST_VALUES:
        return None
    grid = build_grid(ratings, [ratings.judges.index(name) for name in pair])
    values_a, values_b = grid[np.isfinite(grid).all(1)].T
    return Confusion(*pair, values, confusion(values_a, values_b, values))
