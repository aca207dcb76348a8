"""What repeats from record to record: a child sends hashes of the texts, and here the first record of each is kept.

A rule about the dataset (ON = "dataset") has `marks(case)`, which yields (kind, text) for what should be there once,
and `repeats(first, case, kinds)`, which yields them at the later one. A mark costs 8 bytes on its way and, beyond the
first ones, no memory here; texts are read again, and held against each other, only where two hashes agree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from readback.checks import repeat_pairs
from readback.checks.audit_run import Found
from readback.checks.first_records import FirstRecords
from readback.checks.kept_first_records import KeptFirstRecords
from readback.checks.kept_parts import Parts
from readback.checks.kept_repeats import Kept, KeptRepeats
from readback.checks.marks import Kind, Marks
from readback.checks.repeat_pairs import Pair, Pairs
from readback.checks.rules import Fault
from readback.records.dataset import Dataset
from readback.types import Finding, Workspace

LOOKS = 8  # at earlier records, after which the pages of the index are given back: after each, half as much again
FILE = 1 << 40  # records that a file may have, so that one number tells the file and the record
HELD = 256  # batches of records that wait until a child has told of what they repeat, and
FINDINGS = 2_000  # findings in them

Said = Mapping[int, Sequence[Finding | Fault]]  # by the numbers of records


@dataclass(slots=True)
class _Repeat:
    """A later record that may repeat an earlier one, whose number tells the file, too."""

    code: str
    first: int
    later: int
    kinds: Sequence[str]
    kept: Kept | None = None
    known: Sequence[Finding] | None = None  # what was said of it in an earlier check
    pair: Pair | None = None  # of which a child is to tell


@dataclass(slots=True)
class Coming:
    """Records whose marks were taken: what they repeat, as far as that is known."""

    indices: Sequence[int]
    marks: Marks
    said: Said | None = None  # in an earlier check, of all
    again: Sequence[_Repeat] = ()

    @property
    def pairs(self) -> Sequence[Pair]:
        return [one.pair for one in self.again if one.pair]


@dataclass(slots=True)
class Repeats:
    """The first record of every mark seen so far, by its number; in all files that are looked through."""

    opened: Workspace
    files: list[Dataset] = field(default_factory=list)
    kept: KeptRepeats = field(default_factory=lambda: KeptRepeats(None))  # what was told of the last file earlier
    first: FirstRecords = field(default_factory=FirstRecords)
    before: KeptFirstRecords | None = None  # what an earlier check knew of the first of the files
    pairs: Pairs | None = None  # of the last file, at which children look
    looked: int = 0  # how often at an earlier record

    def begin(self, data: Dataset, parts: Parts | None = None, pairs: Pairs | None = None) -> None:
        """The records that are taken from now on are those of another file, of which these parts are kept, and at pairs
        of which children look.
        """
        if self.before is None:
            self.before = KeptFirstRecords(parts, self.first)
        else:
            self.before.leave()
        self.files.append(data)
        self.kept, self.pairs = KeptRepeats(parts), pairs

    def end(self) -> None:
        """All records of the file were taken: keep what is new of them."""
        self.kept.end()
        if self.before and len(self.files) == 1:
            self.before.end()

    def beside(self, every: Iterable[Found]) -> Iterator[tuple[Found, Said]]:
        """What was found, and what these records repeat of earlier ones, by their numbers; most repeat nothing. What
        children are asked about is waited for, while the next ones come. Raises DatasetChanged.
        """
        held = deque[tuple[Found, Coming]]()
        findings = 0
        for found in every:
            held.append((found, self.come(found.indices, found.marks)))
            findings += _count(found)
            while held and (len(held) > HELD or findings > FINDINGS or not self._awaited(held[0][1])):
                found, coming = held.popleft()
                findings -= _count(found)
                yield found, self.told(coming)
        yield from ((found, self.told(coming)) for found, coming in held)

    def _awaited(self, coming: Coming) -> bool:
        return bool(self.pairs and coming.pairs and self.pairs.are_under_way(coming.pairs))

    def come(self, indices: Sequence[int], marks: Marks) -> Coming:
        """These records come next: which of them may repeat an earlier one."""
        before = self.before if len(self.files) == 1 else None
        if before and (known := before.told(indices, marks)) is not None:
            return Coming(indices, marks, known)
        base, owners, kinds = (len(self.files) - 1) * FILE, list[int](), list[Kind]()
        for start, stop, its_kinds in marks.same_kinds():
            owners += [base + index for index in indices[start:stop] for _ in its_kinds]
            kinds += its_kinds * (stop - start)
        again: dict[tuple[int, str, int], list[str]] = {}
        for at in self.first.take(marks.numbers, owners):
            (code, kind), here = kinds[at], owners[at]
            if (first := self.first.of(marks.numbers[at], here)) != here:
                again.setdefault((here - base, code, first), []).append(kind)
        return Coming(
            indices,
            marks,
            again=[self._awaiting(_Repeat(code, first, later, kinds)) for (later, code, first), kinds in again.items()],
        )

    def _awaiting(self, one: _Repeat) -> _Repeat:
        file, first = divmod(one.first, FILE)
        if file == len(self.files) - 1:
            one.kept = self.kept.where(one.code, first, one.later, one.kinds)
            one.known = self.kept.told(one.kept)
            if self.pairs and one.known is None:
                one.pair = one.code, first, one.later
                self.pairs.wait_for(one.pair, one.kinds)
        return one

    def told(self, coming: Coming) -> Said:
        """What records repeat, in the order in which they came. Raises DatasetChanged."""
        if coming.said is not None:
            return coming.said
        said: dict[int, list[Finding | Fault]] = {}
        for one in coming.again:
            if found := self._told(one):
                said.setdefault(one.later, []).extend(found)
        if self.before and len(self.files) == 1:
            self.before.take(coming.indices, coming.marks, said)
        return said

    def _told(self, one: _Repeat) -> Sequence[Finding | Fault]:
        found: Sequence[Finding | Fault] | None = one.known
        if found is None and self.pairs and one.pair:
            found = self.pairs.answer(one.pair)
        if found is None:
            found = self._looked(one)
        self.kept.take(one.kept, found)
        return found

    def _looked(self, one: _Repeat) -> Sequence[Finding | Fault]:
        file, first = divmod(one.first, FILE)
        records = self.files[file].record(first), self.files[-1].record(one.later)
        self.looked += 1
        if not self.looked % LOOKS:  # an earlier record may be anywhere, and so in the end every page of the index
            self.files[file].let_go()
        return [*repeat_pairs.found(self.opened, one.code, *records, one.kinds)]


def _count(found: Found) -> int:
    return sum(map(len, found.by_index.values()))
