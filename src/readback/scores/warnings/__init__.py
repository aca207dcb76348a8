"""What shows only when scores are counted: too few, all the same, unevenly missing, merged, not comparable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from readback.scores.table import ScoreTable
from readback.scores.warnings import few, merged, refused, rows, uneven
from readback.types import Diagnostic

if TYPE_CHECKING:
    from readback.scores.stats import Row


def diagnostics(table: ScoreTable, found: Sequence[Row]) -> Iterator[Diagnostic]:
    """One diagnostic for each criterion that many conditions share; `found` are the rows of every condition."""
    yield from few.diagnostics(table, found)
    yield from uneven.diagnostics(table, found)
    yield from merged.diagnostics(table)
    yield from refused.diagnostics(table)
    yield from rows.diagnostics(table)
