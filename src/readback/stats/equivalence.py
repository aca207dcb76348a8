"""No difference: shown to be small, or too small for this sample to show?"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from readback.stats._numbers import Floats, constant, finite
from readback.stats.interval import clustered

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def tost(d: ArrayLike, margin: float, clusters: ArrayLike | None = None) -> float:
    """The p of two one-sided t tests: small where the mean difference lies within −margin … margin.

    p = max(P(T ≥ (d̄ + margin)/SE), P(T ≤ (d̄ − margin)/SE)), T with n − 1 degrees of freedom, or both as
    `interval.clustered` has them (Schuirmann 1987, J. Pharmacokinet. Biopharm. 15, 657). Differences without any
    spread, fewer than 2, or fewer than 3 clusters show nothing: 1. Raises ValueError for a margin that is not above 0.
    """
    from scipy import special  # type: ignore[import-untyped]

    if not margin > 0 or not math.isfinite(margin):
        raise ValueError("the margin must be above 0")
    given = finite(d)
    if len(given) < 2 or constant(given):
        return 1.0
    error, df = float(given.std(ddof=1)) / math.sqrt(len(given)), len(given) - 1.0
    if clusters is not None:
        by = clustered(given, clusters)
        if not by.error or not by.df:
            return 1.0
        error, df = by.error, by.df
    mean = float(given.mean())
    above, below = special.stdtr(df, -(mean + margin) / error), special.stdtr(df, (mean - margin) / error)
    return float(max(above, below))


def detectable(sd: float, n: float, level: float = 0.05, power: float = 0.8) -> float:
    """The smallest mean difference that a paired t test of n differences with spread `sd` shows with this power.

    `detectable_by` of the error sd/√n with n − 1 degrees of freedom. Raises ValueError for n below 2, or sd below 0.
    """
    if not n >= 2 or not sd >= 0 or not math.isfinite(sd) or not math.isfinite(n):
        raise ValueError("needs at least 2 differences and a spread of 0 or more")
    return detectable_by(sd / math.sqrt(n), n - 1, level, power)


def detectable_by(error: float, df: float, level: float = 0.05, power: float = 0.8) -> float:
    """The smallest mean difference that a t test with this standard error and df shows with this power.

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
    edge = float(special.stdtrit(df, 1 - level / 2))
    places, weights = _places()
    needed = edge * np.sqrt(special.gammaincinv(df / 2, places) * 2 / df)  # edge · √(χ²/df), by its quantiles
    low, high = 0.0, 10 * edge + 40.0
    for _ in range(60):
        middle = (low + high) / 2
        shown = float(weights @ (special.ndtr(middle - needed) + special.ndtr(-middle - needed)))
        low, high = (middle, high) if shown < power else (low, middle)
    return (low + high) / 2 * error


@cache
def _places() -> tuple[Floats, Floats]:
    """Where between 0 and 1 to look, and with what weight."""
    import numpy as np

    nodes, weights = np.polynomial.legendre.leggauss(200)
    return (nodes + 1) / 2, weights / 2
