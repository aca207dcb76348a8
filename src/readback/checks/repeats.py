"""What repeats from record to record: a child sends hashes of the texts, and here the first record of each is kept.

A rule about the dataset (ON = "dataset") has `marks(case)`, which yields (kind, text) for what should be there once,
and `repeats(first, case, kinds)`, which yields them at the later one. A mark costs 8 bytes on its way and, beyond the
first ones, no memory here; texts are read again, and held against each other, only where two hashes agree.
"""

from __future__ import annotations

import mmap
import tempfile
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import chain, islice

from readback.checks import rules
from readback.checks.batch import Mark
from readback.checks.kept_parts import Parts
from readback.checks.kept_repeats import KeptRepeats
from readback.checks.rules import Fault
from readback.records.dataset import Dataset
from readback.types import Finding, Record, RuleContext, Workspace

HELD = 8_192  # marks in memory, which take 1 MB
RUNS = 8  # of one size: then they are made one
LOOKS = 8  # at earlier records, after which the pages of the index are given back: after each, half as much again
BLOCK = 1 << 13  # numbers that are written at once
LAST = (1 << 23) - 1
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

    def take(self, indices: Sequence[int], marks: Sequence[Sequence[Mark]]) -> Mapping[int, Sequence[Finding | Fault]]:
        """What these records repeat of earlier ones, by their numbers; most repeat nothing. Raises DatasetChanged."""
        numbers = [[int(mark, 16) for _, _, mark in found] for found in marks]
        seen = self.first.seen(chain.from_iterable(numbers))
        base, said = (len(self.files) - 1) * FILE, dict[int, Sequence[Finding | Fault]]()
        for index, found, mine in zip(indices, marks, numbers, strict=True):
            if seen.isdisjoint(mine):
                self.first.add(mine, base + index)
            elif told := self._again(index, base + index, found, mine):
                said[index] = told
        return said

    def _again(self, index: int, here: int, found: Sequence[Mark], mine: Sequence[int]) -> Sequence[Finding | Fault]:
        again: dict[tuple[str, int], list[str]] = {}
        for (code, kind, _), mark in zip(found, mine, strict=True):
            first = self.first.take(mark, here)
            if first != here:
                again.setdefault((code, first), []).append(kind)
        told = (self._told(code, first, index, kinds) for (code, first), kinds in again.items())
        return [*chain.from_iterable(told)]

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
    """The first record of each mark: a few in memory, the others in files without a name."""

    def __init__(self) -> None:
        self.held: dict[int, int] = {}
        self.room = HELD
        self.levels: list[list[_Run]] = []  # of each, the runs are RUNS times as long as those of the one before
        self.maybe = bytearray(1 << 20)  # a bit for the marks that end alike: where it is not set, there was none

    def seen(self, marks: Iterable[int]) -> set[int]:
        """Those that came before, or come more than once here; a few of the others, too. From now on all have come."""
        found, maybe = set[int](), self.maybe
        for mark in marks:
            at, bit = (mark & LAST) >> 3, 1 << (mark & 7)
            if maybe[at] & bit:
                found.add(mark)
            else:
                maybe[at] |= bit
        return found

    def add(self, marks: Sequence[int], here: int) -> None:
        """A record has these marks, and none had any of them before."""
        for mark in marks:
            self.held[mark] = here
        if len(self.held) >= self.room:
            self._put_away()

    def take(self, mark: int, here: int) -> int:
        """The record that has the mark first, which is `here` where none had it before."""
        first = self.held.get(mark)
        if first is None:
            runs = chain.from_iterable(reversed(self.levels))
            first = next((found for run in runs if (found := run.get(mark)) is not None), None)
        if first is None:
            first = here
            self.add([mark], here)
        return first

    def _put_away(self) -> None:
        """Make room. Where the disk has none, memory has to do."""
        full = next((at for at, level in enumerate(self.levels) if len(level) < RUNS - 1), len(self.levels))
        runs = [run for level in self.levels[:full] for run in level]
        try:
            held = ((mark, self.held[mark]) for mark in sorted(self.held))
            made = _Run(merge(held, *(run.pairs() for run in runs)))
            self.levels[: full + 1] = [*([] for _ in range(full)), [*chain(*self.levels[full : full + 1]), made]]
            self.held.clear()
            for run in chain.from_iterable(self.levels):
                run.let_go()
        except OSError:
            self.room *= 2


class _Run:
    """Marks in their order, each with its record, in a file that is gone with this."""

    def __init__(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Raises OSError."""
        numbers = chain.from_iterable(pairs)
        with tempfile.TemporaryFile() as file:
            while block := array("Q", islice(numbers, BLOCK)):
                block.tofile(file)
            file.flush()
            self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        whole = memoryview(self._mapped).cast("Q")
        self._marks, self._records = whole[::2], whole[1::2]

    def get(self, mark: int) -> int | None:
        """The record of a mark, where it is here."""
        at = bisect_left(self._marks, mark)
        return self._records[at] if at < len(self._marks) and self._marks[at] == mark else None

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Each mark and its record."""
        return zip(self._marks, self._records, strict=True)

    def let_go(self) -> None:
        """Give back the memory of what was looked at."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)
