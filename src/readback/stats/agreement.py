"""Do raters agree? Krippendorff's alpha, weighted kappa, the exact share and the confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from readback.stats._numbers import Floats, codes, finite
from readback.stats.interval import LEAST, LEVEL, SEED, Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Metric = Literal["nominal", "ordinal", "interval"]
Weights = Literal["none", "linear", "quadratic"]
METRICS: tuple[Metric, ...] = ("nominal", "ordinal", "interval")
DRAWS = 2_000
GROUPED = 2_000  # clusters that are drawn one by one


def krippendorff(ratings: ArrayLike, metric: Metric = "ordinal") -> float | None:
    """Krippendorff's alpha of units × raters (NaN = not rated): 1 − observed / expected disagreement.

    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability. A unit with m ≥ 2 ratings gives each ordered
    pair of its ratings the weight 1/(m − 1) in the matrix of coincidences o(c, k), whose margins are n(c), their sum n.
    alpha = 1 − (n − 1)·Σ o(c, k)·δ²(c, k) / Σ n(c)·n(k)·δ²(c, k); δ² is 1 for c ≠ k (nominal), (x_c − x_k)²
    (interval), or the square of the ratings that lie between c and k, each end by half (ordinal). 1 is perfect, 0 what
    chance gives. None where no unit has two ratings or all ratings are equal: there is nothing to tell.
    """
    import numpy as np

    table = _table(ratings)
    unit, rater = np.nonzero(np.isfinite(table))
    return alpha(unit, table[unit, rater], metric)


def alpha(unit: ArrayLike, value: ArrayLike, metric: Metric = "ordinal") -> float | None:
    """The same from one entry a rating: the unit's code, and the value."""
    parts = _parts(*_pairable(unit, value), metric)
    if parts is None:
        return None
    one = float(_alphas(parts[1].sum(0)[None], metric)[0])
    return one if one == one else None  # NaN: no disagreement to be expected


def alpha_interval(
    unit: ArrayLike, value: ArrayLike, cluster: ArrayLike, metric: Metric = "ordinal", *,
    seed: int = SEED, level: float = LEVEL,
) -> Interval | None:  # fmt: skip
    """The interval of alpha: percentiles of 2,000 samples of whole clusters (items), drawn with replacement by `seed`.

    Resampling units as Zapf et al. 2016, BMC Med. Res. Methodol. 16, 93; ordinal distances are held as in the whole
    sample. None for fewer than 5 clusters, and where all agree or a sample would often hold one value only.
    """
    import numpy as np

    parts = _parts(*_pairable(unit, value), metric)
    if parts is None:
        return None
    units, sums = parts
    code = codes(np.asarray(cluster)[units], len(units))
    many = int(code.max()) + 1
    by = np.stack([np.bincount(code, column, many) for column in sums.T], 1)
    if many < LEAST or not sums[:, 0].any():
        return None
    rng, found = np.random.default_rng(seed), []
    if many > GROUPED:  # as many sums of clusters put together at random have the same spread and cost less
        group = rng.integers(0, GROUPED, many)
        by = np.stack([np.bincount(group, column, GROUPED) for column in by.T], 1)
        many = GROUPED
    for start in range(0, DRAWS, at_once := max(1, 2_000_000 // many)):
        weights = rng.multinomial(many, np.full(many, 1 / many), min(at_once, DRAWS - start))
        found.append(_alphas(weights @ by, metric))
    drawn = np.concatenate(found)
    known = drawn[np.isfinite(drawn)]
    if len(known) < 0.9 * DRAWS:
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Interval(low, high, f"bootstrap of clusters, {DRAWS:,} draws")


def _pairable(unit: ArrayLike, value: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Codes 0… of the units with two ratings or more, of their ratings, and where each first is in what was given.

    The third array holds, for each kept unit, the place of one of its ratings.
    """
    import numpy as np

    given, many = finite(value), np.asarray(unit).ravel()
    if len(given) != len(many):
        raise ValueError("each rating needs its unit")
    _, first, code, counts = np.unique(many, return_index=True, return_inverse=True, return_counts=True)
    kept = counts[code] > 1
    fresh = np.cumsum(counts > 1) - 1
    return fresh[code[kept]], given[kept], first[counts > 1]


def _parts(unit: Floats, value: Floats, first: Floats, metric: Metric) -> tuple[Floats, Floats] | None:
    """What alpha is made of, as a row of sums a unit: its observed disagreement, its ratings, then its margins.

    Σ over ordered pairs of (x_i − x_j)² is 2(m·Σx² − (Σx)²), so that no matrix is needed; the ordinal distance between
    c and k is the difference of their middle ranks.
    """
    import numpy as np

    if not len(unit):
        return None
    many = np.bincount(unit).astype(np.float64)
    values, code, counts = np.unique(value, return_inverse=True, return_counts=True)
    if metric == "nominal":
        margins = np.zeros((len(many), len(values)))
        np.add.at(margins, (unit, code.ravel()), 1.0)
        observed = (many**2 - (margins**2).sum(1)) / (many - 1)
        return first, np.column_stack([observed, many, margins])
    x = values if metric == "interval" else counts.cumsum() - counts / 2
    place = (x / max(1.0, float(abs(x).max())))[code.ravel()]
    place = place - place.mean()
    once, twice = np.bincount(unit, place), np.bincount(unit, place**2)
    observed = np.maximum(2 * (many * twice - once**2) / (many - 1), 0.0)
    observed[observed < 1e-14] = 0.0  # rounding
    return first, np.column_stack([observed, many, once, twice])


def _alphas(sums: Floats, metric: Metric) -> Floats:
    """Alpha of each row of sums; NaN where one value is all there is."""
    import numpy as np

    observed, n, rest = sums[:, 0], sums[:, 1], sums[:, 2:]
    expected = n * n - (rest**2).sum(1) if metric == "nominal" else 2 * (n * rest[:, 1] - rest[:, 0] ** 2)
    some = expected > 1e-12 * n * n
    return np.where(some, 1 - (n - 1) * observed / np.where(some, expected, 1.0), np.nan)


def kappa(
    a: ArrayLike, b: ArrayLike, weights: Weights = "quadratic", values: Sequence[float] | None = None
) -> float | None:
    """Cohen's kappa of two raters of the same units, weighted by how many steps of the scale lie between.

    kappa = 1 − Σ w·observed / Σ w·expected by chance; w = 0 or 1 ("none"), |i − j| ("linear"), (i − j)² ("quadratic")
    with i, j the places on `values`, the scale, or else among the values that were given. Source: Cohen 1968,
    Psychological Bulletin 70, 213. None where both gave one value only, or nothing. Raises ValueError for lengths that
    differ or a value off the scale.
    """
    import numpy as np

    scale = np.unique(np.concatenate([finite(a), finite(b)])) if values is None else np.unique(finite(values))
    table = _confused(a, b, scale)
    n = table.sum()
    if not n:
        return None
    at = np.arange(len(scale), dtype=np.float64)
    steps = abs(at[:, None] - at)
    cost = {"none": (steps > 0).astype(np.float64), "linear": steps, "quadratic": steps**2}[weights]
    chance = float((cost * np.outer(table.sum(1), table.sum(0))).sum()) / n
    return None if not chance else float(1 - (cost * table).sum() / chance)


def exact_share(a: ArrayLike, b: ArrayLike) -> float | None:
    """The share of units on which two raters gave the same value; None for no units."""
    one, other = _both(a, b)
    return float((one == other).mean()) if len(one) else None


def confusion(a: ArrayLike, b: ArrayLike, values: Sequence[float]) -> tuple[tuple[int, ...], ...]:
    """How often a gave the value of the row and b the one of the column, in the order of `values`.

    Raises ValueError for lengths that differ or a value that is not listed.
    """
    import numpy as np

    given = finite(values)
    order = np.argsort(given)
    table = _confused(a, b, given[order])
    back = np.argsort(order)
    return tuple(tuple(row) for row in table[back][:, back].astype(int).tolist())


def _confused(a: ArrayLike, b: ArrayLike, scale: Floats) -> Floats:
    import numpy as np

    one, other = _both(a, b)
    if not (np.isin(one, scale).all() and np.isin(other, scale).all()):
        raise ValueError("a value is not on the scale")
    k = len(scale)
    at = np.searchsorted(scale, one) * k + np.searchsorted(scale, other)
    return np.bincount(at, minlength=k * k).reshape(k, k).astype(np.float64)


def _both(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    one, other = finite(a), finite(b)
    if len(one) != len(other):
        raise ValueError("the raters have not rated the same units")
    return one, other


def _table(ratings: ArrayLike) -> Floats:
    import numpy as np

    table = np.asarray(ratings, np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError("needs a table of units by raters, without infinity")
    return table
