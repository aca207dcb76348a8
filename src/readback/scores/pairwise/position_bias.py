"""Does the place count? How often the answer that was shown first won, and whose win turned with the order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readback.scores.pairwise.outcomes import PairwiseComparison, sign_test

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PlaceCounts:
    """Over several comparisons: `first` of `known` decisive outcomes went to the answer shown first, `turned` of
    `swapped` items that were shown in both orders went with the place. Half of `known` is what no preference gives.
    """

    known: int
    first: int
    interval: Span | None
    p: float | None
    swapped: int
    turned: int
    turned_interval: Span | None


def place_counts(pairwise: Sequence[PairwiseComparison]) -> PlaceCounts:
    """The sum over comparisons that share no outcome. Wilson's intervals and the sign test, as for each duel."""
    known, first = sum(one.first_known for one in pairwise), sum(one.first_wins for one in pairwise)
    swapped, turned = sum(one.swapped for one in pairwise), sum(one.turned for one in pairwise)
    p = sign_test(first, known - first)
    return PlaceCounts(known, first, _wilson(first, known), p, swapped, turned, _wilson(turned, swapped))


def _wilson(k: int, n: int) -> Span | None:
    from readback.stats.interval import wilson

    found = wilson(k, n) if n else None
    return (found.low, found.high) if found else None
