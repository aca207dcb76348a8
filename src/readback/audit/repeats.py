"""What repeats from record to record: a child sends hashes of the texts, and here the first record of each is kept.

A rule about the dataset (ON = "dataset") has `marks(record)`, which yields (kind, text) for what should be there once,
and `repeats(first, later, kinds)`, which yields notes at the later one. A mark costs 8 bytes on its way and about 100
bytes here; texts are read again, and held against each other, only where two hashes agree.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from readback import rules
from readback.records.dataset import Dataset
from readback.records.field_path import MASK
from readback.rules import Fault
from readback.types import Case, Finding, Record, Workspace

Mark = tuple[str, str, str]  # the rule's code, what repeats, 16 hex digits


def marks(record: Record, codes: Collection[str] | None) -> Iterator[Mark]:
    """The marks of one record, for the rules of `codes`; a text with a masked value says nothing and has none."""
    for code, kind, text in rules.marks(record, codes):
        if not (record.masked and MASK in text):
            whole = f"{code}\0{kind}\0{text}".encode("utf-8", "surrogatepass")
            yield code, kind, hashlib.blake2b(whole, digest_size=8).hexdigest()


@dataclass(slots=True)
class Repeats:
    """The first record of every mark seen so far, by its number."""

    opened: Workspace
    data: Dataset
    first: dict[int, int] = field(default_factory=dict)

    def take(self, index: int, found: Sequence[Mark]) -> Iterator[Finding | Fault]:
        """What a record repeats of earlier ones. Raises DatasetChanged."""
        again: dict[tuple[str, int], list[str]] = defaultdict(list)
        for code, kind, mark in found:
            first = self.first.setdefault(int(mark, 16), index)
            if first != index:
                again[code, first].append(kind)
        for (code, first), kinds in again.items():
            yield from self._found(code, self.data.record(first), self.data.record(index), kinds)

    def _found(self, code: str, first: Record, later: Record, kinds: Sequence[str]) -> Iterator[Finding | Fault]:
        earlier = set(rules.marks(first, {code}))
        same = tuple(kind for _, kind, text in rules.marks(later, {code}) if (code, kind, text) in earlier)
        if kinds := [kind for kind in same if kind in kinds]:  # hashes may agree where texts do not
            yield from rules.repeats(code, first, Case(self.opened, later), kinds)
