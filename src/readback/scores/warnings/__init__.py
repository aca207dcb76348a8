"""Find what is wrong with scores: problems met while reading, and what shows only when they are counted.

Too few, all the same, unevenly missing, merged, not comparable, contradicted by what their files report.
"""

from __future__ import annotations

from readback.scores import summary
from readback.scores.reported import contradictions
from readback.scores.table import ScoreTable
from readback.scores.warnings import comparisons, merged_conditions, missing_scores, panel, small_samples
from readback.types import Diagnostic


def find_warnings(table: ScoreTable) -> tuple[Diagnostic, ...]:
    """Return all warnings; one diagnostic for each criterion that many conditions share."""
    rows = summary.rows(table)
    pooled = panel.pool_rows(table, rows)
    return (
        *table.diagnostics,
        *missing_scores.find_unreadable(table),
        *missing_scores.find_lost(table, pooled),
        *contradictions.find_contradictions(table, rows),
        *small_samples.find_small(table, rows, pooled),
        *missing_scores.find_uneven(table, pooled),
        *merged_conditions.find_merged(table),
        *comparisons.find_refused(table),
        *comparisons.find_different_rows(table),
    )
