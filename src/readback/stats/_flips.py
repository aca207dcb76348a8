"""Compute, sample or approximate the p of a sum whose terms could have had either sign (sign-flip permutation)."""

from __future__ import annotations

import math

from readback.stats._numbers import Floats

LARGE = 20_000  # units from which the normal limit is used
DRAWS = 9_999
FEW = 16  # units whose 2^n sign patterns are all tried
WIDTH = 4_000_000  # steps between the smallest and the largest sum
WORK = 30_000_000  # steps × distinct sizes
LEAST_P = 1e-12  # smaller probabilities are lost to rounding: a p of this value is an upper bound
CHUNK = 2_000_000  # numbers held at once


def compute_exact_p(units: Floats) -> float | None:
    """Return the two-sided p of the sum over all sign patterns; None where that would cost too much."""
    step = _find_step(units)
    if step is not None:
        return _compute_on_lattice(units, step)
    if len(units) <= FEW:
        return _try_all_signs(units)
    return None


def _find_step(units: Floats) -> float | None:
    """Return the largest step of which all units are multiples, by Euclid's algorithm; None where it is too fine."""
    import numpy as np

    sizes = np.unique(abs(units))
    least = float(sizes[-1]) * 1e-6
    step = 0.0
    for size in sizes.tolist():
        larger, smaller = size, step
        while smaller > least / 10:
            larger, smaller = smaller, abs(larger - smaller * round(larger / smaller))
        step = larger
        if step < least:
            return None
    whole = sizes / step
    if abs(whole - np.round(whole)).max() > 1e-3:
        return None
    width = float(np.round(abs(units) / step).sum())
    if width > WIDTH or width * len(sizes) > WORK:
        return None
    return step


def _compute_on_lattice(units: Floats, step: float) -> float:
    """Return the exact p of units that are multiples of a step, by the characteristic function of their sum.

    T, the sum of the sizes with a plus, has φ(f) = Π (1 + exp(−2πi·f·m/N))/2. |sum| = |2T − W|, W the sum of all sizes.
    The inverse Fourier transform of φ on N = W + 1 points is T's exact distribution, to some 1e-15 for each point.
    """
    import numpy as np

    whole = np.round(units / step).astype(np.int64)
    sizes, frequencies = np.unique(abs(whole), return_counts=True)
    total = int(sizes @ frequencies)
    points = total + 1
    frequency_index = np.arange(points // 2 + 1)
    magnitude = np.ones(len(frequency_index))
    for multiple, frequency in zip(sizes.tolist(), frequencies.tolist(), strict=True):
        magnitude *= np.cos(np.pi * ((frequency_index * multiple) % (2 * points)) / points) ** frequency
    phase = np.exp(-1j * np.pi * ((frequency_index * total) % (2 * points)) / points)
    probabilities = np.maximum(np.fft.irfft(magnitude * phase, points), 0.0)
    observed = abs(int(whole.sum()))
    extreme = abs(2 * np.arange(points) - total) >= observed
    return min(1.0, max(float(probabilities[extreme].sum()), LEAST_P, 2.0 ** (1 - len(units))))


def _try_all_signs(units: Floats) -> float:
    """Return the exact p by trying every pattern of signs."""
    import numpy as np

    sums = np.zeros(1)
    for unit in units.tolist():
        sums = np.concatenate([sums + unit, sums - unit])
    return float((abs(sums) >= _observed_bound(units)).mean())


def sample_p(units: Floats, seed: int) -> tuple[float, str]:
    """Return the p of 9,999 random sign patterns, (hits + 1)/(draws + 1), and the name of the method."""
    import numpy as np

    rng = np.random.default_rng(seed)
    batch = max(1, min(DRAWS, CHUNK // len(units)))
    hits, drawn = 0, 0
    while drawn < DRAWS:
        size = min(batch, DRAWS - drawn)
        is_positive = rng.integers(0, 2, (size, len(units)), np.int8).astype(np.float64)
        hits += int((abs(2 * (is_positive @ units) - units.sum()) >= _observed_bound(units)).sum())
        drawn += size
    return (hits + 1) / (DRAWS + 1), f"sign-flip permutation, {DRAWS:,} draws"


def approximate_p(units: Floats) -> float:
    """Return the two-sided p of z = Σu/√Σu², the limit for many units (Lindeberg)."""
    return math.erfc(abs(float(units.sum())) / math.sqrt(2 * float(units @ units)))


def _observed_bound(units: Floats) -> float:
    """Return the observed |sum|, less what rounding may take from an equal one."""
    return abs(float(units.sum())) - 1e-9 * float(abs(units).sum())
