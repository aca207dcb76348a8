"""Find the few numbers of a criterion that lie apart from all others, and so widen a scale that is inferred.

docs/statistics.md, *The scale*, has the exact rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from readback.scores.values.criteria import MINUS, number
from readback.types import NOWHERE, Diagnostic, Location
from readback.words import t

FEWEST = 100  # numbers of a criterion below which none is few
SHARE = 0.005  # of all numbers: more than this are a part of the scale
APART = 0.5  # of the range of all others: the nearest of them must be farther, and farther than a step of theirs


@dataclass(frozen=True, slots=True)
class OutlyingNumbers:
    """Numbers that lie apart: each with how often it was given, of `all` numbers; all others lie from low to high."""

    criterion: str
    values: tuple[tuple[float, int], ...]
    all: int
    low: float
    high: float
    place: Location = NOWHERE

    @property
    def count(self) -> int:
        """How many scores lie apart."""
        return sum(count for _, count in self.values)

    @property
    def sentence(self) -> str:
        """How many they are, which, and where all others lie."""
        listed = ", ".join(number(value) for value, _ in self.values)
        placeholders = {
            "n": self.count,
            "all": self.all,
            "values": listed,
            "low": number(self.low),
            "high": number(self.high),
        }
        return t("scores.outlying", **placeholders).replace("-", MINUS)

    def diagnostic(self, scale: str) -> Diagnostic:
        """Return the finding; `scale` is the inferred one in words."""
        values = {
            "criterion": self.criterion,
            "scale": scale,
            "numbers": ", ".join(number(value) for value, _ in self.values),
            "count": self.count,
            "all": self.all,
            "low": number(self.low),
            "high": number(self.high),
        }
        return Diagnostic("scr-outlying-number", values, self.place, flagged=self.criterion, severity="info")


def find_outlying(criterion: str, counts: Mapping[float, int]) -> OutlyingNumbers | None:
    """Return the numbers that lie apart from all others; None where none do. `counts` has each number's frequency.

    From the numbers in the middle it goes outwards to the first gap on either side.
    """
    total = sum(counts.values())
    if total < FEWEST:
        return None
    values = sorted(counts)
    most = SHARE * total
    low = _first_common(values, counts, most)
    high = len(values) - 1 - _first_common(values[::-1], counts, most)
    if high <= low:
        return None
    step = max(pair - other for other, pair in pairwise(values[low : high + 1]))
    while high + 1 < len(values):
        gap = values[high + 1] - values[high]
        if gap > max(APART * (values[high] - values[low]), step):
            break
        step = max(step, gap)
        high += 1
    while low > 0:
        gap = values[low] - values[low - 1]
        if gap > max(APART * (values[high] - values[low]), step):
            break
        step = max(step, gap)
        low -= 1
    apart = [*values[:low], *values[high + 1 :]]
    if not apart or sum(counts[value] for value in apart) > most:
        return None
    listed = tuple((value, counts[value]) for value in apart)
    return OutlyingNumbers(criterion, listed, total, values[low], values[high])


def _first_common(values: Sequence[float], counts: Mapping[float, int], most: float) -> int:
    """Return the place of the first number that, with those before it, was given more often than `most`."""
    count = 0
    for at, value in enumerate(values):
        count += counts[value]
        if count > most:
            return at
    return len(values) - 1
