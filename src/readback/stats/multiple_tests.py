"""Adjust the p of several tests (Holm, Benjamini–Hochberg), and test several conditions at once (Friedman, Cochran)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from readback.stats._numbers import Floats, require_finite

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """Return Holm's adjusted p in the order of `ps`: the largest, so far, of (m − rank + 1)·p, at most 1.

    It controls the chance of any false alarm in the family (Holm 1979, Scand. J. Stat. 6, 65).
    """
    import numpy as np

    p, order = _sort_ps(ps)
    adjusted = np.minimum(1.0, np.maximum.accumulate(p * np.arange(len(p), 0, -1)))
    return _restore_order(adjusted, order)


def benjamini_hochberg(ps: Sequence[float]) -> tuple[float, ...]:
    """Return Benjamini and Hochberg's adjusted p in the order of `ps`: the smallest, from there on, of m/rank·p.

    At most 1. It controls the expected share of false alarms among those called (Benjamini, Hochberg 1995, J. R. Stat.
    Soc. B 57, 289).
    """
    import numpy as np

    p, order = _sort_ps(ps)
    scaled = np.maximum(p, p * len(p) / np.arange(1, len(p) + 1))  # rounding must not lower the last
    return _restore_order(np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1]), order)


def friedman(matrix: ArrayLike) -> float:
    """Return the p that k conditions (columns) rank alike over the items (rows), by χ² with k − 1 degrees of freedom.

    Q = (k − 1)·Σ_j (R_j − n(k+1)/2)² / (Σ ranks² − n·k(k+1)²/4): Friedman 1937, J. Am. Stat. Assoc. 32, 675, with the
    correction for ties (Conover 1999, Practical Nonparametric Statistics, 5.8). 1 where every item ties.
    """
    import numpy as np
    from scipy import special  # type: ignore[import-untyped]

    table = _check_table(matrix)
    n, k = table.shape
    below = (table[:, None, :] < table[:, :, None]).sum(2)
    ties = (table[:, None, :] == table[:, :, None]).sum(2)
    ranks = below + (ties + 1) / 2
    spread = float((ranks**2).sum()) - n * k * (k + 1) ** 2 / 4
    if spread <= 0:
        return 1.0
    between = float(((ranks.sum(0) - n * (k + 1) / 2) ** 2).sum())
    return float(special.chdtrc(k - 1, np.float64((k - 1) * between / spread)))


def cochran_q(matrix: ArrayLike) -> float:
    """Return the p that k conditions (columns) pass items (rows; 0 or 1) alike, by χ² with k − 1 degrees of freedom.

    Q = (k − 1)·(k·ΣC_j² − N²) / (k·N − ΣR_i²), C and R the sums of columns and rows, N of all: Cochran 1950,
    Biometrika 37, 256. 1 where every item passes everywhere or nowhere. Raises ValueError for another value than 0, 1.
    """
    import numpy as np
    from scipy import special

    table = _check_table(matrix)
    if not np.isin(table, (0.0, 1.0)).all():
        raise ValueError("Cochran's Q needs 0 and 1")
    k, total = table.shape[1], float(table.sum())
    denominator = k * total - float((table.sum(1) ** 2).sum())
    if denominator <= 0:
        return 1.0
    numerator = (k - 1) * (k * float((table.sum(0) ** 2).sum()) - total**2)
    return float(special.chdtrc(k - 1, numerator / denominator))


def _sort_ps(ps: Sequence[float]) -> tuple[Floats, Floats]:
    import numpy as np

    p = require_finite(ps)
    if len(p) and not (p.min() >= 0 and p.max() <= 1):
        raise ValueError("a p lies outside 0 to 1")
    order = np.argsort(p, kind="stable")
    return p[order], order


def _restore_order(adjusted: Floats, order: Floats) -> tuple[float, ...]:
    import numpy as np

    restored = np.empty(len(order))
    restored[order] = adjusted
    return tuple(restored.tolist())


def _check_table(matrix: ArrayLike) -> Floats:
    import numpy as np

    table = np.asarray(matrix, np.float64)
    if table.ndim != 2 or table.shape[1] < 2 or not len(table):
        raise ValueError("needs a table of items by at least 2 conditions")
    return require_finite(table).reshape(table.shape)
