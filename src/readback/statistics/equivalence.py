"""No difference: shown to be small, or too small for this sample to show?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from readback.statistics._numbers import constant, finite
from readback.statistics.interval import clustered

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def tost(d: ArrayLike, margin: float, clusters: ArrayLike | None = None) -> float:
    """The p of two one-sided t tests: small where the mean difference lies within −margin … margin.

    p = max(P(T ≥ (d̄ + margin)/SE), P(T ≤ (d̄ − margin)/SE)), T with n − 1 degrees of freedom, or SE and C − 1 of
    clusters (Schuirmann 1987, J. Pharmacokinet. Biopharm. 15, 657). Differences without any spread, or fewer than 2,
    show nothing: 1. Raises ValueError for a margin that is not above 0.
    """
    from scipy import special  # type: ignore[import-untyped]

    if not margin > 0 or not math.isfinite(margin):
        raise ValueError("the margin must be above 0")
    given = finite(d)
    if len(given) < 2 or constant(given):
        return 1.0
    error, df = float(given.std(ddof=1)) / math.sqrt(len(given)), len(given) - 1
    if clusters is not None:
        by = clustered(given, clusters)
        if not by.standard_error:
            return 1.0
        error, df = by.standard_error, by.clusters - 1
    mean = float(given.mean())
    above, below = special.stdtr(df, -(mean + margin) / error), special.stdtr(df, (mean - margin) / error)
    return float(max(above, below))


def detectable(sd: float, n: float, level: float = 0.05, power: float = 0.8) -> float:
    """The smallest mean difference that a paired t test of n differences with spread `sd` shows with this power.

    d·sd with P(|T'| > t(n − 1; 1 − level/2)) = power, T' noncentral t with n − 1 degrees of freedom and
    noncentrality d·√n (Cohen 1988, Statistical Power Analysis, ch. 2). Clustered: n divided by the design effect.
    Raises ValueError for n below 2, or sd below 0.
    """
    from scipy import special

    if not n >= 2 or not sd >= 0 or not math.isfinite(sd) or not level < power < 1:
        raise ValueError("needs at least 2 differences and a spread of 0 or more")
    if not sd:
        return 0.0
    df, edge = n - 1, float(special.stdtrit(n - 1, 1 - level / 2))
    low, high = 0.0, edge + 40.0
    for _ in range(60):
        middle = (low + high) / 2
        shown = 1 - float(special.nctdtr(df, middle, edge)) + float(special.nctdtr(df, middle, -edge))
        low, high = (middle, high) if shown < power else (low, middle)
    return (low + high) / 2 / math.sqrt(n) * sd
