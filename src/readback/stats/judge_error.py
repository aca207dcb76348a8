"""The true rate behind a judge that errs, by a sample on which people judged too."""

from __future__ import annotations

import math
from dataclasses import dataclass

from readback.stats.interval import LEVEL, Interval


@dataclass(frozen=True, slots=True)
class Corrected:
    """`rate` is None where the judge tells no better than chance (sensitivity + specificity ≤ 1)."""

    rate: float | None
    interval: Interval | None
    seen: float  # the judge's own rate
    sensitivity: float
    specificity: float


def rogan_gladen(
    k: float, n: float, found: float, positives: float, cleared: float, negatives: float, level: float = LEVEL
) -> Corrected:
    """(p + specificity − 1) / (sensitivity + specificity − 1), cut to 0 … 1.

    k of n rows pass by the judge; of `positives` rows that people pass it passes `found`, of `negatives` that they
    fail it fails `cleared`. Source: Rogan, Gladen 1978, Am. J. Epidemiol. 107, 71. The interval carries the
    uncertainty of all three samples: Lang, Reiczigel 2014, Prev. Vet. Med. 113, 13 (a delta-method interval with
    small-sample adjustments: n + z² rows, two rows added to each of the others). Raises ValueError for an empty sample.
    """
    from scipy import special  # type: ignore[import-untyped]

    for part, whole in ((k, n), (found, positives), (cleared, negatives)):
        if not (whole > 0 and 0 <= part <= whole):
            raise ValueError(f"{part} of {whole} is no rate")
    p, sensitivity, specificity = k / n, found / positives, cleared / negatives
    if sensitivity + specificity <= 1:
        return Corrected(None, None, p, sensitivity, specificity)
    rate = _cut((p + specificity - 1) / (sensitivity + specificity - 1))
    z = float(special.ndtri(0.5 + level / 2))
    rows, yes, no = n + z * z, positives + 2, negatives + 2
    q, se, sp = (k + z * z / 2) / rows, (found + 1) / yes, (cleared + 1) / no
    tells = se + sp - 1
    if tells <= 0:
        return Corrected(rate, None, p, sensitivity, specificity)
    middle = (q + sp - 1) / tells
    by_se, by_sp = se * (1 - se) / yes, sp * (1 - sp) / no
    error = math.sqrt(q * (1 - q) / rows + middle**2 * by_se + (1 - middle) ** 2 * by_sp) / tells
    shifted = middle + 2 * z * z * (middle * by_se - (1 - middle) * by_sp)
    span = Interval(_cut(shifted - z * error), _cut(shifted + z * error), "Lang-Reiczigel")
    return Corrected(rate, span, p, sensitivity, specificity)


def _cut(value: float) -> float:
    return min(1.0, max(0.0, value))
