"""A file of means about one run, and the file of rows beside it that nothing but its name tells to be the same run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from readback.scores.files.layout import MEANS
from readback.scores.files.score_rows import FileScores
from readback.scores.table import ConditionKey, SourceRead


def beside_rows(reads: Sequence[FileScores], known: Collection[str] = ()) -> list[FileScores]:
    """The reads, with one condition for means and rows where both are about one run.

    The evaluation program of GRAG-LiveRAG names the run's system in its file of means only. So a file of means that is
    about one run belongs to the rows in its folder whose condition nothing names but the file, if there is one such
    file with these criteria, and if no other rows are called as the means are. Both then have the system's name, unless
    the rows' file is called as a condition of the workspace (`known`), or another run has the same system.
    """
    taken = {condition for read in reads if read.columns for condition in read.columns.conditions}
    partners = {at: _rows_of(read, reads, taken) for at, read in enumerate(reads)}
    names = Counter(reads[at].called for at in partners if reads[at].called)
    renamed: dict[int, ConditionKey] = {}
    for at, rows in partners.items():
        name = reads[at].called
        own = reads[rows].columns if rows is not None else None
        if rows is None or own is None:
            if name and names[name] == 1 and len({one.condition for one in reads[at].reported}) == 1:
                renamed[at] = (("condition", name),)
            continue
        here = own.conditions[0]
        free = name and names[name] == 1 and dict(here).get("condition") not in known
        shared: ConditionKey = (("condition", name),) if free else here
        renamed[at] = renamed[rows] = shared
    return [_named(read, renamed[at]) if at in renamed else read for at, read in enumerate(reads)]


def _rows_of(read: FileScores, reads: Sequence[FileScores], taken: set[ConditionKey]) -> int | None:
    """The number of the file of rows that a file of means is about."""
    about = {one.condition for one in read.reported}
    averages = all(name.lower().startswith(MEANS) for name in read.source.columns.get("score", ()))
    if read.columns is not None or not averages or len(about) != 1:
        return None
    criteria = {one.criterion for one in read.reported}
    rows = [
        at
        for at, other in enumerate(reads)
        if other.columns
        and _folder(other.source) == _folder(read.source)
        and not other.source.columns.get("condition")
        and len(other.columns.conditions) == 1
        and criteria <= set(other.columns.criteria)
        and (not about & taken or other.columns.conditions[0] in about)
    ]
    return rows[0] if len(rows) == 1 else None


def _named(read: FileScores, condition: ConditionKey) -> FileScores:
    """The read, with everything in it about one condition."""
    return replace(
        read,
        columns=replace(read.columns, conditions=(condition,)) if read.columns else None,
        reported=tuple(replace(one, condition=condition) for one in read.reported),
        about=tuple(replace(one, condition=condition) for one in read.about),
        expenses=tuple(replace(one, condition=condition) for one in read.expenses),
    )


def _folder(source: SourceRead) -> PurePosixPath:
    return PurePosixPath(source.path).parent
