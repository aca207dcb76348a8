"""The distribution of a sum whose terms take either sign: computed where that is possible, else drawn."""

from __future__ import annotations

import math

from readback.stats._numbers import Floats

Exact = float | None
LARGE = 20_000  # units from which the normal limit is used
DRAWS = 9_999
FEW = 16  # units whose 2^n sign patterns are all tried
WIDTH = 4_000_000  # steps between the smallest and the largest sum
WORK = 30_000_000  # steps × distinct sizes
LEAST_P = 1e-12  # what rounding leaves of the smallest probabilities: a p that stands there is an upper bound
CHUNK = 2_000_000  # numbers held at once


def exact(units: Floats) -> Exact:
    """The two-sided p of the sum over all sign patterns; None where it cannot be computed in bounds."""
    step = _step(units)
    if step is not None:
        return _on_lattice(units, step)
    return _tried(units) if len(units) <= FEW else None


def _step(units: Floats) -> float | None:
    """The largest step of which all units are multiples, by Euclid's algorithm; None where it is too fine."""
    import numpy as np

    sizes = np.unique(abs(units))
    least = float(sizes[-1]) * 1e-6
    step = 0.0
    for size in sizes.tolist():
        a, b = size, step
        while b > least / 10:
            a, b = b, abs(a - b * round(a / b))
        step = a
        if step < least:
            return None
    whole = sizes / step
    if abs(whole - np.round(whole)).max() > 1e-3:
        return None
    width, distinct = float(np.round(abs(units) / step).sum()), len(sizes)
    return step if width <= WIDTH and width * distinct <= WORK else None


def _on_lattice(units: Floats, step: float) -> float:
    """By the characteristic function: T, the sum of the sizes with a plus, has φ(f) = Π (1 + exp(−2πi·f·m/N))/2.

    |sum| = |2T − W|, W the sum of all sizes. The inverse Fourier transform of φ on N = W + 1 points is T's exact
    distribution, to some 1e-15 for each point.
    """
    import numpy as np

    whole = np.round(units / step).astype(np.int64)
    sizes, many = np.unique(abs(whole), return_counts=True)
    total = int(sizes @ many)
    points = total + 1
    f = np.arange(points // 2 + 1)
    size = np.ones(len(f))
    for m, times in zip(sizes.tolist(), many.tolist(), strict=True):
        size *= np.cos(np.pi * ((f * m) % (2 * points)) / points) ** times
    turn = np.exp(-1j * np.pi * ((f * total) % (2 * points)) / points)
    chance = np.maximum(np.fft.irfft(size * turn, points), 0.0)
    seen = abs(int(whole.sum()))
    far = abs(2 * np.arange(points) - total) >= seen
    return min(1.0, max(float(chance[far].sum()), LEAST_P, 2.0 ** (1 - len(units))))


def _tried(units: Floats) -> float:
    """Every pattern of signs."""
    import numpy as np

    sums = np.zeros(1)
    for unit in units.tolist():
        sums = np.concatenate([sums + unit, sums - unit])
    return float((abs(sums) >= _seen(units)).mean())


def sampled(units: Floats, seed: int) -> tuple[float, str]:
    """Monte Carlo: (hits + 1)/(draws + 1)."""
    import numpy as np

    rng = np.random.default_rng(seed)
    rows = max(1, min(DRAWS, CHUNK // len(units)))
    hits, done = 0, 0
    while done < DRAWS:
        now = min(rows, DRAWS - done)
        plus = rng.integers(0, 2, (now, len(units)), np.int8).astype(np.float64)
        hits += int((abs(2 * (plus @ units) - units.sum()) >= _seen(units)).sum())
        done += now
    return (hits + 1) / (DRAWS + 1), f"sign-flip permutation, {DRAWS:,} draws"


def normal_limit(units: Floats) -> float:
    """Two-sided p of z = Σu/√Σu²: what the distribution tends to as units grow many (Lindeberg)."""
    return math.erfc(abs(float(units.sum())) / math.sqrt(2 * float(units @ units)))


def _seen(units: Floats) -> float:
    """The |sum| that was seen, less what rounding may add to an equal one."""
    return abs(float(units.sum())) - 1e-9 * float(abs(units).sum())
