"""Findings that are held by the thousand: packed, and made one after another where somebody looks at them."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import overload

from readback import as_json
from readback.types import Finding

BLOCK = 64  # findings that are packed together: as objects they take 200 KB, packed 10
SHORT = 4_096  # bytes of a line that is remembered


_latest: dict[int, tuple[Finding, bytes]] = {}  # by the identity of the finding


def line(one: Finding) -> bytes:
    """A finding as a line of JSON, without its end. What is asked for twice, one after the other, is made once: by who
    holds findings for the summary and by who keeps the answer.
    """
    if (known := _latest.get(id(one))) is not None and known[0] is one:
        return known[1]
    made = as_json.packed(kept := as_json.keep(one))
    if b"null" in made:  # NaN would be null, too
        made = json.dumps(kept).encode()
    if len(made) < SHORT:
        if len(_latest) >= BLOCK:
            _latest.clear()
        _latest[id(one)] = one, made
    return made


class Pile:
    """The findings of one rule, each with its number, in the order of these; the last one can be taken away."""

    def __init__(self) -> None:
        self.numbers = array("q")
        self._packed: list[bytes] = []
        self._last: list[bytes] = []

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, number: int, said: bytes) -> None:
        if len(self._last) == BLOCK:
            self._packed.append(zlib.compress(b"\n".join(self._last), 1))
            self._last = []
        self.numbers.append(number)
        self._last.append(said)

    def pop(self) -> None:
        if not self._last:
            self._last = zlib.decompress(self._packed.pop()).split(b"\n")
        self._last.pop()
        self.numbers.pop()

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """The number of each and its line."""
        return zip(self.numbers, self._lines(), strict=True)

    def _lines(self) -> Iterator[bytes]:
        for block in self._packed:
            yield from zlib.decompress(block).split(b"\n")
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
            return tuple(map(_read, islice(self.lines(), *at.indices(len(self)))))
        return _read(next(islice(self.lines(), range(len(self))[at], None)))

    def __iter__(self) -> Iterator[Finding]:
        return map(_read, self.lines())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def lines(self) -> Iterator[bytes]:
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


def _read(said: bytes) -> Finding:
    return as_json.read_finding(as_json.unpacked(said))
