"""Find what repeats from record to record: children send hashes of the texts, and the first record of each is known.

A rule about the dataset (ON = "dataset") has `marks(case)`, which yields (kind, text) for what should be there once,
and `repeats(first, case, kinds)`, which yields them at the later one. Texts are read again, and held against each
other, only where two hashes agree.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from readback.checks import rules
from readback.checks.rules import Fault
from readback.checks.run.marks import Kind, Marks
from readback.readers.files.cache_folder import DiskFull
from readback.records.dataset import Dataset
from readback.types import Finding, Record, RuleContext, Workspace

LOOKS = 8  # at earlier records, after which the pages of the index are given back
MEMORY = 16_384  # KiB of the table that stay in memory; the rest lies in a temporary file, which goes with the process
FILE = 1 << 40  # records that a file may have, so that one number names the file and the record

FoundByRecord = Mapping[int, Sequence[Finding | Fault]]  # by the numbers of records


class FirstRecords:
    """The first record of each mark (a hash of 64 bits): a table of hashes in a temporary SQLite database."""

    def __init__(self) -> None:
        self._table = sqlite3.connect("", isolation_level=None)  # the name of a temporary database
        self._table.execute(f"PRAGMA cache_size = -{MEMORY}")
        self._table.execute("PRAGMA journal_mode = OFF")
        self._table.execute("CREATE TABLE mark (mark INTEGER PRIMARY KEY, record INTEGER NOT NULL)")

    def find_repeats(self, marks: Sequence[int], records: Sequence[int]) -> list[tuple[int, int]]:
        """Take marks, each with the number of its record; return (place among them, first record) of those that another
        record had first. Raises DiskFull.
        """
        try:
            before = self._table.total_changes
            self._table.execute("BEGIN")
            self._table.executemany("INSERT OR IGNORE INTO mark VALUES (?, ?)", zip(marks, records, strict=True))
            self._table.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise DiskFull(f"there is no room for a temporary file of the check ({error}); free some space") from error
        if self._table.total_changes - before == len(marks):
            return []
        repeats = []
        for place, (mark, record) in enumerate(zip(marks, records, strict=True)):
            first = self._table.execute("SELECT record FROM mark WHERE mark = ?", (mark,)).fetchone()[0]
            if first != record:
                repeats.append((place, first))
        return repeats


@dataclass(slots=True)
class Repeats:
    """The repeats in all files that are looked through."""

    opened: Workspace
    files: list[Dataset] = field(default_factory=list)
    first: FirstRecords = field(default_factory=FirstRecords)
    looks: int = 0  # how often an earlier record was read

    def begin(self, data: Dataset) -> None:
        """Take the records of another file from now on."""
        self.files.append(data)

    def find(self, indices: Sequence[int], marks: Marks) -> FoundByRecord:
        """Return what these records, the next ones of the file, repeat of earlier ones. Raises DatasetChanged."""
        base = (len(self.files) - 1) * FILE
        owners: list[int] = []
        kinds: list[Kind] = []
        for start, stop, kinds_of_record in marks.list_spans():
            for index in indices[start:stop]:
                owners += [base + index] * len(kinds_of_record)
                kinds += kinds_of_record
        pairs: dict[tuple[int, str, int], list[str]] = {}
        for place, first in self.first.find_repeats(marks.numbers, owners):
            code, kind = kinds[place]
            pairs.setdefault((owners[place] - base, code, first), []).append(kind)
        findings: dict[int, list[Finding | Fault]] = {}
        for (later, code, first), repeated in pairs.items():
            findings.setdefault(later, []).extend(self._compare(code, first, later, repeated))
        return findings

    def _compare(self, code: str, first: int, later: int, kinds: Sequence[str]) -> Iterator[Finding | Fault]:
        file, index = divmod(first, FILE)
        earlier, record = self.files[file].record(index), self.files[-1].record(later)
        self.looks += 1
        if not self.looks % LOOKS:  # an earlier record may be anywhere, and so in the end every page of the index
            self.files[file].let_go()
        yield from compare_records(self.opened, code, earlier, record, kinds)


def compare_records(
    opened: Workspace, code: str, first: Record, later: Record, kinds: Sequence[str]
) -> Iterator[Finding | Fault]:
    """Yield what a rule finds in two records that have marks of these kinds with the same hashes."""
    case = RuleContext(opened, later)
    earlier = set(rules.list_marks(RuleContext(opened, first), {code}))
    same = [kind for _, kind, text in rules.list_marks(case, {code}) if (code, kind, text) in earlier]
    repeated = [kind for kind in same if kind in kinds]  # hashes may agree where texts do not
    if repeated:
        yield from rules.report_repeats(code, first, case, repeated)
