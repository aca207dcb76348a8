"""What repeats from record to record: a child sends hashes of the texts, and here the first record of each is kept.

A rule about the dataset (ON = "dataset") has `marks(case)`, which yields (kind, text) for what should be there once,
and `repeats(first, case, kinds)`, which yields them at the later one. A mark costs 8 bytes on its way and about 100
bytes here; texts are read again, and held against each other, only where two hashes agree.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from readback.checks import rules
from readback.checks.rules import Fault
from readback.records.dataset import Dataset
from readback.records.field_path import MASK
from readback.types import Finding, Record, RuleContext, Workspace

Mark = tuple[str, str, str]  # the rule's code, what repeats, 16 hex digits
FILE = 1 << 40  # records that a file may have, so that one number tells the file and the record


def marks(case: RuleContext, codes: Collection[str] | None, decided: rules.Deciding | None = None) -> Iterator[Mark]:
    """The marks of one record, for the rules of `codes`; a text with a masked value says nothing and has none."""
    masked = case.record is not None and case.record.masked
    for code, kind, text in rules.marks(case, codes, decided):
        if not (masked and MASK in text):
            whole = f"{code}\0{kind}\0{text}".encode("utf-8", "surrogatepass")
            yield code, kind, hashlib.blake2b(whole, digest_size=8).hexdigest()


@dataclass(slots=True)
class Repeats:
    """The first record of every mark seen so far, by its number; in all files that are looked through."""

    opened: Workspace
    files: list[Dataset] = field(default_factory=list)
    first: dict[int, int] = field(default_factory=dict)

    def begin(self, data: Dataset) -> None:
        """The records that are taken from now on are those of another file."""
        self.files.append(data)

    def take(self, index: int, found: Sequence[Mark]) -> Iterator[Finding | Fault]:
        """What a record repeats of earlier ones. Raises DatasetChanged."""
        again: dict[tuple[str, int], list[str]] = defaultdict(list)
        here = (len(self.files) - 1) * FILE + index
        for code, kind, mark in found:
            first = self.first.setdefault(int(mark, 16), here)
            if first != here:
                again[code, first].append(kind)
        for (code, first), kinds in again.items():
            yield from self._found(code, self._record(first), self.files[-1].record(index), kinds)

    def _record(self, number: int) -> Record:
        file, index = divmod(number, FILE)
        return self.files[file].record(index)

    def _found(self, code: str, first: Record, later: Record, kinds: Sequence[str]) -> Iterator[Finding | Fault]:
        case = RuleContext(self.opened, later)
        earlier = set(rules.marks(RuleContext(self.opened, first), {code}))
        same = tuple(kind for _, kind, text in rules.marks(case, {code}) if (code, kind, text) in earlier)
        if kinds := [kind for kind in same if kind in kinds]:  # hashes may agree where texts do not
            yield from rules.repeats(code, first, case, kinds)
