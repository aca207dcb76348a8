"""What repeats from record to record: a child sends hashes of the texts, and here the first record of each is kept.

A rule about the dataset (ON = "dataset") has `marks(case)`, which yields (kind, text) for what should be there once,
and `repeats(first, case, kinds)`, which yields them at the later one. A mark costs 8 bytes on its way and, beyond the
first ones, no memory here; texts are read again, and held against each other, only where two hashes agree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isqrt

from readback.checks import rules
from readback.checks.kept_parts import Parts
from readback.checks.kept_repeats import KeptRepeats
from readback.checks.marks import Kind, Marks
from readback.checks.rules import Fault
from readback.records.dataset import Dataset
from readback.records.numbers_on_disk import NumbersOnDisk
from readback.types import Finding, Record, RuleContext, Workspace

HELD = 8_192  # marks in memory, which take 1 MB
RUNS = 8  # of one size: then they are made one
LOOKS = 8  # at earlier records, after which the pages of the index are given back: after each, half as much again
Pairs = tuple[Sequence[int], Sequence[int]]  # marks in their order, and the record of each
LAST = (1 << 23) - 1
LEAST = -(1 << 63)  # of all marks
FILE = 1 << 40  # records that a file may have, so that one number tells the file and the record


@dataclass(slots=True)
class Repeats:
    """The first record of every mark seen so far, by its number; in all files that are looked through."""

    opened: Workspace
    files: list[Dataset] = field(default_factory=list)
    kept: KeptRepeats = field(default_factory=lambda: KeptRepeats(None))  # what was told of the last file earlier
    first: _Firsts = field(default_factory=lambda: _Firsts())
    looked: int = 0  # how often at an earlier record

    def begin(self, data: Dataset, parts: Parts | None = None) -> None:
        """The records that are taken from now on are those of another file, of which these parts are kept."""
        self.files.append(data)
        self.kept = KeptRepeats(parts)

    def take(self, indices: Sequence[int], marks: Marks) -> Mapping[int, Sequence[Finding | Fault]]:
        """What these records repeat of earlier ones, by their numbers; most repeat nothing. Raises DatasetChanged."""
        base, owners, kinds = (len(self.files) - 1) * FILE, list[int](), list[Kind]()
        for start, stop, its_kinds in marks.same_kinds():
            owners += [base + index for index in indices[start:stop] for _ in its_kinds]
            kinds += its_kinds * (stop - start)
        again: dict[int, dict[tuple[str, int], list[str]]] = {}
        for at in self.first.take(marks.numbers, owners):
            (code, kind), here = kinds[at], owners[at]
            if (first := self.first.of(marks.numbers[at], here)) != here:
                again.setdefault(here - base, {}).setdefault((code, first), []).append(kind)
        said: dict[int, Sequence[Finding | Fault]] = {}
        for index, repeated in again.items():
            told = (self._told(code, first, index, kinds) for (code, first), kinds in repeated.items())
            if found := [*chain.from_iterable(told)]:
                said[index] = found
        return said

    def _told(self, code: str, first: int, later: int, kinds: Sequence[str]) -> Sequence[Finding | Fault]:
        file, index = divmod(first, FILE)
        here = file == len(self.files) - 1
        if here and (known := self.kept.told(code, index, later, kinds)) is not None:
            return known
        records = self.files[file].record(index), self.files[-1].record(later)
        self.looked += 1
        if not self.looked % LOOKS:  # an earlier record may be anywhere, and so in the end every page of the index
            self.files[file].let_go()
        found = [*self._found(code, *records, kinds)]
        if here:
            self.kept.take(code, index, later, kinds, found)
        return found

    def _found(self, code: str, first: Record, later: Record, kinds: Sequence[str]) -> Iterator[Finding | Fault]:
        case = RuleContext(self.opened, later)
        earlier = set(rules.marks(RuleContext(self.opened, first), {code}))
        same = tuple(kind for _, kind, text in rules.marks(case, {code}) if (code, kind, text) in earlier)
        if kinds := [kind for kind in same if kind in kinds]:  # hashes may agree where texts do not
            yield from rules.repeats(code, first, case, kinds)


class _Firsts:
    """The first record of each mark: a few in memory, the others on disk."""

    def __init__(self) -> None:
        self.held: dict[int, int] = {}
        self.room = HELD
        self.levels: list[list[_Run]] = []  # of each, the runs are RUNS times as long as those of the one before
        self.maybe = bytearray(1 << 20)  # a bit for the marks that end alike: where it is not set, there was none

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
            runs = chain.from_iterable(reversed(self.levels))
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
            made = _Run(_merged([held, *((run.marks, run.records) for run in runs)]))
            self.levels[: full + 1] = [*([] for _ in range(full)), [*chain(*self.levels[full : full + 1]), made]]
            self.held.clear()
        except OSError:
            self.room *= 2


class _Run:
    """Marks in their order, and the record of each, on disk."""

    def __init__(self, parts: Iterable[Pairs]) -> None:
        """Raises OSError."""
        self.marks, self.records = NumbersOnDisk(), NumbersOnDisk()
        for marks, records in parts:
            self.marks.extend(marks)
            self.records.extend(records)
        self.marks.put_away()
        self.records.put_away()

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
        return self.records[first + at] if at < len(some) and some[at] == mark else None


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
