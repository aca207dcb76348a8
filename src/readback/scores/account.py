"""What became of every row and cell of the files, and which conditions nobody has defined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from readback.files.yaml_file import nearest
from readback.results._rows import Read
from readback.results._run_facts import FOUND
from readback.scores.table import Columns, SourceRead
from readback.types import Diagnostic, Location, Workspace

NONE = "–"


def sources(reads: Sequence[Read], resolved: Columns) -> tuple[SourceRead, ...]:
    """The account of each file, with how many of its cells are not in the table, for they came twice."""
    import numpy as np

    counts = np.bincount(np.asarray(resolved.file), minlength=len(resolved.files)).tolist() if len(resolved) else []
    there = dict(zip(resolved.files, counts, strict=False))
    return tuple(
        read.source
        if read.columns is None
        else replace(read.source, doubled=max(len(read.columns) - there.get(read.source.path, 0), 0))
        for read in reads
    )


def unknown_conditions(workspace: Workspace, c: Columns) -> Iterator[Diagnostic]:
    """A diagnostic for each condition with scores that the workspace does not define, where it defines any.

    Runs that only left their results do not define which conditions there are.
    """
    import numpy as np

    names = [condition.name for condition in workspace.conditions if FOUND not in condition.settings]
    known = {*names, *(alias for condition in workspace.conditions for alias in condition.aliases)}
    codes: dict[str, list[int]] = {}
    for code, key in enumerate(c.conditions):
        name = dict(key).get("condition")
        if name is not None and name not in known:
            codes.setdefault(name, []).append(code)
    if not names:
        return
    for name, of_it in codes.items():
        cells = np.flatnonzero(np.isin(np.asarray(c.condition), of_it))
        if not len(cells):
            continue
        at = int(cells[0])
        close = nearest(name, known) or NONE
        values = {"name": name, "count": len(cells), "nearest": close, "known": ", ".join(names)}
        place = Location(file=c.files[c.file[at]], line=c.line[at] or None, condition=name)
        yield Diagnostic("scr-unknown-condition", values, place, name)
