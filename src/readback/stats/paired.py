"""Two conditions on the same items: is the difference more than chance, and how large is it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from readback.stats._flips import LARGE, LEAST_P, Exact, exact, normal_limit, sampled
from readback.stats._numbers import Floats, codes, finite, histogram
from readback.stats.equivalence import detectable, tost
from readback.stats.interval import SEED

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["cliffs_delta", "detectable", "mcnemar", "sign_flip", "tost", "wilcoxon"]

NAME = "sign-flip permutation"
RANKED = 500  # differences up to which Wilcoxon's distribution is computed and not approximated


def sign_flip(d: ArrayLike, clusters: ArrayLike | None = None, *, seed: int = SEED) -> tuple[float, str]:
    """The two-sided p of "the signs of the differences are chance", and how it was found.

    d: b − a for each item. p = share of all ways to flip signs whose |sum| is at least the one seen (Fisher 1935, The
    Design of Experiments, §21). Whole clusters flip together. Exact where the differences are multiples of one step or
    few, but for a p of 1e-12, below which rounding leaves nothing to tell: that is an upper bound. Else 9,999 draws by
    `seed`, p = (hits + 1)/(draws + 1) (Phipson, Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9, 39); for 20,000 units and
    more the normal limit Σd/√Σd². Raises ValueError for a value that is not a number or a cluster code below 0.
    """
    import numpy as np

    units = finite(d)
    if clusters is not None:
        units = np.bincount(codes(clusters, len(units)), units) if len(units) else units
    near = 1e-9 * float(abs(units).max(initial=0.0))
    units = units[abs(units) > near]
    if not len(units):
        return 1.0, f"{NAME}, exact"
    found: Exact = exact(units)
    if found is not None:
        return found, f"{NAME}, upper bound" if found == LEAST_P else f"{NAME}, exact"
    if len(units) >= LARGE:
        return normal_limit(units), f"{NAME}, normal limit"
    return sampled(units, seed)


def mcnemar(b: int, c: int) -> float:
    """Exact McNemar: the two-sided p that b and c discordant pairs come of a fair coin, min(1, 2·P(X ≤ min(b, c))).

    Source: McNemar 1947, Psychometrika 12, 153, with the binomial distribution in place of χ². No discordant pair: 1.
    """
    from scipy import special  # type: ignore[import-untyped]

    if b < 0 or c < 0:
        raise ValueError("a count is below 0")
    n, least = b + c, min(b, c)
    return min(1.0, 2 * float(special.bdtr(least, n, 0.5))) if n else 1.0


def wilcoxon(d: ArrayLike) -> float | None:
    """The two-sided p of Wilcoxon's signed rank test; None where every difference is 0.

    Zeros are dropped, ties get middle ranks (Wilcoxon 1945, Biometrics 1, 80). Up to 500 differences the distribution
    of the rank sum, given the ties, is computed; above, z = (W − n(n+1)/4)/√(Σ rank²/4), which is the formula with the
    correction for ties.
    """
    import numpy as np

    given = finite(d)
    near = 1e-9 * float(abs(given).max(initial=0.0))
    kept = given[abs(given) > near]
    if not len(kept):
        return None
    signed = np.sign(kept) * _middle_ranks(abs(kept), near)
    found = exact(signed) if len(kept) <= RANKED else None
    return normal_limit(signed) if found is None else found


def cliffs_delta(values_a: ArrayLike, counts_a: ArrayLike, values_b: ArrayLike, counts_b: ArrayLike) -> float:
    """P(b > a) − P(b < a) over all pairs, from −1 to 1; above 0 where b is higher.

    Source: Cliff 1993, Psychological Bulletin 114, 494. Each side is a histogram. Raises ValueError for an empty side.
    """
    import numpy as np

    (a, many_a), (b, many_b) = histogram(values_a, counts_a), histogram(values_b, counts_b)
    if not len(a) or not len(b):
        raise ValueError("one side has no values")
    order = np.argsort(a)
    a, below = a[order], np.concatenate([[0.0], np.cumsum(many_a[order])])
    under, upto = below[np.searchsorted(a, b, "left")], below[np.searchsorted(a, b, "right")]
    return float((under - (below[-1] - upto)) @ many_b / (below[-1] * many_b.sum()))


def _middle_ranks(array: Floats, near: float) -> Floats:
    """Ranks from 1, ties at the middle of theirs; values nearer than `near` are tied."""
    import numpy as np

    order = np.argsort(array, kind="stable")
    group = np.concatenate([[0], np.cumsum(np.diff(array[order]) > near)])
    sizes = np.bincount(group)
    ranks = np.empty(len(array))
    ranks[order] = (np.cumsum(sizes) - (sizes - 1) / 2)[group]
    return ranks
