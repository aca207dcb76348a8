"""Tally, record after record, how long prompts are and which records have a finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import sub

from readback.types import Selection

SelectionKey = tuple[str | None, ...]
Key = tuple[str, SelectionKey]  # a rule's code, and the condition its finding is about


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
    # The values of Extremes, and the first record.
    _extremes: dict[SelectionKey, list[int]] = field(default_factory=dict)

    @property
    def conditions(self) -> dict[SelectionKey, Extremes]:
        """The longest and the shortest so far, in the order in which records first had any."""
        return {
            key: Extremes(*extremes[:5])
            for key, extremes in sorted(self._extremes.items(), key=lambda item: item[1][5])
        }

    def take(
        self,
        keys: Sequence[SelectionKey],
        choices: Sequence[Selection],
        characters: Sequence[Sequence[int]],
        indices: Sequence[int],
    ) -> None:
        """Count records by their numbers, from the least on; `characters` has a column for each choice. One that gave
        nothing (0 characters) of a record has no length there.
        """
        sent, most, least = list[tuple[Selection, Sequence[int]]](), 0, 0
        for key, choice, column in zip(keys, choices, characters, strict=True):
            numbers, where, high, low = column, indices, max(column, default=0), min(column, default=0)
            if high and not low:
                where = [index for number, index in zip(column, indices, strict=True) if number]
                numbers = [number for number in column if number]
                low = min(numbers)
            if high:
                self._extend(key, high, low, numbers, where)
            if choice.judge is None:
                sent.append((choice, column))
                most, least = max(most, high), min(least or low, low or least)
        # no record differs by more than all of them together
        if len(sent) > 1 and most - least > self._apart:
            self._widen([choice for choice, _ in sent], [column for _, column in sent], indices)

    @property
    def _apart(self) -> int:
        if self.widest:
            return self.widest.characters[0] - self.widest.characters[1]
        return -1

    def _extend(self, key: SelectionKey, high: int, low: int, numbers: Sequence[int], indices: Sequence[int]) -> None:
        def first(number: int) -> int:
            return indices[numbers.index(number)]

        if (extremes := self._extremes.get(key)) is None:
            self._extremes[key] = [high, first(high), low, first(low), len(numbers), indices[0]]
            return
        extremes[4] += len(numbers)
        if high >= extremes[0]:
            extremes[:2] = _first((high, first(high)), extremes[0], extremes[1])
        if low <= extremes[2]:
            extremes[2:4] = _first((low, first(low)), extremes[2], extremes[3])

    def _widen(self, choices: Sequence[Selection], columns: Sequence[Sequence[int]], indices: Sequence[int]) -> None:
        if any(0 in column for column in columns):
            spans = [
                max(there) - min(there) if (there := [*filter(None, row)]) else 0 for row in zip(*columns, strict=True)
            ]
        else:
            spans = [*map(sub, map(max, *columns), map(min, *columns))]
        most = self._apart
        for at in () if max(spans) <= most else range(len(spans)):
            numbers = [column[at] for column in columns]
            there = [number for number in numbers if number]
            if len(there) > 1 and spans[at] > most:
                most, low, high = spans[at], min(there), max(there)
                short, long = choices[numbers.index(low)], choices[len(numbers) - 1 - numbers[::-1].index(high)]
                self.widest = Widest(indices[at], long, short, (high, low))


def _first(new: tuple[int, int], number: int, index: int) -> tuple[int, int]:
    """Return the value that is further out, with its record; of two equal values the first record, in any order."""
    if number == new[0]:
        return (number, min(index, new[1]))
    return new


@dataclass(slots=True)
class RecordsWithFinding:
    """`bits`: for each code and condition, bit i of byte i // 8 is record i."""

    bits: dict[Key, bytearray] = field(default_factory=dict)

    def take(self, code: str, condition: SelectionKey, index: int) -> None:
        """Remember that a record has a finding."""
        if (bits := self.bits.get((code, condition))) is None:
            bits = self.bits[code, condition] = bytearray()
        if len(bits) <= index // 8:
            bits.extend(bytes(index // 8 + 1 - len(bits)))
        bits[index // 8] |= 1 << index % 8

    def done(self) -> Mapping[Key, bytes]:
        """Return the bits, frozen."""
        return {key: bytes(bits) for key, bits in self.bits.items()}


def numbers(bits: bytes) -> Iterator[int]:
    """Yield the numbers of the records that have the finding, ascending."""
    return (8 * at + bit for at, byte in enumerate(bits) if byte for bit in range(8) if byte >> bit & 1)
