"""What is wrong with scores: what was seen while reading, and what shows only when they are counted.

Too few, all the same, unevenly missing, merged, not comparable, contradicted by what their files report.
"""

from __future__ import annotations

from readback.scores import summary
from readback.scores.reported import contradictions
from readback.scores.table import ScoreTable
from readback.scores.warnings import few, lost, merged, panel, refused, rows, uneven, unreadable
from readback.types import Diagnostic


def diagnostics(table: ScoreTable) -> tuple[Diagnostic, ...]:
    """All of it; one diagnostic for each criterion that many conditions share."""
    found = summary.rows(table)
    pooled = panel.pool(table, found)
    return (
        *table.diagnostics,
        *unreadable.diagnostics(table),
        *lost.diagnostics(table, pooled),
        *contradictions.diagnostics(table, found),
        *few.diagnostics(table, found, pooled),
        *uneven.diagnostics(table, pooled),
        *merged.diagnostics(table),
        *refused.diagnostics(table),
        *rows.diagnostics(table),
    )
