"""Compare the means of two independent groups (Welch)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Groups:
    """The difference mean(b) − mean(a) with its 95 % interval and two-sided p.

    The last two are None where a group is too small or nothing varies.
    """

    difference: float
    low: float | None = None
    high: float | None = None
    p: float | None = None


def welch(a: Any, b: Any, level: float = 0.95) -> Groups | None:
    """Return Welch's t interval and test for two arrays of values; None where one is empty.

    SE² = s_a²/n_a + s_b²/n_b, with the degrees of freedom of Welch and Satterthwaite: SE⁴ / Σ (s²/n)²/(n − 1).
    Source: B. L. Welch, The generalization of "Student's" problem, Biometrika 34 (1947).
    """
    import numpy as np
    from scipy.special import stdtr, stdtrit  # type: ignore[import-untyped]

    if not len(a) or not len(b):
        return None
    difference = float(np.mean(b) - np.mean(a))
    if min(len(a), len(b)) < 2:
        return Groups(difference)
    parts = [float(np.var(group, ddof=1)) / len(group) for group in (a, b)]
    error = math.sqrt(sum(parts))
    if error == 0:
        return Groups(difference)
    df = sum(parts) ** 2 / sum(part**2 / (len(group) - 1) for part, group in zip(parts, (a, b), strict=True))
    half = float(stdtrit(df, 0.5 + level / 2)) * error
    return Groups(difference, difference - half, difference + half, float(2 * stdtr(df, -abs(difference / error))))
