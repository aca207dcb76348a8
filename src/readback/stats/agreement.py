"""Measure how far raters agree: Krippendorff's alpha, weighted kappa, the exact share and the confusion matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from readback.stats._numbers import Floats, encode_clusters, require_finite
from readback.stats.interval import LEAST, LEVEL, SEED, Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Metric = Literal["nominal", "ordinal", "interval"]
Weights = Literal["none", "linear", "quadratic"]
METRICS: tuple[Metric, ...] = ("nominal", "ordinal", "interval")
DRAWS = 2_000
GROUPED = 2_000  # clusters that are drawn one by one


def krippendorff(ratings: ArrayLike, metric: Metric = "ordinal") -> float | None:
    """Return Krippendorff's alpha of units × raters (NaN = not rated): 1 − observed / expected disagreement.

    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability. A unit with m ≥ 2 ratings gives each ordered
    pair of its ratings the weight 1/(m − 1) in the matrix of coincidences o(c, k), whose margins are n(c), their sum n.
    alpha = 1 − (n − 1)·Σ o(c, k)·δ²(c, k) / Σ n(c)·n(k)·δ²(c, k); δ² is 1 for c ≠ k (nominal), (x_c − x_k)²
    (interval), or the square of the ratings that lie between c and k, each end by half (ordinal). 1 is perfect, 0 what
    chance gives. None where no unit has two ratings or all ratings are equal.
    """
    import numpy as np

    table = _check_table(ratings)
    unit, rater = np.nonzero(np.isfinite(table))
    return alpha(unit, table[unit, rater], metric)


def alpha(unit: ArrayLike, value: ArrayLike, metric: Metric = "ordinal") -> float | None:
    """Return Krippendorff's alpha from one entry for each rating: its unit's code and its value."""
    unit_sums = _sum_per_unit(*_select_pairable(unit, value), metric)
    if unit_sums is None:
        return None
    result = float(_compute_alphas(unit_sums[1].sum(0)[None], metric)[0])
    if math.isnan(result):  # no disagreement is to be expected
        return None
    return result


def compute_alpha_interval(
    unit: ArrayLike,
    value: ArrayLike,
    cluster: ArrayLike,
    metric: Metric = "ordinal",
    *,
    seed: int = SEED,
    level: float = LEVEL,
) -> Interval | None:
    """Return the interval of alpha: percentiles of 2,000 samples of whole clusters, drawn with replacement by `seed`.

    Units (items) are resampled as in Zapf et al. 2016, BMC Med. Res. Methodol. 16, 93; ordinal distances stay those of
    the whole sample. None for fewer than 5 clusters, and where all agree or a sample would often hold one value only.
    """
    import numpy as np

    unit_sums = _sum_per_unit(*_select_pairable(unit, value), metric)
    if unit_sums is None:
        return None
    units, sums = unit_sums
    codes = encode_clusters(np.asarray(cluster)[units], len(units))
    clusters = int(codes.max()) + 1
    cluster_sums = np.stack([np.bincount(codes, column, clusters) for column in sums.T], 1)
    if clusters < LEAST or not sums[:, 0].any():
        return None
    rng = np.random.default_rng(seed)
    if clusters > GROUPED:  # the sums of GROUPED random groups of clusters have the same spread and cost less
        group = rng.integers(0, GROUPED, clusters)
        cluster_sums = np.stack([np.bincount(group, column, GROUPED) for column in cluster_sums.T], 1)
        clusters = GROUPED
    batches = []
    batch_size = max(1, 2_000_000 // clusters)
    for start in range(0, DRAWS, batch_size):
        weights = rng.multinomial(clusters, np.full(clusters, 1 / clusters), min(batch_size, DRAWS - start))
        batches.append(_compute_alphas(weights @ cluster_sums, metric))
    alphas = np.concatenate(batches)
    usable = alphas[np.isfinite(alphas)]
    if len(usable) < 0.9 * DRAWS:
        return None
    low, high = np.quantile(usable, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Interval(low, high, f"bootstrap of clusters, {DRAWS:,} draws")


def _select_pairable(unit: ArrayLike, value: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Select the ratings of units that have two or more.

    Returns three arrays: the unit of each selected rating as a code 0…, the rating itself, and for each selected unit
    the index of its first rating in the arguments.
    """
    import numpy as np

    ratings, units = require_finite(value), np.asarray(unit).ravel()
    if len(ratings) != len(units):
        raise ValueError("each rating needs its unit")
    _, first, code, counts = np.unique(units, return_index=True, return_inverse=True, return_counts=True)
    pairable = counts[code] > 1
    renumbered = np.cumsum(counts > 1) - 1
    return renumbered[code[pairable]], ratings[pairable], first[counts > 1]


def _sum_per_unit(unit: Floats, value: Floats, first: Floats, metric: Metric) -> tuple[Floats, Floats] | None:
    """Return `first`, and for each unit a row of sums: its observed disagreement, its number of ratings, its margins.

    Alpha is computed from the sums of these rows. None where there is no unit. Σ over ordered pairs of (x_i − x_j)² is
    2(m·Σx² − (Σx)²), so that no matrix is needed; the ordinal distance between c and k is the difference of their
    middle ranks.
    """
    import numpy as np

    if not len(unit):
        return None
    ratings_per_unit = np.bincount(unit).astype(np.float64)
    values, code, counts = np.unique(value, return_inverse=True, return_counts=True)
    if metric == "nominal":
        margins = np.zeros((len(ratings_per_unit), len(values)))
        np.add.at(margins, (unit, code.ravel()), 1.0)
        observed = (ratings_per_unit**2 - (margins**2).sum(1)) / (ratings_per_unit - 1)
        return first, np.column_stack([observed, ratings_per_unit, margins])
    if metric == "interval":
        positions = values
    else:
        positions = counts.cumsum() - counts / 2
    position = (positions / max(1.0, float(abs(positions).max())))[code.ravel()]
    position = position - position.mean()
    sums, sums_of_squares = np.bincount(unit, position), np.bincount(unit, position**2)
    observed = np.maximum(2 * (ratings_per_unit * sums_of_squares - sums**2) / (ratings_per_unit - 1), 0.0)
    observed[observed < 1e-14] = 0.0  # rounding
    return first, np.column_stack([observed, ratings_per_unit, sums, sums_of_squares])


def _compute_alphas(sums: Floats, metric: Metric) -> Floats:
    """Return alpha of each row of sums; NaN where all ratings have the same value."""
    import numpy as np

    observed, n, margins = sums[:, 0], sums[:, 1], sums[:, 2:]
    if metric == "nominal":
        expected = n * n - (margins**2).sum(1)
    else:
        expected = 2 * (n * margins[:, 1] - margins[:, 0] ** 2)
    varies = expected > 1e-12 * n * n
    return np.where(varies, 1 - (n - 1) * observed / np.where(varies, expected, 1.0), np.nan)


def kappa(
    a: ArrayLike, b: ArrayLike, weights: Weights = "quadratic", values: Sequence[float] | None = None
) -> float | None:
    """Return Cohen's kappa of two raters of the same units, weighted by how many steps of the scale lie between.

    kappa = 1 − Σ w·observed / Σ w·expected by chance; w = 0 or 1 ("none"), |i − j| ("linear"), (i − j)² ("quadratic")
    with i, j the positions on `values`, the scale, or else among the values that occur. Source: Cohen 1968,
    Psychological Bulletin 70, 213. None where both raters gave a single value only, or nothing. Raises ValueError for
    lengths that differ or a value off the scale.
    """
    import numpy as np

    if values is None:
        scale = np.unique(np.concatenate([require_finite(a), require_finite(b)]))
    else:
        scale = np.unique(require_finite(values))
    table = _count_confusion(a, b, scale)
    n = table.sum()
    if not n:
        return None
    steps_of_scale = np.arange(len(scale), dtype=np.float64)
    steps = abs(steps_of_scale[:, None] - steps_of_scale)
    cost = {"none": (steps > 0).astype(np.float64), "linear": steps, "quadratic": steps**2}[weights]
    chance = float((cost * np.outer(table.sum(1), table.sum(0))).sum()) / n
    if not chance:
        return None
    return float(1 - (cost * table).sum() / chance)


def exact_share(a: ArrayLike, b: ArrayLike) -> float | None:
    """Return the share of units on which two raters gave the same value; None for no units."""
    ratings_a, ratings_b = _check_same_units(a, b)
    if len(ratings_a):
        return float((ratings_a == ratings_b).mean())
    return None


def confusion(a: ArrayLike, b: ArrayLike, values: Sequence[float]) -> tuple[tuple[int, ...], ...]:
    """Return the confusion matrix: how often a gave the value of the row and b that of the column, as in `values`.

    Raises ValueError for lengths that differ or a value that is not listed.
    """
    import numpy as np

    scale = require_finite(values)
    order = np.argsort(scale)
    table = _count_confusion(a, b, scale[order])
    original_order = np.argsort(order)
    return tuple(tuple(row) for row in table[original_order][:, original_order].astype(int).tolist())


def _count_confusion(a: ArrayLike, b: ArrayLike, scale: Floats) -> Floats:
    import numpy as np

    ratings_a, ratings_b = _check_same_units(a, b)
    if not (np.isin(ratings_a, scale).all() and np.isin(ratings_b, scale).all()):
        raise ValueError("a value is not on the scale")
    k = len(scale)
    cells = np.searchsorted(scale, ratings_a) * k + np.searchsorted(scale, ratings_b)
    return np.bincount(cells, minlength=k * k).reshape(k, k).astype(np.float64)


def _check_same_units(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    ratings_a, ratings_b = require_finite(a), require_finite(b)
    if len(ratings_a) != len(ratings_b):
        raise ValueError("the raters have not rated the same units")
    return ratings_a, ratings_b


def _check_table(ratings: ArrayLike) -> Floats:
    import numpy as np

    table = np.asarray(ratings, np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError("needs a table of units by raters, without infinity")
    return table
