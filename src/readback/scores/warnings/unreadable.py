"""Files of scores in which not one cell can be read as a score, such as replies in a form that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator

from readback.scores.table import FAILED, MISSING, ScoreTable
from readback.types import Diagnostic, Location

CODE = "scr-file-unread"
NO_REPLY = "there is no reply"  # a place that is still empty is no fault of the file


def diagnostics(table: ScoreTable) -> Iterator[Diagnostic]:
    """Yield one diagnostic for each file without a score of which something is written in the places of scores."""
    c = table.columns
    first: dict[int, int] = {}  # by file: its first cell with something that is no score
    cells = [0] * len(c.files)
    scored = set[int]()
    for cell, (file, state) in enumerate(zip(c.file, c.state, strict=True)):
        cells[file] += 1
        if state not in (FAILED, MISSING):
            scored.add(file)
        elif file not in first and c.whys.get(cell, NO_REPLY) != NO_REPLY:
            first[file] = cell
    rows = {source.path: source.rows for source in table.sources}
    for file, cell in first.items():
        if file in scored:
            continue
        name = c.files[file]
        values = {"rows": rows.get(name, cells[file]), "why": c.whys[cell], "line": c.line[cell]}
        yield Diagnostic(CODE, values, Location(file=name, line=c.line[cell] or None), name)
