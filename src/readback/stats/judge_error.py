"""Correct the rate of a judge that errs, by a sample that people judged too (Rogan and Gladen)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from readback.stats.interval import LEVEL, Interval


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected rate; `rate` is None where the judge is no better than chance (sensitivity + specificity ≤ 1)."""

    rate: float | None
    interval: Interval | None
    observed: float  # the judge's own rate
    sensitivity: float
    specificity: float


def rogan_gladen(
    k: float,
    n: float,
    true_positives: float,
    positives: float,
    true_negatives: float,
    negatives: float,
    level: float = LEVEL,
) -> Corrected:
    """Return the corrected rate (p + specificity − 1) / (sensitivity + specificity − 1), clipped to 0 … 1.

    The judge passes k of n rows. Of the `positives`, rows that people pass, it passes `true_positives`; of the
    `negatives`, rows that people fail, it fails `true_negatives`. Source: Rogan, Gladen 1978, Am. J. Epidemiol. 107,
    71. The interval carries the uncertainty of all three samples: Lang, Reiczigel 2014, Prev. Vet. Med. 113, 13 (a
    delta-method interval with small-sample adjustments: n + z² rows, two rows added to each of the others). Raises
    ValueError for an empty sample.
    """
    from scipy import special  # type: ignore[import-untyped]

    for part, whole in ((k, n), (true_positives, positives), (true_negatives, negatives)):
        if not (whole > 0 and 0 <= part <= whole):
            raise ValueError(f"{part} of {whole} is no rate")
    observed, sensitivity, specificity = k / n, true_positives / positives, true_negatives / negatives
    if sensitivity + specificity <= 1:
        return Corrected(None, None, observed, sensitivity, specificity)
    rate = _clip((observed + specificity - 1) / (sensitivity + specificity - 1))
    z = float(special.ndtri(0.5 + level / 2))
    adjusted_n, adjusted_positives, adjusted_negatives = n + z * z, positives + 2, negatives + 2
    adjusted_rate, adjusted_sensitivity, adjusted_specificity = (
        (k + z * z / 2) / adjusted_n,
        (true_positives + 1) / adjusted_positives,
        (true_negatives + 1) / adjusted_negatives,
    )
    youden = adjusted_sensitivity + adjusted_specificity - 1
    if youden <= 0:
        return Corrected(rate, None, observed, sensitivity, specificity)
    middle = (adjusted_rate + adjusted_specificity - 1) / youden
    variance_se, variance_sp = (
        adjusted_sensitivity * (1 - adjusted_sensitivity) / adjusted_positives,
        adjusted_specificity * (1 - adjusted_specificity) / adjusted_negatives,
    )
    error = (
        math.sqrt(
            adjusted_rate * (1 - adjusted_rate) / adjusted_n + middle**2 * variance_se + (1 - middle) ** 2 * variance_sp
        )
        / youden
    )
    shifted = middle + 2 * z * z * (middle * variance_se - (1 - middle) * variance_sp)
    interval = Interval(_clip(shifted - z * error), _clip(shifted + z * error), "Lang-Reiczigel")
    return Corrected(rate, interval, observed, sensitivity, specificity)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
