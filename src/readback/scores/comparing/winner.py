"""Who won a planned comparison by the rule of the study's own program, beside what the interval says.

Source: the comparison report of ignaciolinari/beyond-the-cutoff (MIT): b − a in mean factuality; a difference of at
most 0.1 either way is a tie. The rule knows neither n nor spread, so it never is without the interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from readback.scores.comparing.comparability import bare
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


CRITERION, MARGIN = "factuality", 0.1
NOISE = 1e-9  # 0.8 − 0.7 is 0.1, whatever floats make of it

Winner = Literal["a", "b", "tie"]


def winner(one: Comparison, margin: float = MARGIN) -> Winner | None:
    """The side that the rule calls the winner; None for an unplanned comparison or another criterion.

    The means are those over the shared items; the program takes each side's own mean, which is the same where both
    were scored on the same items.
    """
    if one.planned is None or one.difference is None or bare(one.criterion) != CRITERION:
        return None
    if abs(one.difference) <= margin + NOISE:
        return "tie"
    return "b" if one.difference > 0 else "a"


def winners(comparisons: Iterable[Comparison]) -> tuple[tuple[Comparison, Winner], ...]:
    """Every comparison that the rule speaks of, with its winner."""
    return tuple((one, won) for one in comparisons if (won := winner(one)) is not None)
