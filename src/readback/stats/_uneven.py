"""The error of a mean over clusters, and how many degrees of freedom it is worth where clusters differ in size."""

from __future__ import annotations

import math
from dataclasses import dataclass

from readback.stats._numbers import Floats


@dataclass(frozen=True, slots=True)
class Spread:
    """`plain`: √(Σ_c S_c² · C/(C − 1)) / n. `error` and `df`: for uneven sizes; `even`: nothing was corrected."""

    plain: float
    error: float
    df: float
    even: bool


def spread(off: Floats, code: Floats, sizes: Floats) -> Spread:
    """The errors of a mean from the deviations `off`, cluster codes 0…C − 1 and sizes of at least 2 clusters.

    S_c: the sum of a cluster's deviations, h_c = n_c/n. CR2, the bias-reduced linearization of Bell, McCaffrey 2002,
    Survey Methodology 28, 169: for a mean, error² = Σ S_c²/(1 − h_c) / n². Degrees of freedom as Imbens, Kolesár 2016,
    Rev. Econ. Stat. 98, 701: Satterthwaite's, for rows that share the correlation found within clusters. With clusters
    of one size both are the plain formula's, C − 1 degrees of freedom.
    """
    import numpy as np

    n, many = len(off), len(sizes)
    sums = np.bincount(code, off, many)
    plain = math.sqrt(float(sums @ sums) * many / (many - 1)) / n
    if sizes.min() == sizes.max():
        return Spread(plain, plain, many - 1.0, True)
    share = sizes / n
    error = math.sqrt(float((sums**2 / (1 - share)).sum())) / n
    between = float((sums**2 / sizes).sum())
    rho = _within(between, max(float(off @ off) - between, 0.0), sizes)
    return Spread(plain, error, _df(share, sizes * (1 - rho) + sizes**2 * rho), False)


def _within(between: float, rest: float, sizes: Floats) -> float:
    """The correlation of two rows of a cluster, from the sums of squares between and within; never below 0.

    τ² = (MSB − MSW)/n₀, n₀ = (n − Σn_c²/n)/(C − 1); ρ = τ²/(τ² + MSW) (Donner 1986, Int. Stat. Rev. 54, 67).
    """
    n, many = float(sizes.sum()), len(sizes)
    within = rest / (n - many)
    typical = (n - float(sizes @ sizes) / n) / (many - 1)
    common = max(0.0, (between / (many - 1) - within) / typical)
    return common / (common + within) if common else 0.0


def _df(share: Floats, variance: Floats) -> float:
    """(Σ w_c M_cc)² / Σ_cd w_c w_d M_cd², w_c = 1/(1 − h_c), M the covariance of S_c = T_c − h_c·ΣT.

    `variance`: that of T_c, v_c. M_cd = v_c[c = d] − h_c·v_d − v_c·h_d + h_c·h_d·Σv: a diagonal and two vectors, so
    that no matrix of clusters by clusters is needed.
    """
    weight, whole = 1 / (1 - share), float(variance.sum())
    outer = whole * share**2 - 2 * share * variance  # what M_cc has beside v_c
    own = variance + outer
    hh, hv, vv = (float(weight @ pair) for pair in (share**2, share * variance, variance**2))
    cross = (hh * whole - hv) ** 2 - 2 * hh * (hv * whole - vv) + hv**2
    return float(weight @ own) ** 2 / (float(weight**2 @ (own**2 - outer**2)) + cross)
