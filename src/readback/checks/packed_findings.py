"""Findings that are held by the thousand: packed, and made one after another where somebody looks at them."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import overload

from readback.checks.finding_lines import read
from readback.types import Finding

BLOCK = 64  # findings that are packed together: as objects they take 200 KB, packed 10


class Pile:
    """The findings of one rule, each with its number, in the order of these; the last one can be taken away."""

    def __init__(self) -> None:
        self.numbers = array("q")
        self._packed: list[bytes] = []
        self._last: list[str] = []

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, number: int, said: str) -> None:
        """A finding as its line of JSON."""
        if len(self._last) == BLOCK:
            self._packed.append(zlib.compress("\n".join(self._last).encode(), 1))
            self._last = []
        self.numbers.append(number)
        self._last.append(said)

    def pop(self) -> None:
        if not self._last:
            self._last = _unpacked(self._packed.pop())
        self._last.pop()
        self.numbers.pop()

    def lines(self) -> Iterator[tuple[int, str]]:
        """The number of each and its line."""
        return zip(self.numbers, self._lines(), strict=True)

    def _lines(self) -> Iterator[str]:
        for block in self._packed:
            yield from _unpacked(block)
        yield from self._last


class PackedFindings(Sequence[Finding]):
    """Findings of several piles, in the order of their numbers."""

    def __init__(self, piles: Iterable[Pile] = ()) -> None:
        self._piles = tuple(piles)

    def __len__(self) -> int:
        return sum(map(len, self._piles))

    @overload
    def __getitem__(self, at: int) -> Finding: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, at: int | slice) -> Finding | tuple[Finding, ...]:
        if isinstance(at, slice):
            return tuple(map(read, islice(self.lines(), *at.indices(len(self)))))
        return read(next(islice(self.lines(), range(len(self))[at], None)))

    def __iter__(self) -> Iterator[Finding]:
        return map(read, self.lines())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def numbers(self) -> Iterator[int]:
        """Their numbers, in order."""
        return merge(*(pile.numbers for pile in self._piles))

    def lines(self) -> Iterator[str]:
        """Each as a line of JSON, without its end."""
        return (said for _, said in merge(*(pile.lines() for pile in self._piles)))


class OneByOne(list[object]):
    """A list for JSON whose values are made when they are written: what writes JSON asks a list for no more."""

    def __init__(self, found: Sequence[Finding], made: Callable[[Finding], object]) -> None:
        self._found, self._made = found, made

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[object]:
        return map(self._made, self._found)


def _unpacked(block: bytes) -> list[str]:
    return zlib.decompress(block).decode().split("\n")
