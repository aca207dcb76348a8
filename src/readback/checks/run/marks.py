"""What should be there once, of records that follow each other, in columns: a hash of each text, and what it is. Most
records have the same kinds of texts as the one before.
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
    """Of `count` records. `runs` are (from which place on, the kinds of each record's marks), the first from place 0;
    `numbers` has the hash of every mark, in the order of the records.
    """

    count: int = 0
    runs: list[tuple[int, Kinds]] = field(default_factory=list)
    numbers: array[int] = field(default_factory=lambda: array("q"))

    def same_kinds(self) -> Iterator[tuple[int, int, Kinds]]:
        """The first place and the one beyond the last of records that have marks of the same kinds, and these."""
        for (start, kinds), (stop, _) in pairwise((*self.runs, (self.count, ()))):
            yield start, stop, kinds

    def add(self, found: Sequence[Mark]) -> None:
        """Those of one more record."""
        kinds = tuple((code, kind) for code, kind, _ in found)
        if not self.runs or kinds != self.runs[-1][1]:
            self.runs.append((self.count, kinds))
        self.numbers.frombytes(b"".join(digest for *_, digest in found))
        self.count += 1

    def as_json(self) -> list[Any]:
        """What `read` reads: the count, all kinds, the runs (place, number of the kinds), hex digits of the hashes."""
        table = [*dict.fromkeys(kinds for _, kinds in self.runs)]
        known = {kinds: number for number, kinds in enumerate(table)}
        runs = [[at, known[kinds]] for at, kinds in self.runs]
        return [self.count, table, runs, self.numbers.tobytes().hex()]


def of_records(records: Iterable[Sequence[Mark]]) -> Marks:
    """The marks of each record."""
    made = Marks()
    for found in records:
        made.add(found)
    return made


def read(said: Any) -> Marks:
    """What `as_json` said. Raises ValueError, TypeError or IndexError where that is not what is there."""
    count, table, runs, digits = said
    every = [tuple((str(code), str(kind)) for code, kind in kinds) for kinds in table]
    made = Marks(int(count), [(int(at), every[number]) for at, number in runs], array("q", bytes.fromhex(digits)))
    spans = [*made.same_kinds()]
    if any(start >= stop for start, stop, _ in spans) or (spans[0][0] if spans else made.count) != 0:
        raise ValueError("the runs are not those of so many records")
    if sum((stop - start) * len(kinds) for start, stop, kinds in spans) != len(made.numbers):
        raise ValueError("the hashes are not those of so many marks")
    return made


def of_none(count: int) -> Marks:
    """So many records that have no marks."""
    return Marks(count, [(0, ())] if count else [])


def codes(marks: Marks) -> set[str]:
    """The rules whose marks are there."""
    return {code for _, kinds in marks.runs for code, _ in kinds}
