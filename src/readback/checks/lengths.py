"""How long the prompts get: the longest and the shortest of each condition, and the record where they differ most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from readback.types import Selection

SelectionKey = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Extremes:
    """Characters of all messages of one record together, and the record's number; of `records` that gave messages."""

    longest: int
    longest_at: int
    shortest: int
    shortest_at: int
    records: int


@dataclass(frozen=True, slots=True)
class Widest:
    """The record whose prompts differ most in length between two choices."""

    index: int
    long: Selection
    short: Selection
    characters: tuple[int, int]


@dataclass(slots=True)
class Lengths:
    """What grows while records pass by."""

    widest: Widest | None = None
    _seen: dict[SelectionKey, list[int]] = field(default_factory=dict)  # the values of Extremes

    @property
    def conditions(self) -> dict[SelectionKey, Extremes]:
        """The longest and the shortest so far."""
        return {key: Extremes(*seen) for key, seen in self._seen.items()}

    def take(
        self, keys: Sequence[SelectionKey], choices: Sequence[Selection], characters: Sequence[int], index: int
    ) -> None:
        """Count one record; a choice that gave nothing (0 characters) has no length."""
        for key, number in zip(keys, characters, strict=True):
            if number:
                if (seen := self._seen.get(key)) is None:
                    seen = self._seen[key] = [number, index, number, index, 0]
                seen[4] += 1
                if number >= seen[0]:
                    seen[:2] = _first((number, index), seen[0], seen[1])
                if number <= seen[2]:
                    seen[2:4] = _first((number, index), seen[2], seen[3])
        numbers = [n for n, choice in zip(characters, choices, strict=True) if n and choice.judge is None]
        if len(numbers) < 2:
            return
        low, high = min(numbers), max(numbers)
        if self.widest is None or high - low > self.widest.characters[0] - self.widest.characters[1]:
            sent = [choice for n, choice in zip(characters, choices, strict=True) if n and choice.judge is None]
            short, long = sent[numbers.index(low)], sent[len(sent) - 1 - numbers[::-1].index(high)]
            self.widest = Widest(index, long, short, (high, low))


def _first(new: tuple[int, int], number: int, index: int) -> tuple[int, int]:
    """A record that is further out; of two with equal numbers the first, in whatever order they come."""
    return (number, min(index, new[1])) if number == new[0] else new
