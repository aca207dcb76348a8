"""Do two things go up together?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from readback.stats._numbers import Floats, constant, finite
from readback.stats.interval import LEVEL, Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def spearman(x: ArrayLike, y: ArrayLike, level: float = LEVEL) -> tuple[float | None, Interval | None, int]:
    """Spearman's rho with its interval, and n. None for both where one side is constant or n < 3; no interval n < 5.

    rho: the correlation of ranks, ties at the middle (Spearman 1904, Am. J. Psychol. 15, 72). Interval:
    tanh(artanh rho ± z·√((1 + rho²/2)/(n − 3))) (Bonett, Wright 2000, Psychometrika 65, 23). Raises ValueError for
    lengths that differ or a value that is not a number.
    """
    from scipy import special  # type: ignore[import-untyped]

    one, other = finite(x), finite(y)
    n = len(one)
    if n != len(other):
        raise ValueError("both sides need the same rows")
    if n < 3 or constant(one) or constant(other):
        return None, None, n
    a, b = middle_ranks(one), middle_ranks(other)
    a, b = a - a.mean(), b - b.mean()
    rho = max(-1.0, min(1.0, float(a @ b) / math.sqrt(float(a @ a) * float(b @ b))))
    if n < 5:
        return rho, None, n
    if abs(rho) > 1 - 1e-12:
        return rho, Interval(rho, rho, "Bonett-Wright"), n
    half = float(special.ndtri(0.5 + level / 2)) * math.sqrt((1 + rho * rho / 2) / (n - 3))
    low, high = (math.tanh(math.atanh(rho) + side * half) for side in (-1, 1))
    return rho, Interval(low, high, "Bonett-Wright"), n


def middle_ranks(values: Floats) -> Floats:
    """Ranks from 1, ties at the middle of theirs."""
    import numpy as np

    _, code, many = np.unique(values, return_inverse=True, return_counts=True)
    return (many.cumsum() - (many - 1) / 2)[code.ravel()]
