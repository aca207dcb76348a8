"""What repeats from record to record: a child sends hashes of the texts, and here the first record of each is kept.

A rule about the dataset (ON = "dataset") has `marks(case)`, which yields (kind, text) for what should be there once,
and `repeats(first, case, kinds)`, which yields them at the later one. A mark costs 8 bytes on its way and, beyond the
first ones, no memory here; texts are read again, and held against each other, only where two hashes agree.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from readback.checks import rules
from readback.checks.batch import Mark
from readback.checks.kept_parts import Parts
from readback.checks.kept_repeats import KeptRepeats
from readback.checks.rules import Fault
from readback.records.dataset import Dataset
from readback.types import Finding, Record, RuleContext, Workspace

HELD = 8_192  # marks in memory, which take 1 MB
TABLE = "PRAGMA synchronous = OFF; CREATE TABLE first (mark INTEGER PRIMARY KEY, record INTEGER)"
LAST = (1 << 23) - 1
FILE = 1 << 40  # records that a file may have, so that one number tells the file and the record


@dataclass(slots=True)
class Repeats:
    """The first record of every mark seen so far, by its number; in all files that are looked through."""

    opened: Workspace
    files: list[Dataset] = field(default_factory=list)
    kept: KeptRepeats = field(default_factory=lambda: KeptRepeats(None))  # what was told of the last file earlier
    first: _Firsts = field(default_factory=lambda: _Firsts())

    def begin(self, data: Dataset, parts: Parts | None = None) -> None:
        """The records that are taken from now on are those of another file, of which these parts are kept."""
        self.files.append(data)
        self.kept = KeptRepeats(parts)

    def take(self, index: int, found: Sequence[Mark]) -> Sequence[Finding | Fault]:
        """What a record repeats of earlier ones; most repeat nothing. Raises DatasetChanged."""
        again: dict[tuple[str, int], list[str]] = {}
        here = (len(self.files) - 1) * FILE + index
        for code, kind, mark in found:
            first = self.first.take(int(mark, 16), here)
            if first != here:
                again.setdefault((code, first), []).append(kind)
        told = (self._told(code, first, index, kinds) for (code, first), kinds in again.items())
        return [*chain.from_iterable(told)] if again else ()

    def _told(self, code: str, first: int, later: int, kinds: Sequence[str]) -> Sequence[Finding | Fault]:
        file, index = divmod(first, FILE)
        here = file == len(self.files) - 1
        if here and (known := self.kept.told(code, index, later, kinds)) is not None:
            return known
        records = self.files[file].record(index), self.files[-1].record(later)
        self.files[file].let_go()  # an earlier record may be anywhere, and so in the end every page of the index
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
    """The first record of each mark: a few in memory, the others in a file without a name."""

    def __init__(self) -> None:
        self.held: dict[int, int] = {}
        self.file: sqlite3.Connection | None = None
        self.room = HELD
        self.maybe = bytearray(1 << 20)  # a bit for the marks that end alike: where it is not set, the file has none

    def take(self, mark: int, here: int) -> int:
        """The record that has the mark first, which is `here` where none had it before."""
        first = self.held.get(mark)
        if first is None and self.maybe[(mark & LAST) >> 3] >> (mark & 7) & 1 and self.file is not None:
            asked = self.file.execute("SELECT record FROM first WHERE mark = ?", (_signed(mark),)).fetchone()
            first = asked[0] if asked else None
        if first is None:
            first = self.held[mark] = here
            if len(self.held) >= self.room:
                self._put_away()
        return first

    def _put_away(self) -> None:
        """Make room. Where the disk has none, memory has to do."""
        try:
            if self.file is None:
                self.file = sqlite3.connect("", isolation_level=None)  # SQLite removes it with the connection
                self.file.executescript(TABLE)
            rows = ((_signed(mark), record) for mark, record in sorted(self.held.items()))
            self.file.execute("BEGIN")
            self.file.executemany("INSERT OR IGNORE INTO first VALUES (?, ?)", rows)
            self.file.execute("COMMIT")
            for mark in self.held:
                self.maybe[(mark & LAST) >> 3] |= 1 << (mark & 7)
            self.held.clear()
        except sqlite3.Error:
            if self.file is not None and self.file.in_transaction:
                self.file.execute("ROLLBACK")
            self.room *= 2


def _signed(mark: int) -> int:
    """A mark as SQLite holds it, which has no unsigned numbers."""
    return mark - (1 << 64) if mark >= 1 << 63 else mark
