"""What `readback scores --format json` answers: a stable shape for scripts."""

from __future__ import annotations

from typing import Any

from readback.scores import stats
from readback.scores.table import ScoreTable


def as_json(
    table: ScoreTable, by: str | None = None, criterion: str | None = None, judge: str | None = None
) -> dict[str, Any]:
    """{"rows", "comparisons", "blocked", …}; what is not computed is null or empty, with the reason beside it.

    Raises LookupError for a factor, criterion or judge that is not there.
    """
    return {
        "rows": [_row(row) for row in stats.rows(table, by, criterion, judge)],
        "intervals_skipped": stats.NO_INTERVALS,
        "comparisons": [],
        "comparisons_skipped": stats.NOT_TESTED,
        "blocked": [],
        "criteria": {name: _criterion(table, name) for name in table.criteria},
        "synthetic": table.synthetic,
    }


def _row(row: stats.Row) -> dict[str, Any]:
    return {
        "condition": dict(row.condition),
        "criterion": row.criterion,
        "judge": row.judge or None,
        "n": row.n,
        "failed": row.failed,
        "missing": row.missing,
        "not_applicable": row.not_applicable,
        "mean": row.mean,
        "interval": row.interval,
        "method": row.method,
        "interval_clustered": row.interval_clustered,
        "clusters": row.clusters,
        "design_effect": row.design_effect,
        "distribution": dict(row.distribution),
    }


def _criterion(table: ScoreTable, name: str) -> dict[str, Any]:
    found = table.criteria[name]
    return {
        "scale": found.scale,
        "values": list(found.values) or None,
        "low": found.low,
        "high": found.high,
        "direction": found.direction,
        "inferred": name in table.inferred,
    }
