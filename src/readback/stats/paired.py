"""Test the difference of two conditions on the same items, and measure its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from readback.stats._flips import LARGE, LEAST_P, approximate_p, compute_exact_p, sample_p
from readback.stats._numbers import Floats, check_histogram, encode_clusters, require_finite
from readback.stats.equivalence import compute_detectable_difference, tost
from readback.stats.interval import SEED

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["cliffs_delta", "compute_detectable_difference", "mcnemar", "sign_flip", "tost", "wilcoxon"]

NAME = "sign-flip permutation"
RANKED = 500  # differences up to which Wilcoxon's distribution is computed and not approximated


def sign_flip(d: ArrayLike, clusters: ArrayLike | None = None, *, seed: int = SEED) -> tuple[float, str]:
    """Return the two-sided p of "the signs of the differences are chance", and the method by which it was computed.

    d: b − a for each item. p = share of all ways to flip signs whose |sum| is at least the observed one (Fisher 1935,
    The Design of Experiments, §21). Whole clusters flip together. Exact where the differences are few or multiples of
    one step; a p of 1e-12 is an upper bound, since smaller ones are lost to rounding. Else 9,999 draws by `seed`, p =
    (hits + 1)/(draws + 1) (Phipson, Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9, 39); for 20,000 units and more the
    normal limit Σd/√Σd². Raises ValueError for a value that is not a number or a cluster code below 0.
    """
    import numpy as np

    units = require_finite(d)
    if clusters is not None and len(units):
        units = np.bincount(encode_clusters(clusters, len(units)), units)
    near = 1e-9 * float(abs(units).max(initial=0.0))
    units = units[abs(units) > near]
    if not len(units):
        return 1.0, f"{NAME}, exact"
    p = compute_exact_p(units)
    if p == LEAST_P:
        return p, f"{NAME}, upper bound"
    if p is not None:
        return p, f"{NAME}, exact"
    if len(units) >= LARGE:
        return approximate_p(units), f"{NAME}, normal limit"
    return sample_p(units, seed)


def mcnemar(b: int, c: int) -> float:
    """Return the exact two-sided p that b and c discordant pairs come of a fair coin, min(1, 2·P(X ≤ min(b, c))).

    Source: McNemar 1947, Psychometrika 12, 153, with the binomial distribution in place of χ². 1 where no pair is
    discordant.
    """
    from scipy import special  # type: ignore[import-untyped]

    if b < 0 or c < 0:
        raise ValueError("a count is below 0")
    n, smaller = b + c, min(b, c)
    if not n:
        return 1.0
    return min(1.0, 2 * float(special.bdtr(smaller, n, 0.5)))


def wilcoxon(d: ArrayLike) -> float | None:
    """Return the two-sided p of Wilcoxon's signed rank test; None where every difference is 0.

    Zeros are dropped, ties get middle ranks (Wilcoxon 1945, Biometrics 1, 80). Up to 500 differences the distribution
    of the rank sum, given the ties, is computed; above, z = (W − n(n+1)/4)/√(Σ rank²/4), which is the formula with the
    correction for ties.
    """
    import numpy as np

    differences = require_finite(d)
    near = 1e-9 * float(abs(differences).max(initial=0.0))
    nonzero = differences[abs(differences) > near]
    if not len(nonzero):
        return None
    signed = np.sign(nonzero) * _rank_with_ties(abs(nonzero), near)
    if len(nonzero) <= RANKED:
        p = compute_exact_p(signed)
        if p is not None:
            return p
    return approximate_p(signed)


def cliffs_delta(values_a: ArrayLike, counts_a: ArrayLike, values_b: ArrayLike, counts_b: ArrayLike) -> float:
    """Return P(b > a) − P(b < a) over all pairs, from −1 to 1; above 0 where b is higher.

    Source: Cliff 1993, Psychological Bulletin 114, 494. Each side is a histogram. Raises ValueError for an empty side.
    """
    import numpy as np

    (a, frequencies_a), (b, frequencies_b) = check_histogram(values_a, counts_a), check_histogram(values_b, counts_b)
    if not len(a) or not len(b):
        raise ValueError("one side has no values")
    order = np.argsort(a)
    a, cumulated = a[order], np.concatenate([[0.0], np.cumsum(frequencies_a[order])])
    under, up_to = cumulated[np.searchsorted(a, b, "left")], cumulated[np.searchsorted(a, b, "right")]
    return float((under - (cumulated[-1] - up_to)) @ frequencies_b / (cumulated[-1] * frequencies_b.sum()))


def _rank_with_ties(array: Floats, near: float) -> Floats:
    """Return ranks from 1; ties share the mean of their ranks, and values nearer than `near` are tied."""
    import numpy as np

    order = np.argsort(array, kind="stable")
    group = np.concatenate([[0], np.cumsum(np.diff(array[order]) > near)])
    sizes = np.bincount(group)
    ranks = np.empty(len(array))
    ranks[order] = (np.cumsum(sizes) - (sizes - 1) / 2)[group]
    return ranks
