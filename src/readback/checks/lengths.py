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

    conditions: dict[SelectionKey, Extremes] = field(default_factory=dict)
    widest: Widest | None = None

    def take(
        self, keys: Sequence[SelectionKey], choices: Sequence[Selection], characters: Sequence[int], index: int
    ) -> None:
        """Count one record; a choice that gave nothing (0 characters) has no length."""
        there = [(number, choice) for number, choice in zip(characters, choices, strict=True) if number]
        for key, number in zip(keys, characters, strict=True):
            if number:
                self.conditions[key] = _more(self.conditions.get(key), number, index)
        sent = sorted(((n, at) for at, (n, choice) in enumerate(there) if choice.judge is None), key=lambda one: one[0])
        if len(sent) > 1:
            (short, low), (long, high) = sent[0], sent[-1]
            if self.widest is None or long - short > self.widest.characters[0] - self.widest.characters[1]:
                self.widest = Widest(index, there[high][1], there[low][1], (long, short))


def _more(so_far: Extremes | None, number: int, index: int) -> Extremes:
    if so_far is None:
        return Extremes(number, index, number, index, 1)
    longest = max((so_far.longest, -so_far.longest_at), (number, -index))
    shortest = min((so_far.shortest, so_far.shortest_at), (number, index))
    return Extremes(longest[0], -longest[1], *shortest, so_far.records + 1)
