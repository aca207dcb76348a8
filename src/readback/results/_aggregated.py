"""A file of means about one run, and the file of rows beside it that nothing but its name tells to be the same run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from readback.results._layout import MEANS
from readback.results._rows import Read
from readback.scores.table import ConditionKey, SourceRead


def beside_rows(reads: Sequence[Read]) -> list[Read]:
    """The reads, with means called by the rows' condition where both are about one run.

    The evaluation program of GRAG-LiveRAG names the run's system in its file of means only. So a file of means that is
    about one run belongs to the rows in its folder whose condition nothing names but the file, if there is one such
    file with these criteria, and if no rows are called as the means are.
    """
    called = {condition for read in reads if read.columns for condition in read.columns.conditions}
    return [_named(read, reads, called) for read in reads]


def _named(read: Read, reads: Sequence[Read], called: set[ConditionKey]) -> Read:
    about = {one.condition for one in read.reported}
    averages = all(name.lower().startswith(MEANS) for name in read.source.columns.get("score", ()))
    if read.columns is not None or not averages or len(about) != 1 or about & called:
        return read
    criteria = {one.criterion for one in read.reported}
    rows = [
        other.columns.conditions[0]
        for other in reads
        if other.columns
        and _folder(other.source) == _folder(read.source)
        and not other.source.columns.get("condition")
        and len(other.columns.conditions) == 1
        and criteria <= set(other.columns.criteria)
    ]
    if len(rows) != 1:
        return read
    return replace(read, reported=tuple(replace(one, condition=rows[0]) for one in read.reported))


def _folder(source: SourceRead) -> PurePosixPath:
    return PurePosixPath(source.path).parent
