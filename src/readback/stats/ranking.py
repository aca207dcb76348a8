"""Who is strongest, from who won against whom: Bradley–Terry."""

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
    """Strengths as natural logarithms of odds, their mean 0; a beats b with the odds exp(strength a − strength b).

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
    """Strengths from wins[i, j] = how often i beat j, and ties[i, j] = ties[j, i] = how often they tied.

    P(i beats j) = s_i/(s_i + s_j): Bradley, Terry 1952, Biometrika 39, 324, fitted by Hunter's MM algorithm (2004,
    Ann. Statist. 32, 384). A tie is half a win for each. Each pair that met gets one tie more, so that a contestant
    who won everything has a finite strength. Intervals: percentiles of `draws` bootstrap samples of each pair's
    outcomes, by `seed`. Raises ValueError for tables that are not square, alike, symmetric in ties, or hold counts
    below 0.
    """
    import numpy as np

    won = _square(wins)
    tied = np.zeros_like(won) if ties is None else _square(ties)
    if won.shape != tied.shape or not np.array_equal(tied, tied.T):
        raise ValueError("ties must be the same seen from either side")
    k = len(won)
    met = won + won.T + tied
    i, j = (at for at in np.triu_indices(k, 1))
    many = met[i, j]
    kept = many > 0
    i, j, many = i[kept], j[kept], many[kept]
    method = METHOD.format(f"{draws:,}")
    chances = np.stack([won[i, j], won[j, i], tied[i, j]], 1) / np.maximum(many, 1)[:, None]
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(many.astype(int), chances, (draws, len(many))) if len(many) else np.zeros((draws, 0, 3))
    half = np.zeros((draws + 1, k, k))
    half[0, i, j] = won[i, j] + tied[i, j] / 2 + 0.5
    half[0, j, i] = won[j, i] + tied[i, j] / 2 + 0.5
    half[1:, i, j] = drawn[..., 0] + drawn[..., 2] / 2 + 0.5
    half[1:, j, i] = drawn[..., 1] + drawn[..., 2] / 2 + 0.5
    strengths = _fit(half)
    low, high = np.quantile(strengths[1:], [(1 - level) / 2, (1 + level) / 2], axis=0)
    spans = tuple(Interval(a, b, "bootstrap") for a, b in zip(low.tolist(), high.tolist(), strict=True))
    return Ranked(tuple(strengths[0].tolist()), spans, _connected(met > 0), method)


def _fit(half: Floats) -> Floats:
    """s_i ← W_i / Σ_j n_ij/(s_i + s_j) until nothing moves, for every sample at once; as logarithms with mean 0."""
    import numpy as np

    met = half + half.transpose(0, 2, 1)
    won = half.sum(2)
    s = np.ones(won.shape)
    for _ in range(ROUNDS):
        share = (met / (s[:, :, None] + s[:, None, :])).sum(2)
        fresh = np.where(share > 0, won / np.where(share > 0, share, 1.0), 1.0)
        fresh /= np.exp(np.log(fresh).mean(1, keepdims=True))
        moved = float(abs(np.log(fresh) - np.log(s)).max(initial=0.0))
        s = fresh
        if moved < NEAR:
            break
    return np.log(s)


def _connected(met: Floats) -> bool:
    import numpy as np

    reached = np.zeros(len(met), bool)
    reached[:1] = True
    while True:
        more = reached | met[reached].any(0)
        if (more == reached).all():
            return bool(reached.all())
        reached = more


def _square(counts: ArrayLike) -> Floats:
    import numpy as np

    table = np.asarray(counts, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not np.isfinite(table).all() or (table < 0).any():
        raise ValueError("needs a square table of counts")
    return table * (1 - np.eye(len(table)))
