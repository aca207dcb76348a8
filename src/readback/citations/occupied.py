"""Keep which stretches of a text are occupied, so that nothing is counted twice."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable


class Occupied:
    """Occupied stretches, from spans that may overlap; a look-up takes logarithmic time."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def is_free(self, start: int, end: int) -> bool:
        """Return whether the stretch overlaps none of them."""
        number = bisect_left(self._starts, end)
        return not number or self._ends[number - 1] <= start
