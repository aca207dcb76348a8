"""Test whether two groups have the same share: Fisher's exact test."""

from __future__ import annotations

from math import erfc, exp, lgamma, sqrt

LARGE = 5_000  # hits in both groups together from which the normal limit serves
NEAR = 1e-7  # relative difference up to which two tables count as equally likely: rounding


def fisher(k_a: int, n_a: int, k_b: int, n_b: int) -> float:
    """Return the two-sided p that k_a of n_a and k_b of n_b are draws from one share.

    p is the sum over all tables that are not likelier than this one. Given the margins, k_a is hypergeometric (Fisher
    1922, J. R. Stat. Soc. 85, 87). From 5,000 hits on the normal limit z = (p_a − p_b)/√(p(1 − p)(1/n_a + 1/n_b)). 1
    where a group is empty. Raises ValueError unless 0 ≤ k ≤ n.
    """
    if not (0 <= k_a <= n_a and 0 <= k_b <= n_b):
        raise ValueError("more hits than rows, or fewer than none")
    hits, n = k_a + k_b, n_a + n_b
    if not (n_a and n_b and 0 < hits < n):
        return 1.0
    if hits >= LARGE:
        share = hits / n
        z = (k_a / n_a - k_b / n_b) / sqrt(share * (1 - share) * (1 / n_a + 1 / n_b))
        return erfc(abs(z) / sqrt(2))
    log_tables = _log_choose(n, hits)
    low, high = max(0, hits - n_b), min(hits, n_a)
    probabilities = [exp(_log_choose(n_a, k) + _log_choose(n_b, hits - k) - log_tables) for k in range(low, high + 1)]
    observed = probabilities[k_a - low]
    return min(1.0, sum(p for p in probabilities if p <= observed * (1 + NEAR)))


def _log_choose(n: int, k: int) -> float:
    """Return the logarithm of n over k."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
