"""Hold what a dataset should have only once, in columns: a hash of each text of its records, and what the text is.

Most records have the same kinds of texts as the record before.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Mark = tuple[str, str, bytes]  # the rule's code, what the text is, and the SIZE bytes that hash it
Kind = tuple[str, str]  # a mark without its hash
Kinds = tuple[Kind, ...]
SIZE = 8  # bytes of a hash


@dataclass(slots=True)
class Marks:
    """The marks of `count` records.

    `runs` are (from which place on, the kinds of each record's marks), the first from place 0; `numbers` has the hash
    of every mark, in the order of the records.
    """

    count: int = 0
    runs: list[tuple[int, Kinds]] = field(default_factory=list)
    numbers: array[int] = field(default_factory=lambda: array("q"))

    def list_spans(self) -> Iterator[tuple[int, int, Kinds]]:
        """Yield (first place, place beyond the last, kinds) of records whose marks have the same kinds."""
        for (start, kinds), (stop, _) in pairwise((*self.runs, (self.count, ()))):
            yield start, stop, kinds

    def add(self, marks: Sequence[Mark]) -> None:
        """Add the marks of one more record."""
        kinds = tuple((code, kind) for code, kind, _ in marks)
        if not self.runs or kinds != self.runs[-1][1]:
            self.runs.append((self.count, kinds))
        self.numbers.frombytes(b"".join(digest for *_, digest in marks))
        self.count += 1

    def as_json(self) -> list[Any]:
        """Return what `read_marks` reads: the count, all kinds, the runs (place, number of the kinds), hex digits."""
        table = [*dict.fromkeys(kinds for _, kinds in self.runs)]
        number_of = {kinds: number for number, kinds in enumerate(table)}
        runs = [[place, number_of[kinds]] for place, kinds in self.runs]
        return [self.count, table, runs, self.numbers.tobytes().hex()]


def collect_marks(records: Iterable[Sequence[Mark]]) -> Marks:
    """Return the marks of several records."""
    marks = Marks()
    for marks_of_record in records:
        marks.add(marks_of_record)
    return marks


def read_marks(value: Any) -> Marks:
    """Return the marks that `as_json` wrote. Raises ValueError, TypeError or IndexError where it did not."""
    count, table, runs, digits = value
    kinds_by_number = [tuple((str(code), str(kind)) for code, kind in kinds) for kinds in table]
    marks = Marks(
        int(count),
        [(int(place), kinds_by_number[number]) for place, number in runs],
        array("q", bytes.fromhex(digits)),
    )
    spans = [*marks.list_spans()]
    begin = spans[0][0] if spans else marks.count
    if begin != 0 or any(start >= stop for start, stop, _ in spans):
        raise ValueError("the runs are not those of so many records")
    if sum((stop - start) * len(kinds) for start, stop, kinds in spans) != len(marks.numbers):
        raise ValueError("the hashes are not those of so many marks")
    return marks


def build_empty_marks(count: int) -> Marks:
    """Return the marks of records that have none."""
    return Marks(count, [(0, ())] if count else [])


def list_codes(marks: Marks) -> set[str]:
    """Return the codes of the rules that have marks."""
    return {code for _, kinds in marks.runs for code, _ in kinds}
