"""What a child told of records that follow each other, in columns: most records tell nothing but numbers, and numbers
are counted for all of them together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from readback.checks.run import marks
from readback.checks.run.marks import Marks
from readback.checks.variables import Heard, Shape

Shapes = Sequence[Shape]  # what became of the names of a record, for each choice


@dataclass(slots=True)
class Batch:
    """What was told of the records with these numbers. Places are those of records in the batch, from 0; what has no
    entry under a place was told of none of it.

    `uses` are (from which place on, the shapes): the records up to the next place have the same. `findings` are lines
    (`finding_lines`); `faults` are [rule, error, place].
    """

    indices: Sequence[int]
    longest: Sequence[Sequence[int]] = ()  # for each choice, a column of all records
    marks: Marks = field(default_factory=Marks)
    uses: Sequence[tuple[int, Shapes]] = ()
    observed: Mapping[int, Sequence[bool | None]] = field(default_factory=dict)
    findings: Mapping[int, Sequence[str]] = field(default_factory=dict)
    faults: Mapping[int, Sequence[Any]] = field(default_factory=dict)

    def same_uses(self) -> Iterator[tuple[int, int, Shapes]]:
        """The first place and the one beyond the last of records with the same shapes, and these."""
        for (start, shapes), (stop, _) in pairwise((*self.uses, (len(self.indices), ()))):
            yield start, stop, shapes


def heard(frames: Iterable[Mapping[str, Any]]) -> Iterator[Batch]:
    """A batch for each of one child's frames, as `chunk.audit_chunk` tells them."""
    told, shapes = Heard(), list[Shape]()
    for frame in frames:
        indices = frame["indices"]
        uses: list[tuple[int, Shapes]] = []
        for at, said in frame.get("uses", ()):
            if at and not uses:  # the first records have those of the last one of the frame before
                uses.append((0, shapes))
            shapes = [told.read(use) for use in said]
            uses.append((at, shapes))
        yield Batch(
            indices,
            frame["longest"],
            marks.read(frame["marks"]) if "marks" in frame else marks.of_none(len(indices)),
            uses or [(0, shapes)],
            **{name: dict(frame.get(name, ())) for name in ("observed", "findings", "faults")},
        )
