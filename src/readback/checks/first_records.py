"""Which record has each text first that should be there once: of hashes, a few in memory and the others on disk."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isqrt

from readback.records.numbers_on_disk import NumbersOnDisk

HELD = 8_192  # marks in memory, which take 1 MB
RUNS = 8  # of one size: then they are made one
LAST = (1 << 23) - 1
LEAST = -(1 << 63)  # of all marks
MAYBE = (LAST + 1) >> 3  # bytes of a bit for each way in which marks end
Pairs = tuple[Sequence[int], Sequence[int]]  # marks in their order, and the record of each


class FirstRecords:
    """The first record of each mark: a few in memory, the others on disk."""

    def __init__(self) -> None:
        self.held: dict[int, int] = {}
        self.room = HELD
        self.levels: list[list[Run]] = []  # of each, the runs are RUNS times as long as those of the one before
        self.earlier: Sequence[Run] = ()  # of an earlier check
        self.maybe = bytearray(MAYBE)  # a bit for the marks that end alike: where it is not set, there was none

    def resume(self, maybe: bytes, runs: Sequence[Run]) -> None:
        """Go on from what an earlier check knew; before any mark is taken."""
        self.maybe[:] = maybe
        self.earlier = runs

    def runs(self) -> list[Run]:
        """All that is known."""
        marks = sorted(self.held)
        held = Run(marks, [*map(self.held.__getitem__, marks)])
        return [*self.earlier, *chain.from_iterable(self.levels), held]

    def take(self, marks: Sequence[int], records: Sequence[int]) -> list[int]:
        """These marks come, each of its record. Answers the places of those of which `of` knows whether one came
        before: not of a mark that is seen for the first time, but for a few.
        """
        maybe, again, first = self.maybe, list[int](), list[int]()
        for at, mark in enumerate(marks):
            byte, bit = (mark & LAST) >> 3, 1 << (mark & 7)
            if maybe[byte] & bit:
                again.append(at)
            else:
                maybe[byte] |= bit
                first.append(at)
        self.held.update(zip(map(marks.__getitem__, first), map(records.__getitem__, first), strict=True))
        self._make_room()
        return again

    def of(self, mark: int, here: int) -> int:
        """The record that has the mark first, which is `here` where none had it before."""
        first = self.held.get(mark)
        if first is None:
            runs = chain(*reversed(self.levels), self.earlier)
            first = next((found for run in runs if (found := run.get(mark)) is not None), None)
        if first is None:
            first = self.held[mark] = here
            self._make_room()
        return first

    def _make_room(self) -> None:
        if len(self.held) >= self.room:
            self._put_away()

    def _put_away(self) -> None:
        """Make room. Where the disk has none, memory has to do."""
        full = next((at for at, level in enumerate(self.levels) if len(level) < RUNS - 1), len(self.levels))
        runs = [run for level in self.levels[:full] for run in level]
        try:
            marks = sorted(self.held)
            held = marks, [*map(self.held.__getitem__, marks)]
            made = run_of(_merged([held, *((run.marks, run.records) for run in runs)]))
            self.levels[: full + 1] = [*([] for _ in range(full)), [*chain(*self.levels[full : full + 1]), made]]
            self.held.clear()
        except OSError:
            self.room *= 2


@dataclass(slots=True)
class Run:
    """Marks in their order, and the record of each; where `beyond` is given, only those of records before it count."""

    marks: Sequence[int]
    records: Sequence[int]
    beyond: int | None = None

    def pairs(self) -> Iterator[Pairs]:
        """All of them, some at a time."""
        for at in range(0, len(self.marks), HELD):
            marks, records = self.marks[at : at + HELD], self.records[at : at + HELD]
            if self.beyond is not None:
                ours = [place for place, record in enumerate(records) if record < self.beyond]
                marks, records = ([column[place] for place in ours] for column in (marks, records))
            yield marks, records

    def get(self, mark: int) -> int | None:
        """The record of a mark, where it is here."""
        size = len(self.marks)
        guess = (mark - LEAST) * size >> 64  # hashes are spread evenly:
        near = 2 * isqrt(size) + 8  # hardly one is further away
        first = max(0, guess - near)
        some: Sequence[int] = self.marks[first : guess + near]
        at = bisect_left(some, mark)
        if (first and not at) or (at == len(some) and first + at < size):
            first, some, at = 0, self.marks, bisect_left(self.marks, mark)
        record = self.records[first + at] if at < len(some) and some[at] == mark else None
        return None if record is None or (self.beyond is not None and record >= self.beyond) else record


def run_of(parts: Iterable[Pairs]) -> Run:
    """A run that is on disk. Raises OSError."""
    marks, records = NumbersOnDisk(), NumbersOnDisk()
    for some, theirs in parts:
        marks.extend(some)
        records.extend(theirs)
    marks.put_away()
    records.put_away()
    return Run(marks, records)


def _merged(runs: Sequence[Pairs]) -> Iterator[Pairs]:
    """All of them in order, a part at a time: hashes are spread evenly, so each part holds as many or nearly so."""
    parts = -(-sum(len(marks) for marks, _ in runs) // HELD)
    begins = [0] * len(runs)
    for part in range(1, parts + 1):
        ends = [
            bisect_left(marks, LEAST + (part << 64) // parts, at) for at, (marks, _) in zip(begins, runs, strict=True)
        ]
        spans = [*zip(runs, begins, ends, strict=True)]
        marks = [*chain.from_iterable(mine[at:end] for (mine, _), at, end in spans)]
        records = [*chain.from_iterable(mine[at:end] for (_, mine), at, end in spans)]
        order = sorted(range(len(marks)), key=marks.__getitem__)
        yield [marks[at] for at in order], [records[at] for at in order]
        begins = ends
