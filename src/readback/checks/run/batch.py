"""Read what a child answers about records that follow each other, in columns.

Most records have nothing but numbers, and numbers are counted for all of them together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from readback.checks.run.marks import Marks, build_empty_marks, read_marks
from readback.checks.variables import AccountReader, Shape

Shapes = Sequence[Shape]  # what became of the names of a record, for each choice


@dataclass(slots=True)
class Batch:
    """The answer about the records with these numbers.

    Places are those of records in the batch, from 0; a record without an entry has nothing of that kind. `uses` are
    (from which place on, the shapes): the records up to the next place have the same. `findings` are lines
    (`finding_lines`); `faults` are [rule, error, place].
    """

    indices: Sequence[int]
    longest: Sequence[Sequence[int]] = ()  # for each choice, a column of all records
    marks: Marks = field(default_factory=Marks)
    uses: Sequence[tuple[int, Shapes]] = ()
    observed: Mapping[int, Sequence[Sequence[Any] | None]] = field(default_factory=dict)
    findings: Mapping[int, Sequence[str]] = field(default_factory=dict)
    faults: Mapping[int, Sequence[Any]] = field(default_factory=dict)

    def list_spans(self) -> Iterator[tuple[int, int, Shapes]]:
        """Yield (first place, place beyond the last, shapes) of records with the same shapes."""
        for (start, shapes), (stop, _) in pairwise((*self.uses, (len(self.indices), ()))):
            yield start, stop, shapes


def read_batches(frames: Iterable[Mapping[str, Any]]) -> Iterator[Batch]:
    """Yield a batch for each frame of one child, as `chunk.audit_chunk` yields them."""
    accounts = AccountReader()
    shapes: list[Shape] = []
    for frame in frames:
        indices = frame["indices"]
        uses: list[tuple[int, Shapes]] = []
        for place, accounts_of_record in frame.get("uses", ()):
            if place and not uses:  # the first records have those of the last record of the frame before
                uses.append((0, shapes))
            shapes = [accounts.read(account) for account in accounts_of_record]
            uses.append((place, shapes))
        yield Batch(
            indices,
            frame["longest"],
            read_marks(frame["marks"]) if "marks" in frame else build_empty_marks(len(indices)),
            uses or [(0, shapes)],
            **{name: dict(frame.get(name, ())) for name in ("observed", "findings", "faults")},
        )
