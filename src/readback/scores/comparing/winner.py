"""Name the best of several conditions, and the winner of a planned comparison by the rule of the study's own program.

Where nobody planned what to compare, the condition with the best mean is compared with each of the others. Which one
that is was not known before its scores were, so it is chosen among all pairs that there are: the p of each comparison
is corrected for every one of them, not only for those that are looked at (`compare`).

Source of the rule: the comparison report of ignaciolinari/beyond-the-cutoff (MIT): b − a in mean factuality; a
difference of at most 0.1 either way is a tie. The rule knows neither n nor spread, so it is never shown without the
interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from readback.scores.comparing.comparability import strip_score_ending
from readback.scores.comparing.comparison import Comparison
from readback.scores.table import ConditionKey
from readback.types import Criterion

HIGHER = {"up": ("a is higher",), "down": ("b is higher",)}  # verdicts by which the first side is the better one


@dataclass(frozen=True, slots=True)
class Best:
    """Name the condition with the best mean, those that it is clearly better than, and the others."""

    condition: ConditionKey
    clear: tuple[Comparison, ...]
    open: tuple[Comparison, ...]


def find_best(pairs: Sequence[Comparison], criterion: Criterion) -> Best | None:
    """Split the comparisons of one condition (side a of each) into those that it is better in, and all others.

    Return None without comparisons, or where the scale has no better direction.
    """
    if not pairs or criterion.direction not in HIGHER:
        return None
    better = HIGHER[criterion.direction]
    return Best(
        pairs[0].a,
        tuple(pair for pair in pairs if pair.verdict in better),
        tuple(pair for pair in pairs if pair.verdict not in better),
    )


CRITERION, MARGIN = "factuality", 0.1
NOISE = 1e-9  # 0.8 − 0.7 is 0.1, whatever floats make of it

Winner = Literal["a", "b", "tie"]


def find_winner(comparison: Comparison, margin: float = MARGIN) -> Winner | None:
    """Return the side that the rule calls the winner; None for an unplanned comparison or another criterion.

    The means are those over the shared items; the program takes each side's own mean, which is the same where both were
    scored on the same items.
    """
    if (
        comparison.planned is None
        or comparison.difference is None
        or strip_score_ending(comparison.criterion) != CRITERION
    ):
        return None
    if abs(comparison.difference) <= margin + NOISE:
        return "tie"
    if comparison.difference > 0:
        return "b"
    return "a"


def list_winners(comparisons: Iterable[Comparison]) -> tuple[tuple[Comparison, Winner], ...]:
    """Return every comparison that the rule applies to, with its winner."""
    winners = ((comparison, find_winner(comparison)) for comparison in comparisons)
    return tuple((comparison, winner) for comparison, winner in winners if winner is not None)
