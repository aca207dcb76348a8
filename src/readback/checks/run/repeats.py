"""Find what repeats from record to record: children send hashes of the texts, and the first record of each is known.

A rule about the dataset (ON = "dataset") has `marks(case)`, which yields (kind, text) for what should be there once,
and `repeats(first, case, kinds)`, which yields them at the later one. Texts are read again, and held against each
other, only where two hashes agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from readback.checks import rules
from readback.checks.rules import Fault
from readback.checks.run.first_records import FirstRecords
from readback.checks.run.marks import Kind, Marks
from readback.records.dataset import Dataset
from readback.types import Finding, Record, RuleContext, Workspace

LOOKS = 8  # at earlier records, after which the pages of the index are given back
FILE = 1 << 40  # records that a file may have, so that one number names the file and the record

FoundByRecord = Mapping[int, Sequence[Finding | Fault]]  # by the numbers of records


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
