"""Estimate the error of a mean over clusters and its degrees of freedom, also where clusters differ in size."""

from __future__ import annotations

import math
from dataclasses import dataclass

from readback.stats._numbers import Floats


@dataclass(frozen=True, slots=True)
class Spread:
    """The standard error of a mean over clusters.

    `plain` is √(Σ_c S_c² · C/(C − 1)) / n. `error` and `df` are corrected for clusters of different sizes; where all
    sizes are equal (`even`), nothing is corrected.
    """

    plain: float
    error: float
    df: float
    even: bool


def estimate_spread(deviations: Floats, codes: Floats, sizes: Floats) -> Spread:
    """Return the errors of a mean from its deviations, cluster codes 0…C − 1 and the sizes of at least 2 clusters.

    S_c: the sum of a cluster's deviations, h_c = n_c/n. CR2, the bias-reduced linearization of Bell, McCaffrey 2002,
    Survey Methodology 28, 169: for a mean, error² = Σ S_c²/(1 − h_c) / n². Degrees of freedom as Imbens, Kolesár 2016,
    Rev. Econ. Stat. 98, 701: Satterthwaite's, for rows that share the correlation found within clusters. With clusters
    of one size both are the plain formula's, C − 1 degrees of freedom.
    """
    import numpy as np

    n, clusters = len(deviations), len(sizes)
    sums = np.bincount(codes, deviations, clusters)
    plain = math.sqrt(float(sums @ sums) * clusters / (clusters - 1)) / n
    if sizes.min() == sizes.max():
        return Spread(plain, plain, clusters - 1.0, True)
    share = sizes / n
    error = math.sqrt(float((sums**2 / (1 - share)).sum())) / n
    between = float((sums**2 / sizes).sum())
    rho = _correlate_within(between, max(float(deviations @ deviations) - between, 0.0), sizes)
    return Spread(plain, error, _estimate_df(share, sizes * (1 - rho) + sizes**2 * rho), False)


def _correlate_within(between_sum: float, within_sum: float, sizes: Floats) -> float:
    """Return the correlation of two rows of a cluster, from the sums of squares between and within; never below 0.

    τ² = (MSB − MSW)/n₀, n₀ = (n − Σn_c²/n)/(C − 1); ρ = τ²/(τ² + MSW) (Donner 1986, Int. Stat. Rev. 54, 67).
    """
    n, clusters = float(sizes.sum()), len(sizes)
    within_mean = within_sum / (n - clusters)
    typical = (n - float(sizes @ sizes) / n) / (clusters - 1)
    common = max(0.0, (between_sum / (clusters - 1) - within_mean) / typical)
    if not common:
        return 0.0
    return common / (common + within_mean)


def _estimate_df(share: Floats, variance: Floats) -> float:
    """Return the degrees of freedom (Σ w_c M_cc)² / Σ_cd w_c w_d M_cd².

    w_c = 1/(1 − h_c); M is the covariance of S_c = T_c − h_c·ΣT. `variance` holds v_c, the variance of T_c. M_cd =
    v_c[c = d] − h_c·v_d − v_c·h_d + h_c·h_d·Σv: a diagonal and two vectors, so that no matrix of clusters by clusters
    is needed.
    """
    weight, total = 1 / (1 - share), float(variance.sum())
    outer = total * share**2 - 2 * share * variance  # M_cc without v_c
    diagonal = variance + outer
    sum_hh, sum_hv, sum_vv = (float(weight @ pair) for pair in (share**2, share * variance, variance**2))
    cross = (sum_hh * total - sum_hv) ** 2 - 2 * sum_hh * (sum_hv * total - sum_vv) + sum_hv**2
    return float(weight @ diagonal) ** 2 / (float(weight**2 @ (diagonal**2 - outer**2)) + cross)
