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
    _held: dict[SelectionKey, list[int]] = field(default_factory=dict)  # the values of Extremes

    @property
    def conditions(self) -> dict[SelectionKey, Extremes]:
        """What is known of each condition so far."""
        return {key: Extremes(*held) for key, held in self._held.items()}

    def take(
        self, keys: Sequence[SelectionKey], choices: Sequence[Selection], characters: Sequence[int], index: int
    ) -> None:
        """Count one record; a choice that gave nothing (0 characters) has no length."""
        for key, number in zip(keys, characters, strict=True):
            if not number:
                continue
            if (held := self._held.get(key)) is None:
                self._held[key] = [number, index, number, index, 1]
                continue
            held[4] += 1
            if number > held[0] or (number == held[0] and index < held[1]):
                held[:2] = number, index
            if number < held[2] or (number == held[2] and index < held[3]):
                held[2:4] = number, index
        sent = [(number, one) for one, number in zip(choices, characters, strict=True) if number and one.judge is None]
        if len(sent) > 1:
            self._widen(sent, index)

    def _widen(self, sent: Sequence[tuple[int, Selection]], index: int) -> None:
        """Of equally long prompts the shorter one is the first, the longer one the last."""
        (short, low), (long, high) = min(sent, key=_size), max(reversed(sent), key=_size)
        if self.widest is None or long - short > self.widest.characters[0] - self.widest.characters[1]:
            self.widest = Widest(index, high, low, (long, short))


def _size(sent: tuple[int, Selection]) -> int:
    return sent[0]
