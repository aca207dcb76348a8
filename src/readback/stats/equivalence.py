"""Test whether a difference is small (TOST), and compute the smallest difference that a sample can detect."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from readback.stats._numbers import Floats, is_constant, require_finite
from readback.stats.interval import compute_clustered_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def tost(d: ArrayLike, margin: float, clusters: ArrayLike | None = None) -> float:
    """Return the p of two one-sided t tests: small where the mean difference lies within −margin … margin.

    p = max(P(T ≥ (d̄ + margin)/SE), P(T ≤ (d̄ − margin)/SE)), T with n − 1 degrees of freedom; with clusters, SE and
    degrees of freedom are those of `interval.compute_clustered_interval` (Schuirmann 1987, J. Pharmacokinet. Biopharm.
    15, 657). 1 for differences without any spread, fewer than 2 of them, or fewer than 3 clusters. Raises ValueError
    for a margin that is not above 0.
    """
    from scipy import special  # type: ignore[import-untyped]

    if not margin > 0 or not math.isfinite(margin):
        raise ValueError("the margin must be above 0")
    differences = require_finite(d)
    if len(differences) < 2 or is_constant(differences):
        return 1.0
    error, df = float(differences.std(ddof=1)) / math.sqrt(len(differences)), len(differences) - 1.0
    if clusters is not None:
        clustered = compute_clustered_interval(differences, clusters)
        if not clustered.error or not clustered.df:
            return 1.0
        error, df = clustered.error, clustered.df
    mean = float(differences.mean())
    p_above, p_below = special.stdtr(df, -(mean + margin) / error), special.stdtr(df, (mean - margin) / error)
    return float(max(p_above, p_below))


def compute_detectable_difference(sd: float, n: float, level: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest mean difference that a paired t test of n differences with spread `sd` shows with this power.

    It is `compute_detectable_from_error` of the error sd/√n with n − 1 degrees of freedom. Raises ValueError for n
    below 2, or sd below 0.
    """
    if not n >= 2 or not sd >= 0 or not math.isfinite(sd) or not math.isfinite(n):
        raise ValueError("needs at least 2 differences and a spread of 0 or more")
    return compute_detectable_from_error(sd / math.sqrt(n), n - 1, level, power)


def compute_detectable_from_error(error: float, df: float, level: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest mean difference that a t test with this standard error and df shows with this power.

    δ·error with P(|T'| > t(df; 1 − level/2)) = power, T' noncentral t with df degrees of freedom and noncentrality δ
    (Cohen 1988, Statistical Power Analysis, ch. 2): the normal distribution, averaged over that of the error by
    Gauss's quadrature, since scipy's noncentral t errs by a thousandth for few df. Raises ValueError for an error
    below 0, df not above 0, or a power that is not between level and 1.
    """
    import numpy as np
    from scipy import special

    if not error >= 0 or not math.isfinite(error) or not df > 0 or not level < power < 1:
        raise ValueError("needs an error of 0 or more, df above 0, and a power above the level")
    if not error:
        return 0.0
    critical = float(special.stdtrit(df, 1 - level / 2))
    nodes, weights = _quadrature_nodes()
    thresholds = critical * np.sqrt(special.gammaincinv(df / 2, nodes) * 2 / df)  # edge · √(χ²/df), by its quantiles
    low, high = 0.0, 10 * critical + 40.0
    for _ in range(60):
        middle = (low + high) / 2
        power_at_middle = float(weights @ (special.ndtr(middle - thresholds) + special.ndtr(-middle - thresholds)))
        if power_at_middle < power:
            low = middle
        else:
            high = middle
    return (low + high) / 2 * error


@cache
def _quadrature_nodes() -> tuple[Floats, Floats]:
    """Return the nodes between 0 and 1 of Gauss's quadrature, and their weights."""
    import numpy as np

    nodes, weights = np.polynomial.legendre.leggauss(200)
    return (nodes + 1) / 2, weights / 2
