"""What a child tells of each record, one after another, however it was sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.checks import chunk
from readback.checks.batch import heard


def told_of_each(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Of the records that `chunk.payload` asks for; "uses" are shapes, and with them "longest" and "observed" have one
    entry for each choice.
    """
    for batch in heard(chunk.audit_chunk(work)):
        its = batch.marks
        marks = [its.part(at, at + 1).as_json() for at in range(its.count)]
        uses = {at: shapes for start, stop, shapes in batch.same_uses() for at in range(start, stop)}
        for at, index in enumerate(batch.indices):
            yield {
                "index": index,
                "longest": [column[at] for column in batch.longest],
                "marks": marks[at],
                "uses": uses[at],
                "observed": batch.observed.get(at, [None] * len(uses[at])),
                "findings": batch.findings.get(at, []),
                "counts": batch.counts.get(at, []),
                "faults": batch.faults.get(at, []),
            }
