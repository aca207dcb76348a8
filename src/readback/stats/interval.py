"""Compute confidence intervals of a rate, of a mean and of paired differences, also for rows in clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from readback.stats._numbers import Floats, check_histogram, encode_clusters, is_constant, require_finite
from readback.stats._uneven import estimate_spread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SEED = 20260101
LEVEL = 0.95
LEAST = 5  # rows below which no interval is computed
ENOUGH_FOR_T = 15
REPLICATES = 10_000
FEWEST_CLUSTERS = 3  # two say "different" up to 9 times in 100 where nothing differs (docs/statistics.md)
EVEN = "clustered t"
UNEVEN = "clustered t (CR2 error, Imbens-Kolesár degrees of freedom)"


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval from low to high, with the name of its method."""

    low: float
    high: float
    method: str


@dataclass(frozen=True, slots=True)
class Clustered:
    """An interval whose standard error counts clusters, not rows.

    `standard_error` is √(Σ_c(Σ_i d)² · C/(C − 1)) / n; `design_effect` is the square of its ratio to the error of
    independent rows. The interval is computed from `error` and `df`: with clusters of one size these are
    `standard_error` and C − 1, else they are corrected. Fields are None where nothing can be estimated: fewer than 3
    clusters or 5 rows, or constant data. Where all clusters have the same mean the effect is 0 and there is no
    interval: rows tell more than clusters.
    """

    interval: Interval | None
    clusters: int
    design_effect: float | None
    standard_error: float | None
    error: float | None = None
    df: float | None = None


def wilson(k: float, n: float, level: float = LEVEL) -> Interval:
    """Return Wilson's score interval for a rate k/n: (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n).

    Source: Wilson 1927, J. Am. Stat. Assoc. 22, 209. `k` and `n` may be fractions: clustered rows enter divided by
    their design effect. For n = 0 it is 0 to 1. Raises ValueError unless 0 ≤ k ≤ n.
    """
    k, n, z = _check_rate(k, n), float(n), _normal_quantile(level)
    if not n:
        return Interval(0.0, 1.0, "wilson")
    p = k / n
    middle = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)
    low = 0.0 if k == 0 else max(low, 0.0)
    high = 1.0 if k == n else min(high, 1.0)
    return Interval(low, high, "wilson")


def jeffreys(k: float, n: float, level: float = LEVEL) -> Interval:
    """Return Jeffreys' interval for a rate: the middle `level` of Beta(k + ½, n − k + ½), 0 and 1 at k = 0 and n.

    Source: Brown, Cai, DasGupta 2001, Statistical Science 16, 101. Raises ValueError unless 0 ≤ k ≤ n.
    """
    from scipy import special  # type: ignore[import-untyped]

    k, tail = _check_rate(k, n), (1 - level) / 2
    if k == 0:
        low = 0.0
    else:
        low = float(special.betaincinv(k + 0.5, n - k + 0.5, tail))
    if k == n:
        high = 1.0
    else:
        high = float(special.betaincinv(k + 0.5, n - k + 0.5, 1 - tail))
    return Interval(low, high, "jeffreys")


def clopper_pearson(k: float, n: float, level: float = LEVEL) -> Interval:
    """Return the exact interval for a rate: Beta(k, n − k + 1) and Beta(k + 1, n − k) at the tails.

    It covers at least `level`. Source: Clopper, Pearson 1934, Biometrika 26, 404. Raises ValueError unless 0 ≤ k ≤ n.
    """
    from scipy import special

    k, tail = _check_rate(k, n), (1 - level) / 2
    if k == 0:
        low = 0.0
    else:
        low = float(special.betaincinv(k, n - k + 1, tail))
    if k == n:
        high = 1.0
    else:
        high = float(special.betaincinv(k + 1, n - k, 1 - tail))
    return Interval(low, high, "clopper-pearson")


def compute_mean_interval(
    values: ArrayLike, counts: ArrayLike, *, seed: int = SEED, level: float = LEVEL
) -> Interval | None:
    """Return the interval of a mean, from distinct values and how often each occurs.

    n ≥ 15: mean ± t(n − 1)·s/√n (Student 1908, Biometrika 6, 1). 5 to 14: the bootstrap, bias-corrected and
    accelerated (Efron 1987, J. Am. Stat. Assoc. 82, 171), 10,000 replicates drawn by `seed`. None for fewer than 5
    and where all values are equal. Raises ValueError for a value or count that is not a number.
    """
    import numpy as np

    numbers, frequencies = check_histogram(values, counts)
    n = float(frequencies.sum())
    if n < LEAST or is_constant(numbers):
        return None
    if n < ENOUGH_FOR_T:
        return _bootstrap_interval(numbers, frequencies, seed, level)
    mean = float(numbers @ frequencies) / n
    error = math.sqrt(float(((numbers - mean) ** 2) @ frequencies) / (n - 1) / n)
    if not np.isfinite(error):
        return None
    return _t_interval(mean, error, n - 1, level, "t")


def compute_summary_interval(mean: float, sd: float, n: int, level: float = LEVEL) -> Interval | None:
    """Return the t interval of a mean known by its summary only: mean ± t(n−1) · sd/√n, `sd` being the sample's.

    None below 15 rows, where the rows themselves would be needed, and for an `sd` of 0.
    """
    if n < ENOUGH_FOR_T or sd <= 0 or not math.isfinite(mean + sd):
        return None
    return _t_interval(mean, sd / math.sqrt(n), n - 1, level, "t")


def compute_scale_interval(
    values: ArrayLike, counts: ArrayLike, scale: ArrayLike, *, seed: int = SEED, level: float = LEVEL
) -> Interval | None:
    """Return the interval of a mean of grades on a short scale; it also covers where nearly all grades are equal.

    The middle `level` of the posterior of Σ p·value, p ~ Dirichlet(count + 1/K) over the K values of `scale`, by
    20,000 draws of `seed`. The prior is the overall objective one of Berger, Bernardo, Sun 2015, Bayesian Analysis
    10, 189; for two values it is Jeffreys'. Unlike t it allows for grades that the sample lacks: at n = 20 on a skewed
    scale it covers 94 % where t covers 90 % (docs/statistics.md). None for fewer than 5 rows. Rows of one value have
    an interval too; it reaches the end of the scale if that value is its end. Raises ValueError for a value off the
    scale.
    """
    import numpy as np

    numbers, frequencies = check_histogram(values, counts)
    steps = np.unique(require_finite(scale))
    if not np.isin(numbers, steps).all():
        raise ValueError("a value is not on the scale")
    n = float(frequencies.sum())
    if n < LEAST or len(steps) < 2:
        return None
    posterior = np.full(len(steps), 1 / len(steps))
    np.add.at(posterior, np.searchsorted(steps, numbers), frequencies)
    draws = np.random.default_rng(seed).standard_gamma(posterior, (2 * REPLICATES, len(steps)))
    mean = float(numbers @ frequencies) / n
    means = mean + draws @ (steps - mean) / draws.sum(1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2]).tolist()
    low, high = min(low, mean), max(high, mean)
    return Interval(max(low, float(steps[0])), min(high, float(steps[-1])), "dirichlet")


def compute_clustered_interval(values: ArrayLike, clusters: ArrayLike, level: float = LEVEL) -> Clustered:
    """Return the interval of a mean of rows that come in clusters: mean ± t(df)·error.

    Clusters of one size: error = √(Σ_c(Σ_i d)² · C/(C−1)) / n, d = value − mean, df = C − 1: the cluster-robust error
    of a mean (Liang, Zeger 1986, Biometrika 73, 13; the small-sample factor as in Cameron, Miller 2015, J. Human
    Resources 50, 317). That error is too small where sizes differ; then it is the CR2 error with the degrees of freedom
    of Imbens and Kolesár (`_uneven.estimate_spread`). `clusters` holds a code for each value; raises ValueError where
    one is negative (a missing key).
    """
    import numpy as np

    numbers = require_finite(values)
    cluster_codes = encode_clusters(clusters, len(numbers))
    sizes = np.bincount(cluster_codes)
    n, clusters_met = len(numbers), len(sizes)
    if n < LEAST or clusters_met < FEWEST_CLUSTERS or is_constant(numbers):
        return Clustered(None, clusters_met, None, None)
    deviations = numbers - numbers.mean()
    spread = estimate_spread(deviations, cluster_codes, sizes)
    effect = (spread.plain / math.sqrt(float(deviations @ deviations) / (n - 1) / n)) ** 2
    if effect < 1e-12:
        return Clustered(None, clusters_met, 0.0, 0.0)
    span = _t_interval(float(numbers.mean()), spread.error, spread.df, level, EVEN if spread.even else UNEVEN)
    return Clustered(span, clusters_met, effect, spread.plain, spread.error, spread.df)


def compute_clustered_rate_interval(passed: ArrayLike, clusters: ArrayLike, level: float = LEVEL) -> Clustered:
    """Return Wilson's interval of a rate of rows (0 or 1) in clusters, with k and n divided by the design effect.

    The effect is that of `compute_clustered_interval`, times (its half width / the plain formula's)² where sizes
    differ, and at least 1: an effect below 1 comes by chance. Where it cannot be estimated (all rows alike, fewer than
    3 clusters or 5 rows) rows of a cluster count as if they were alike: Σn_c²/n (Kish 1965, Survey Sampling, 5.4);
    `design_effect` is then None. Raises ValueError for no rows, a value other than 0 and 1, or a negative cluster code.
    """
    import numpy as np
    from scipy import special

    numbers = require_finite(passed)
    if not len(numbers) or not np.isin(numbers, (0.0, 1.0)).all():
        raise ValueError("a rate needs rows of 0 and 1")
    clustered = compute_clustered_interval(numbers, clusters, level)
    if clustered.design_effect is None:
        sizes = np.bincount(encode_clusters(clusters, len(numbers)))
        effect = float(sizes @ sizes) / len(numbers)
    elif clustered.error and clustered.standard_error and clustered.df:
        half_width = clustered.error * float(special.stdtrit(clustered.df, 0.5 + level / 2))
        plain_half_width = clustered.standard_error * float(special.stdtrit(clustered.clusters - 1, 0.5 + level / 2))
        effect = max(1.0, clustered.design_effect * (half_width / plain_half_width) ** 2)
    else:
        effect = 1.0
    span = wilson(float(numbers.sum()) / effect, len(numbers) / effect, level)
    return replace(clustered, interval=Interval(span.low, span.high, "wilson, n / design effect"))


def compute_difference_interval(
    d: ArrayLike, clusters: ArrayLike | None = None, level: float = LEVEL
) -> Interval | None:
    """Return the interval of the mean of paired differences: t at every n from 5, or `compute_clustered_interval`'s.

    Not the bootstrap, which at 5 to 14 differences says "different" up to 13 times in 100 where nothing differs
    (docs/statistics.md). None for fewer than 5, for differences that are all equal, and for fewer than 3 clusters.
    """
    differences = require_finite(d)
    n = len(differences)
    if clusters is not None:
        clustered = compute_clustered_interval(differences, clusters, level)
        if clustered.interval is not None or clustered.design_effect is None:
            return clustered.interval
    if n < LEAST or is_constant(differences):
        return None
    error = float(differences.std(ddof=1)) / math.sqrt(n)
    return _t_interval(float(differences.mean()), error, n - 1, level, "t")


def _t_interval(mean: float, error: float, df: float, level: float, method: str) -> Interval:
    from scipy import special

    half = float(special.stdtrit(df, 0.5 + level / 2)) * error
    return Interval(mean - half, mean + half, method)


def _bootstrap_interval(numbers: Floats, frequencies: Floats, seed: int, level: float) -> Interval:
    """Return percentiles of the replicates' means, shifted by their bias (z0) and the skew of the jackknife (a)."""
    import numpy as np
    from scipy import special

    n = int(frequencies.sum())
    deviations = numbers - float(numbers @ frequencies) / n
    means = np.random.default_rng(seed).multinomial(n, frequencies / frequencies.sum(), REPLICATES) @ deviations / n
    near = 1e-9 * float(abs(deviations).max())
    share_below = (float((means < -near).mean()) + float((means <= near).mean())) / 2
    z0 = float(special.ndtri(share_below))
    skew = float((deviations**3) @ frequencies) / (6 * float((deviations**2) @ frequencies) ** 1.5)
    z = np.array([-1.0, 1.0]) * _normal_quantile(level)
    quantiles = special.ndtr(z0 + (z0 + z) / (1 - skew * (z0 + z)))
    low, high = np.quantile(means, quantiles) + (numbers[0] - deviations[0])
    return Interval(float(low), float(high), "bca")


def _check_rate(k: float, n: float) -> float:
    if not (math.isfinite(n) and 0 <= k <= n * (1 + 1e-12)):
        raise ValueError(f"{k} of {n} is no rate")  # also NaN
    return min(float(k), float(n))


def _normal_quantile(level: float) -> float:
    from scipy import special

    return float(special.ndtri(0.5 + level / 2))
