"""Intervals for one rate and for one mean: how far from the sample's the truth may lie."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from readback.stats._numbers import Floats, codes, constant, finite, histogram
from readback.stats._uneven import spread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SEED = 20260101
LEVEL = 0.95
LEAST = 5  # rows below which no interval is given
ENOUGH_FOR_T = 15
REPLICATES = 10_000
FEWEST_CLUSTERS = 3  # two say "different" up to 9 times in 100 where nothing differs (docs/statistics.md)
EVEN = "clustered t"
UNEVEN = "clustered t (CR2 error, Imbens-Kolesár degrees of freedom)"


@dataclass(frozen=True, slots=True)
class Interval:
    """From low to high, and by what method."""

    low: float
    high: float
    method: str


@dataclass(frozen=True, slots=True)
class Clustered:
    """An interval whose standard error counts clusters, not rows.

    `standard_error` is √(Σ_c(Σ_i d)² · C/(C − 1)) / n, `design_effect` the square of (it / the error of independent
    rows). The interval is made of `error` and `df`, which are the same and C − 1 where clusters have one size, and
    corrected where they have not. None where nothing can be estimated: fewer than 3 clusters or 5 rows, or constant
    data. Where all clusters have the same mean the effect is 0 and there is no interval: rows tell more than clusters.
    """

    interval: Interval | None
    clusters: int
    design_effect: float | None
    standard_error: float | None
    error: float | None = None
    df: float | None = None


def wilson(k: float, n: float, level: float = LEVEL) -> Interval:
    """Wilson's score interval for a rate k/n: (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n).

    Source: Wilson 1927, J. Am. Stat. Assoc. 22, 209. `k` and `n` may be fractions: clustered rows enter divided by
    their design effect. Nothing observed (n = 0) says nothing: 0 to 1. Raises ValueError unless 0 ≤ k ≤ n.
    """
    k, n, z = _rate(k, n), float(n), _normal(level)
    if not n:
        return Interval(0.0, 1.0, "wilson")
    p = k / n
    middle = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)
    return Interval(0.0 if k == 0 else max(low, 0.0), 1.0 if k == n else min(high, 1.0), "wilson")


def jeffreys(k: float, n: float, level: float = LEVEL) -> Interval:
    """Jeffreys' interval for a rate: the middle `level` of Beta(k + ½, n − k + ½); 0 and 1 are reached at k = 0, n.

    Source: Brown, Cai, DasGupta 2001, Statistical Science 16, 101. Raises ValueError unless 0 ≤ k ≤ n.
    """
    from scipy import special  # type: ignore[import-untyped]

    k, tail = _rate(k, n), (1 - level) / 2
    low = 0.0 if k == 0 else float(special.betaincinv(k + 0.5, n - k + 0.5, tail))
    high = 1.0 if k == n else float(special.betaincinv(k + 0.5, n - k + 0.5, 1 - tail))
    return Interval(low, high, "jeffreys")


def clopper_pearson(k: float, n: float, level: float = LEVEL) -> Interval:
    """The exact interval for a rate: Beta(k, n − k + 1) and Beta(k + 1, n − k) at the tails; never too short.

    Source: Clopper, Pearson 1934, Biometrika 26, 404. Raises ValueError unless 0 ≤ k ≤ n.
    """
    from scipy import special

    k, tail = _rate(k, n), (1 - level) / 2
    low = 0.0 if k == 0 else float(special.betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(special.betaincinv(k + 1, n - k, 1 - tail))
    return Interval(low, high, "clopper-pearson")


def of_mean(values: ArrayLike, counts: ArrayLike, *, seed: int = SEED, level: float = LEVEL) -> Interval | None:
    """The interval of a mean, from distinct values and how often each was met.

    n ≥ 15: mean ± t(n − 1)·s/√n (Student 1908, Biometrika 6, 1). 5 to 14: the bootstrap, bias-corrected and
    accelerated (Efron 1987, J. Am. Stat. Assoc. 82, 171), 10,000 replicates drawn by `seed`. None for fewer than 5
    and where all values are equal. Raises ValueError for a value or count that is not a number.
    """
    import numpy as np

    one, many = histogram(values, counts)
    n = float(many.sum())
    if n < LEAST or constant(one):
        return None
    if n < ENOUGH_FOR_T:
        return _bca(one, many, seed, level)
    mean = float(one @ many) / n
    error = math.sqrt(float(((one - mean) ** 2) @ many) / (n - 1) / n)
    return _student(mean, error, n - 1, level, "t") if np.isfinite(error) else None


def of_summary(mean: float, sd: float, n: int, level: float = LEVEL) -> Interval | None:
    """The t interval of a mean whose rows are not there: mean ± t(n−1) · sd/√n, `sd` being the sample's.

    None below 15 rows, where the rows themselves would be needed, and where they do not vary.
    """
    if n < ENOUGH_FOR_T or sd <= 0 or not math.isfinite(mean + sd):
        return None
    return _student(mean, sd / math.sqrt(n), n - 1, level, "t")


def of_mean_on_scale(
    values: ArrayLike, counts: ArrayLike, scale: ArrayLike, *, seed: int = SEED, level: float = LEVEL
) -> Interval | None:
    """The interval of a mean of grades on a short scale, which holds where nearly all rows have the same grade.

    The middle `level` of the posterior of Σ p·value, p ~ Dirichlet(count + 1/K) over the K values of `scale`, by
    20,000 draws of `seed`. The prior is the overall objective one of Berger, Bernardo, Sun 2015, Bayesian Analysis
    10, 189; for two values it is Jeffreys'. Unlike t it knows that grades not met may exist: at n = 20 on a skewed
    scale it covers 94 % where t covers 90 % (docs/statistics.md). None for fewer than 5. Rows of one value have an
    interval too; it reaches the end of the scale if that value is its end. Raises ValueError for a value off the scale.
    """
    import numpy as np

    one, many = histogram(values, counts)
    steps = np.unique(finite(scale))
    if not np.isin(one, steps).all():
        raise ValueError("a value is not on the scale")
    n = float(many.sum())
    if n < LEAST or len(steps) < 2:
        return None
    shape = np.full(len(steps), 1 / len(steps))
    np.add.at(shape, np.searchsorted(steps, one), many)
    drawn = np.random.default_rng(seed).standard_gamma(shape, (2 * REPLICATES, len(steps)))
    middle = float(one @ many) / n
    means = middle + drawn @ (steps - middle) / drawn.sum(1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2]).tolist()
    low, high = min(low, middle), max(high, middle)
    return Interval(max(low, float(steps[0])), min(high, float(steps[-1])), "dirichlet")


def clustered(values: ArrayLike, clusters: ArrayLike, level: float = LEVEL) -> Clustered:
    """The interval of a mean of rows that come in clusters: mean ± t(df)·error.

    Clusters of one size: error = √(Σ_c(Σ_i d)² · C/(C−1)) / n, d = value − mean, df = C − 1: the cluster-robust error
    of a mean (Liang, Zeger 1986, Biometrika 73, 13; the small-sample factor as in Cameron, Miller 2015, J. Human
    Resources 50, 317). That error is too small where sizes differ; then it is the CR2 error with the degrees of freedom
    of Imbens and Kolesár (`_uneven.spread`). `clusters` holds a code for each value; raises ValueError where one is
    negative (a missing key).
    """
    import numpy as np

    one = finite(values)
    code = codes(clusters, len(one))
    sizes = np.bincount(code)
    n, many = len(one), len(sizes)
    if n < LEAST or many < FEWEST_CLUSTERS or constant(one):
        return Clustered(None, many, None, None)
    off = one - one.mean()
    found = spread(off, code, sizes)
    effect = (found.plain / math.sqrt(float(off @ off) / (n - 1) / n)) ** 2
    if effect < 1e-12:
        return Clustered(None, many, 0.0, 0.0)
    span = _student(float(one.mean()), found.error, found.df, level, EVEN if found.even else UNEVEN)
    return Clustered(span, many, effect, found.plain, found.error, found.df)


def clustered_rate(passed: ArrayLike, clusters: ArrayLike, level: float = LEVEL) -> Clustered:
    """Wilson's interval of a rate of rows (0 or 1) in clusters, with k and n divided by the design effect.

    The effect is that of `clustered`, times (its half width / the plain formula's)² where sizes differ, and at least
    1: an effect below 1 comes by chance. Where it cannot be estimated (all rows alike, fewer than 3 clusters or 5
    rows) rows of a cluster count as if they were alike: Σn_c²/n (Kish 1965, Survey Sampling, 5.4); `design_effect` is
    then None. Raises ValueError for no rows, a value other than 0 and 1, or a negative cluster code.
    """
    import numpy as np
    from scipy import special

    one = finite(passed)
    if not len(one) or not np.isin(one, (0.0, 1.0)).all():
        raise ValueError("a rate needs rows of 0 and 1")
    found = clustered(one, clusters, level)
    if found.design_effect is None:
        sizes = np.bincount(codes(clusters, len(one)))
        effect = float(sizes @ sizes) / len(one)
    elif found.error and found.standard_error and found.df:
        wider = found.error * float(special.stdtrit(found.df, 0.5 + level / 2))
        plain = found.standard_error * float(special.stdtrit(found.clusters - 1, 0.5 + level / 2))
        effect = max(1.0, found.design_effect * (wider / plain) ** 2)
    else:
        effect = 1.0
    span = wilson(float(one.sum()) / effect, len(one) / effect, level)
    return replace(found, interval=Interval(span.low, span.high, "wilson, n / design effect"))


def of_differences(d: ArrayLike, clusters: ArrayLike | None = None, level: float = LEVEL) -> Interval | None:
    """The interval of the mean of paired differences: t at every n from 5, or that of `clustered`.

    Not the bootstrap, which at 5 to 14 differences says "different" up to 13 times in 100 where nothing differs
    (docs/statistics.md). None for fewer than 5, for differences that are all equal, and for fewer than 3 clusters.
    """
    given = finite(d)
    n = len(given)
    if clusters is not None:
        found = clustered(given, clusters, level)
        if found.interval is not None or found.design_effect is None:
            return found.interval
    if n < LEAST or constant(given):
        return None
    return _student(float(given.mean()), float(given.std(ddof=1)) / math.sqrt(n), n - 1, level, "t")


def _student(mean: float, error: float, df: float, level: float, method: str) -> Interval:
    from scipy import special

    half = float(special.stdtrit(df, 0.5 + level / 2)) * error
    return Interval(mean - half, mean + half, method)


def _bca(one: Floats, many: Floats, seed: int, level: float) -> Interval:
    """Percentiles of the replicates' means, shifted by their bias (z0) and by the skew of the jackknife (a)."""
    import numpy as np
    from scipy import special

    n = int(many.sum())
    off = one - float(one @ many) / n
    drawn = np.random.default_rng(seed).multinomial(n, many / many.sum(), REPLICATES) @ off / n
    near = 1e-9 * float(abs(off).max())
    below = (float((drawn < -near).mean()) + float((drawn <= near).mean())) / 2
    z0 = float(special.ndtri(below))
    skew = float((off**3) @ many) / (6 * float((off**2) @ many) ** 1.5)
    z = np.array([-1.0, 1.0]) * _normal(level)
    at = special.ndtr(z0 + (z0 + z) / (1 - skew * (z0 + z)))
    low, high = np.quantile(drawn, at) + (one[0] - off[0])
    return Interval(float(low), float(high), "bca")


def _rate(k: float, n: float) -> float:
    if not (math.isfinite(n) and 0 <= k <= n * (1 + 1e-12)):
        raise ValueError(f"{k} of {n} is no rate")
    return min(float(k), float(n))


def _normal(level: float) -> float:
    from scipy import special

    return float(special.ndtri(0.5 + level / 2))
