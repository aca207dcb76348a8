"""What `readback scores --format json` answers: a stable shape for scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from readback.scores import stats
from readback.scores.comparing import compare, omnibus
from readback.scores.comparing.comparison import Blocked, Comparison, Planned
from readback.scores.duels import outcomes as duels
from readback.scores.table import ScoreTable
from readback.types import Note

Tell = Callable[[Note], str]  # a note as its rule's sentence


def as_json(
    table: ScoreTable,
    planned: tuple[Planned, ...] = (),
    *,
    tell: Tell,
    by: str | None = None,
    baseline: str | None = None,
    criterion: str | None = None,
    judge: str | None = None,
) -> dict[str, Any]:
    """{"rows", "comparisons", "blocked", …}; what is not computed is null or empty, with the reason beside it.

    Raises LookupError for a factor, criterion, judge or baseline that is not there.
    """
    rows = as_rows(table, by, criterion, judge)
    made = compare.compare(table, planned, by=by, baseline=baseline, criterion=criterion, judge=judge)
    return {
        "rows": rows,
        "comparisons": [_comparison(one) for one in made.comparisons],
        **({"comparisons_skipped": made.skipped} if made.skipped else {}),
        "blocked": [_blocked(one, tell) for one in made.blocked],
        "omnibus": [
            {
                "criterion": one.criterion,
                "judge": one.judge or None,
                "conditions": one.conditions,
                "items": one.items,
                "test": one.test,
                "p": one.p,
            }
            for one in omnibus.omnibus(table, by, criterion, judge)
        ],
        "planned_without_scores": [
            {"a": one.a, "b": one.b, "without": name} for one, name in compare.absent(table, planned)
        ],
        "criteria": {name: _criterion(table, name) for name in table.criteria},
        "duels": [duels.as_json(one) for one in duels.told(table) if judge in (None, one.judge)],
        "synthetic": table.synthetic,
    }


def as_rows(
    table: ScoreTable, by: str | None = None, criterion: str | None = None, judge: str | None = None
) -> list[dict[str, Any]]:
    """One mapping for each condition (or value of a factor), criterion and judge."""
    return [_row(row) for row in stats.rows(table, by, criterion, judge)]


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
        "share_of_one": row.share_of_one,
    }


def _comparison(one: Comparison) -> dict[str, Any]:
    return {
        "a": dict(one.a),
        "b": dict(one.b),
        "criterion": one.criterion,
        "judge": one.judge or None,
        "n_shared": one.n_shared,
        "only_a": one.only_a,
        "only_b": one.only_b,
        "mean_a": one.mean_a,
        "mean_b": one.mean_b,
        "difference": one.difference,
        "interval": one.interval,
        "method": one.method,
        "interval_clustered": one.interval_clustered,
        "clusters": one.clusters,
        "design_effect": one.design_effect,
        "wins": one.wins,
        "ties": one.ties,
        "losses": one.losses,
        "p": one.p,
        "p_method": one.p_method,
        "p_wilcoxon": one.p_wilcoxon,
        "p_adjusted": one.p_adjusted,
        "family": one.family,
        "cliffs_delta": one.delta,
        "smallest_detectable": one.detectable,
        "margin": one.margin,
        "p_equivalent": one.p_equivalent,
        "verdict": one.verdict,
        "planned": one.planned is not None,
        "question": one.planned.question or None if one.planned else None,
        "expected": one.planned.expected or None if one.planned else None,
        "seed": one.seed,
    }


def _blocked(one: Blocked, tell: Tell) -> dict[str, Any]:
    return {
        "a": dict(one.a),
        "b": dict(one.b),
        "criterion": one.criterion,
        "judge": one.judge or None,
        "why": "; ".join(tell(note) for note in one.why),
        "codes": [note.code for note in one.why],
        "planned": one.planned is not None,
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
