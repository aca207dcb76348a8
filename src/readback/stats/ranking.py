"""Estimate the strength of contestants from who won against whom (Bradley–Terry)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from readback.stats._numbers import Floats
from readback.stats.interval import LEVEL, SEED, Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

DRAWS = 1_000
ROUNDS = 10_000
NEAR = 1e-9
METHOD = "Bradley–Terry, ties as half a win each, one tie added to each pair that met, bootstrap of {} draws"


@dataclass(frozen=True, slots=True)
class Ranked:
    """Strengths as natural logarithms of odds, with mean 0; a beats b with the odds exp(strength a − strength b).

    `connected` is True where every contestant can be compared with every other, if only through third ones; where it is
    False the strengths of groups that never met are not comparable.
    """

    strengths: tuple[float, ...]
    intervals: tuple[Interval, ...]
    connected: bool
    method: str


def bradley_terry(
    wins: ArrayLike, ties: ArrayLike | None = None, *, seed: int = SEED, draws: int = DRAWS, level: float = LEVEL
) -> Ranked:
    """Return the strengths from wins[i, j] = how often i beat j, and ties[i, j] = ties[j, i] = how often they tied.

    P(i beats j) = s_i/(s_i + s_j): Bradley, Terry 1952, Biometrika 39, 324, fitted by Hunter's MM algorithm (2004,
    Ann. Statist. 32, 384). A tie is half a win for each. Each pair that met gets one tie more, so that a contestant
    who won everything has a finite strength. Intervals: percentiles of `draws` bootstrap samples of each pair's
    outcomes, by `seed`. Raises ValueError for tables that are not square, alike, symmetric in ties, or hold counts
    below 0.
    """
    import numpy as np

    win_counts = _check_square(wins)
    if ties is None:
        tie_counts = np.zeros_like(win_counts)
    else:
        tie_counts = _check_square(ties)
    if win_counts.shape != tie_counts.shape or not np.array_equal(tie_counts, tie_counts.T):
        raise ValueError("ties must be the same seen from either side")
    k = len(win_counts)
    meetings = win_counts + win_counts.T + tie_counts
    i, j = (indices for indices in np.triu_indices(k, 1))
    pair_counts = meetings[i, j]
    has_met = pair_counts > 0
    i, j, pair_counts = i[has_met], j[has_met], pair_counts[has_met]
    method = METHOD.format(f"{draws:,}")
    chances = np.stack([win_counts[i, j], win_counts[j, i], tie_counts[i, j]], 1) / np.maximum(pair_counts, 1)[:, None]
    rng = np.random.default_rng(seed)
    draws_per_pair = (
        rng.multinomial(pair_counts.astype(int), chances, (draws, len(pair_counts)))
        if len(pair_counts)
        else np.zeros((draws, 0, 3))
    )
    half_wins = np.zeros((draws + 1, k, k))
    half_wins[0, i, j] = win_counts[i, j] + tie_counts[i, j] / 2 + 0.5
    half_wins[0, j, i] = win_counts[j, i] + tie_counts[i, j] / 2 + 0.5
    half_wins[1:, i, j] = draws_per_pair[..., 0] + draws_per_pair[..., 2] / 2 + 0.5
    half_wins[1:, j, i] = draws_per_pair[..., 1] + draws_per_pair[..., 2] / 2 + 0.5
    strengths = _fit_strengths(half_wins)
    low, high = np.quantile(strengths[1:], [(1 - level) / 2, (1 + level) / 2], axis=0)
    intervals = tuple(Interval(a, b, "bootstrap") for a, b in zip(low.tolist(), high.tolist(), strict=True))
    return Ranked(tuple(strengths[0].tolist()), intervals, _is_connected(meetings > 0), method)


def _fit_strengths(half_wins: Floats) -> Floats:
    """Return the fitted strengths of every sample, as logarithms with mean 0.

    Repeats s_i ← W_i / Σ_j n_ij/(s_i + s_j) for all samples at once until no strength changes.
    """
    import numpy as np

    meetings = half_wins + half_wins.transpose(0, 2, 1)
    totals = half_wins.sum(2)
    s = np.ones(totals.shape)
    for _ in range(ROUNDS):
        share = (meetings / (s[:, :, None] + s[:, None, :])).sum(2)
        updated = np.where(share > 0, totals / np.where(share > 0, share, 1.0), 1.0)
        updated /= np.exp(np.log(updated).mean(1, keepdims=True))
        change = float(abs(np.log(updated) - np.log(s)).max(initial=0.0))
        s = updated
        if change < NEAR:
            break
    return np.log(s)


def _is_connected(has_met: Floats) -> bool:
    import numpy as np

    reached = np.zeros(len(has_met), bool)
    reached[:1] = True
    while True:
        extended = reached | has_met[reached].any(0)
        if (extended == reached).all():
            return bool(reached.all())
        reached = extended


def _check_square(counts: ArrayLike) -> Floats:
    import numpy as np

    table = np.asarray(counts, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not np.isfinite(table).all() or (table < 0).any():
        raise ValueError("needs a square table of counts")
    return table * (1 - np.eye(len(table)))
