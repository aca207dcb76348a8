"""Places on an axis of a picture that is drawn with boxes: percentages, and round numbers to mark it with."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from readback.scores.values.criteria import MINUS

STEPS = (1, 2, 2.5, 5, 10)  # round widths between two marks, times a power of ten
MARGIN = 0.04  # of the width, left free at both ends
WIDE = 4  # spaces between marks, about


@dataclass(frozen=True, slots=True)
class Mark:
    """A number on an axis and where it is, in percent of the width."""

    text: str
    at: float


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from `low` to `high`."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Return where a value is, in percent; what is beyond an end is at the end."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 2)

    def marks(self, *, signed: bool = False, spaces: int = WIDE) -> tuple[Mark, ...]:
        """Return round numbers along the axis with their places; `signed` ones have a plus where they are above 0."""
        step = _choose_step((self.high - self.low) / spaces)
        digits = max(0, 1 - math.floor(math.log10(step)))  # one more than its first, for 2.5 and the like
        values = range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)
        return tuple(Mark(_format(at * step, digits, signed), self.place(at * step)) for at in values)


def fit(values: Iterable[float], *, ends: tuple[float, float] | None = None) -> Axis:
    """Return an axis that holds all values, and both `ends` where they are given, with a margin."""
    every = [*values, *(ends or ())]
    low, high = min(every, default=0.0), max(every, default=1.0)
    room = (high - low) * MARGIN or 0.5
    return Axis(low - room, high + room)


def _choose_step(width: float) -> float:
    power = 10.0 ** math.floor(math.log10(width))
    return next(step * power for step in STEPS if step * power >= width * (1 - 1e-9))


def _format(value: float, digits: int, signed: bool) -> str:
    text = f"{value:,.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    text = "0" if text in ("-0", "") else text
    if signed and value > 0 and text != "0":
        return f"+{text}"
    return text.replace("-", MINUS)
