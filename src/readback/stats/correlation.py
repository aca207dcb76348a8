"""Measure whether two quantities rise together: Spearman's rank correlation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from readback.stats._numbers import Floats, is_constant, require_finite
from readback.stats.interval import LEVEL, Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def spearman(x: ArrayLike, y: ArrayLike, level: float = LEVEL) -> tuple[float | None, Interval | None, int]:
    """Return Spearman's rho, its interval, and n.

    Both are None where one side is constant or n < 3; the interval is None for n < 5.

    rho: the correlation of ranks, ties at the middle (Spearman 1904, Am. J. Psychol. 15, 72). Interval:
    tanh(artanh rho ± z·√((1 + rho²/2)/(n − 3))) (Bonett, Wright 2000, Psychometrika 65, 23). Raises ValueError for
    lengths that differ or a value that is not a number.
    """
    from scipy import special  # type: ignore[import-untyped]

    values_x, values_y = require_finite(x), require_finite(y)
    n = len(values_x)
    if n != len(values_y):
        raise ValueError("both sides need the same rows")
    if n < 3 or is_constant(values_x) or is_constant(values_y):
        return None, None, n
    ranks_x, ranks_y = rank_with_ties(values_x), rank_with_ties(values_y)
    ranks_x, ranks_y = ranks_x - ranks_x.mean(), ranks_y - ranks_y.mean()
    rho = max(-1.0, min(1.0, float(ranks_x @ ranks_y) / math.sqrt(float(ranks_x @ ranks_x) * float(ranks_y @ ranks_y))))
    if n < 5:
        return rho, None, n
    if abs(rho) > 1 - 1e-12:
        return rho, Interval(rho, rho, "Bonett-Wright"), n
    half = float(special.ndtri(0.5 + level / 2)) * math.sqrt((1 + rho * rho / 2) / (n - 3))
    low, high = (math.tanh(math.atanh(rho) + sign * half) for sign in (-1, 1))
    return rho, Interval(low, high, "Bonett-Wright"), n


def rank_with_ties(values: Floats) -> Floats:
    """Return ranks from 1; tied values share the mean of their ranks."""
    import numpy as np

    _, codes, frequencies = np.unique(values, return_inverse=True, return_counts=True)
    return (frequencies.cumsum() - (frequencies - 1) / 2)[codes.ravel()]
