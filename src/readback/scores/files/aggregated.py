"""A file of means about one run, and the file of rows beside it that nothing but its name tells to be the same run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from readback.scores.files.layout import MEANS
from readback.scores.files.score_rows import FileScores
from readback.scores.table import ConditionKey, SourceRead


def join_means_with_rows(reads: Sequence[FileScores], defined_names: Collection[str] = ()) -> list[FileScores]:
    """Return the files' scores, with one condition for means and rows where both are about one run.

    The evaluation program of GRAG-LiveRAG names the run's system in its file of means only. So a file of means that is
    about one run belongs to the rows in its folder whose condition nothing names but the file, if there is one such
    file with these criteria, and if no other rows are called as the means are. Both then have the system's name, unless
    the rows' file is called as a condition of the workspace (`known`), or another run has the same system.
    """
    conditions_of_rows = {condition for read in reads if read.columns for condition in read.columns.conditions}
    partners = {at: _find_rows(read, reads, conditions_of_rows) for at, read in enumerate(reads)}
    names = Counter(reads[at].called for at in partners if reads[at].called)
    renamed: dict[int, ConditionKey] = {}
    for at, rows in partners.items():
        name = reads[at].called
        if rows is not None:
            own = reads[rows].columns
        else:
            own = None
        if rows is None or own is None:
            if name and names[name] == 1 and len({reported.condition for reported in reads[at].reported}) == 1:
                renamed[at] = (("condition", name),)
            continue
        here = own.conditions[0]
        free = name and names[name] == 1 and dict(here).get("condition") not in defined_names
        shared: ConditionKey = (("condition", name),) if free else here
        renamed[at] = renamed[rows] = shared
    return [_with_condition(read, renamed[at]) if at in renamed else read for at, read in enumerate(reads)]


def _find_rows(read: FileScores, reads: Sequence[FileScores], conditions_of_rows: set[ConditionKey]) -> int | None:
    """Return the index of the file of rows that a file of means is about; None where there is no single one."""
    about = {reported.condition for reported in read.reported}
    averages = all(name.lower().startswith(MEANS) for name in read.source.columns.get("score", ()))
    if read.columns is not None or not averages or len(about) != 1:
        return None
    criteria = {reported.criterion for reported in read.reported}
    rows = [
        at
        for at, other in enumerate(reads)
        if other.columns
        and _folder(other.source) == _folder(read.source)
        and not other.source.columns.get("condition")
        and len(other.columns.conditions) == 1
        and criteria <= set(other.columns.criteria)
        and (not about & conditions_of_rows or other.columns.conditions[0] in about)
    ]
    if len(rows) == 1:
        return rows[0]
    return None


def _with_condition(read: FileScores, condition: ConditionKey) -> FileScores:
    """Return the scores of a file with everything in it about one condition."""
    return replace(
        read,
        columns=replace(read.columns, conditions=(condition,)) if read.columns else None,
        reported=tuple(replace(part, condition=condition) for part in read.reported),
        about=tuple(replace(part, condition=condition) for part in read.about),
        expenses=tuple(replace(part, condition=condition) for part in read.expenses),
    )


def _folder(source: SourceRead) -> PurePosixPath:
    return PurePosixPath(source.path).parent
