"""What a child tells of each record, one after another, however it was sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.checks.run import chunk
from readback.checks.run.batch import read_batches
from readback.checks.run.marks import Marks


def told_of_each(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Of the records that `chunk.payload` asks for; "uses" are shapes, and with them "longest" and "observed" have one
    entry for each choice.
    """
    for batch in read_batches(chunk.audit_chunk(work)):
        marks = _marks_of_each(batch.marks)
        uses = {at: shapes for start, stop, shapes in batch.list_spans() for at in range(start, stop)}
        for at, index in enumerate(batch.indices):
            yield {
                "index": index,
                "longest": [column[at] for column in batch.longest],
                "marks": marks[at],
                "uses": uses[at],
                "observed": batch.observed.get(at, [None] * len(uses[at])),
                "findings": batch.findings.get(at, []),
                "faults": batch.faults.get(at, []),
            }


def _marks_of_each(marks: Marks) -> list[list[tuple[str, str, int]]]:
    """Return the code, the kind and the hash of every mark, for each record."""
    numbers = iter(marks.numbers)
    each = []
    for start, stop, kinds in marks.list_spans():
        for _ in range(start, stop):
            each.append([(code, kind, next(numbers)) for code, kind in kinds])
    return each
