"""What repeats from record to record: a child sends hashes of the texts, and here the first record of each is kept.

A rule about the dataset (ON = "dataset") has `marks(case)`, which yields (kind, text) for what should be there once,
and `repeats(first, case, kinds)`, which yields them at the later one. A mark costs 8 bytes on its way and, beyond the
first ones, no memory here; texts are read again, and held against each other, only where two hashes agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from readback.checks import rules
from readback.checks.first_records import FirstRecords
from readback.checks.kept_first_records import KeptFirstRecords
from readback.checks.kept_parts import Parts
from readback.checks.kept_repeats import KeptRepeats
from readback.checks.marks import Kind, Marks
from readback.checks.rules import Fault
from readback.records.dataset import Dataset
from readback.types import Finding, Record, RuleContext, Workspace

LOOKS = 8  # at earlier records, after which the pages of the index are given back: after each, half as much again
FILE = 1 << 40  # records that a file may have, so that one number tells the file and the record


@dataclass(slots=True)
class Repeats:
    """The first record of every mark seen so far, by its number; in all files that are looked through."""

    opened: Workspace
    files: list[Dataset] = field(default_factory=list)
    kept: KeptRepeats = field(default_factory=lambda: KeptRepeats(None))  # what was told of the last file earlier
    first: FirstRecords = field(default_factory=FirstRecords)
    before: KeptFirstRecords | None = None  # what an earlier check knew of the first of the files
    looked: int = 0  # how often at an earlier record

    def begin(self, data: Dataset, parts: Parts | None = None) -> None:
        """The records that are taken from now on are those of another file, of which these parts are kept."""
        if self.before is None:
            self.before = KeptFirstRecords(parts, self.first)
        else:
            self.before.leave()
        self.files.append(data)
        self.kept = KeptRepeats(parts)

    def end(self) -> None:
        """All records of the file were taken: keep what is new of them."""
        self.kept.end()
        if self.before and len(self.files) == 1:
            self.before.end()

    def take(self, indices: Sequence[int], marks: Marks) -> Mapping[int, Sequence[Finding | Fault]]:
        """What these records repeat of earlier ones, by their numbers; most repeat nothing. Raises DatasetChanged."""
        before = self.before if len(self.files) == 1 else None
        if before and (known := before.told(indices, marks)) is not None:
            return known
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
        if before:
            before.take(indices, marks, said)
        return said

    def _told(self, code: str, first: int, later: int, kinds: Sequence[str]) -> Sequence[Finding | Fault]:
        file, index = divmod(first, FILE)
        here = file == len(self.files) - 1
        key = self.kept.key(code, index, later, kinds) if here else ""
        if (known := self.kept.told(key)) is not None:
            return known
        records = self.files[file].record(index), self.files[-1].record(later)
        self.looked += 1
        if not self.looked % LOOKS:  # an earlier record may be anywhere, and so in the end every page of the index
            self.files[file].let_go()
        found = [*self._found(code, *records, kinds)]
        self.kept.take(key, found)
        return found

    def _found(self, code: str, first: Record, later: Record, kinds: Sequence[str]) -> Iterator[Finding | Fault]:
        case = RuleContext(self.opened, later)
        earlier = set(rules.marks(RuleContext(self.opened, first), {code}))
        same = tuple(kind for _, kind, text in rules.marks(case, {code}) if (code, kind, text) in earlier)
        if kinds := [kind for kind in same if kind in kinds]:  # hashes may agree where texts do not
            yield from rules.repeats(code, first, case, kinds)
