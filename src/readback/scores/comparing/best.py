"""Which of several conditions is best where nobody planned what to compare: the one with the best mean, held against
each of the others.

Which one that is was not known before its scores were, so it is chosen among all pairs that there are: the p of each
comparison is corrected for every one of them, not only for those that are looked at (`compare`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readback.scores.comparing.comparison import Comparison
from readback.scores.table import ConditionKey
from readback.types import Criterion

HIGHER = {"up": ("a is higher",), "down": ("b is higher",)}  # verdicts by which the first side is the better one


@dataclass(frozen=True, slots=True)
class Best:
    """The condition with the best mean, and those that it is better than and not clearly better than."""

    condition: ConditionKey
    clear: tuple[Comparison, ...]
    open: tuple[Comparison, ...]


def best(pairs: Sequence[Comparison], criterion: Criterion) -> Best | None:
    """What the comparisons of one condition, their first side, with the others say; None where there are none, or where
    neither way of the scale is better.
    """
    if not pairs or criterion.direction not in HIGHER:
        return None
    better = HIGHER[criterion.direction]
    return Best(
        pairs[0].a,
        tuple(one for one in pairs if one.verdict in better),
        tuple(one for one in pairs if one.verdict not in better),
    )
