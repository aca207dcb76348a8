"""What `readback scores --format json` answers: a stable shape for scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from readback.scores import criterion_kinds, expenses, pooled, summary
from readback.scores.agreement.measures import measure_pool
from readback.scores.comparing import compare, omnibus
from readback.scores.comparing.comparison import Blocked, Compared, Comparison, Omnibus
from readback.scores.comparing.winner import find_winner
from readback.scores.output import answer_sections
from readback.scores.pairwise import outcomes as pairwise
from readback.scores.summary_row import Row
from readback.scores.table import Planned, ScoreTable
from readback.types import Diagnostic

Tell = Callable[[Diagnostic], str]  # a diagnostic as its rule's sentence


def as_json(
    table: ScoreTable,
    planned: tuple[Planned, ...] = (),
    *,
    tell: Tell,
    by: str | None = None,
    baseline: str | None = None,
    criterion: str | None = None,
    judge: str | None = None,
    order: tuple[str, ...] = (),
) -> dict[str, Any]:
    """{"rows", "comparisons", "blocked", …}; what is not computed is null or empty, with the reason beside it.

    `plan` is the place of a comparison in the plan, from 1; `order` that in which criteria are read. Raises
    LookupError for a factor, criterion, judge or baseline that is not there.
    """
    names = answer_sections.criteria_of(table, criterion)
    rows: list[dict[str, Any]] = []
    compared = Compared()
    tests: tuple[Omnibus, ...] = ()
    if not _rowless(table, names, criterion, judge):
        rows = as_rows(table, by, criterion, judge)
        compared = compare.compare(table, planned, by=by, baseline=baseline, criterion=criterion, judge=judge)
        tests = omnibus.run_omnibus_tests(table, by, criterion, judge)
    at = {entry: number for number, entry in enumerate(planned, 1)}
    return {
        "rows": rows,
        **_tested(compared, tests, at, tell),
        "planned_without_scores": [
            {"a": entry.a, "b": entry.b, "without": name, "question": entry.question or None, "plan": at[entry]}
            for entry, name in compare.list_absent(table, planned)
        ],
        "questions": [
            {
                "criterion": entry.criterion,
                "numbers": [value for value, _ in entry.values],
                "count": entry.count,
                "reason": entry.reason,
                "key": entry.key,
            }
            for entry in table.questions
        ],
        "criteria": {name: _criterion(table, name) for name in table.criteria},
        "criteria_order": list(order),
        "references": [{"condition": dict(key), **asdict(entry)} for key, entry in table.apart.items()],
        "aggregates": answer_sections.reported(table, names, judge),
        "stated_beside_rows": answer_sections.beside_rows(table),
        "pooled": as_pooled(table, planned, tell=tell, by=by, baseline=baseline, criterion=criterion, judge=judge),
        "duels": [
            pairwise.describe_comparison(entry)
            for entry in pairwise.compare_contestants(table)
            if judge in (None, entry.judge)
        ],
        "ranking": answer_sections.ranking(table, judge),
        "costs": expenses.as_json(table, judge),
        "sources": [asdict(entry) for entry in table.sources],
        "synthetic": table.synthetic,
    }


def as_pooled(
    table: ScoreTable,
    planned: tuple[Planned, ...] = (),
    *,
    tell: Tell,
    by: str | None = None,
    baseline: str | None = None,
    criterion: str | None = None,
    judge: str | None = None,
) -> dict[str, Any] | None:
    """{"rows", "comparisons", "blocked", "omnibus", "agreement"} of means over judges; None where nothing is pooled.

    `judge` of each is null and `pool` says whose means they are: "people" or "judges". One judge that is asked for is
    no pool.
    """
    if judge is None:
        pooled_table = pooled.pooled(table)
    else:
        pooled_table = None
    names = () if pooled_table is None else tuple(n for n in pooled_table.columns.criteria if _asked_for(n, criterion))
    if pooled_table is None or not names:
        return None
    compared = compare.compare(pooled_table, planned, by=by, baseline=baseline, criterion=criterion)
    tests = omnibus.run_omnibus_tests(pooled_table, by, criterion)
    at = {entry: number for number, entry in enumerate(planned, 1)}
    sections = {
        "rows": [_pooled_row(pooled_table, row) for row in summary.rows(pooled_table, by, criterion)],
        **_tested(compared, tests, at, tell),
    }
    for entry in (*sections["comparisons"], *sections["blocked"], *sections["omnibus"]):
        entry["pool"], entry["judge"] = _pool(entry["judge"]), None
    agreed = [_agreement(table, pooled_table, name, pool) for name, pool in _pools(pooled_table) if name in names]
    return {**sections, "agreement": agreed}


def _pools(pooled_table: ScoreTable) -> tuple[tuple[str, str], ...]:
    if pooled_table.pool is not None:
        return tuple(pooled_table.pool.judges)
    return ()


def _pool(name: str | None) -> str | None:
    if name:
        return name.removeprefix("*")
    return None


def _pooled_row(pooled_table: ScoreTable, row: Row) -> dict[str, Any]:
    raters = pooled.raters(pooled_table, row.criterion, row.judge, row.condition)
    rater_counts = {"judges": raters.judges, "judges_fewest": raters.fewest, "judges_most": raters.most}
    return {**_row(row), "judge": None, "pool": _pool(row.judge), **rater_counts}


def _agreement(table: ScoreTable, pooled_table: ScoreTable, name: str, pool: str) -> dict[str, Any]:
    """Return the agreement of those who are pooled, in short; `readback agreement` has all of it, over every judge."""
    agreement = measure_pool(table, name, pooled.members(pooled_table, name, pool))
    return {
        "criterion": name,
        "pool": _pool(pool),
        "judges": list(pooled.members(pooled_table, name, pool)),
        "metric": agreement.metric,
        "alpha": agreement.alpha,
        "interval": agreement.interval,
        "units": agreement.units,
        "seed": agreement.seed,
    }


def _asked_for(name: str, criterion: str | None) -> bool:
    return criterion in (None, name, name.removesuffix("_score"))


def _tested(compared: Compared, tests: tuple[Omnibus, ...], at: Mapping[Planned, int], tell: Tell) -> dict[str, Any]:
    """List the tested comparisons, the blocked ones, and the tests of several conditions together."""
    return {
        "comparisons": [_comparison(comparison, at) for comparison in compared.comparisons],
        **({"comparisons_skipped": compared.skipped} if compared.skipped else {}),
        "blocked": [_blocked(comparison, at, tell) for comparison in compared.blocked],
        "omnibus": [
            {
                "criterion": comparison.criterion,
                "judge": comparison.judge or None,
                "conditions": comparison.conditions,
                "items": comparison.items,
                "left_out": comparison.left_out,
                "clusters": comparison.clusters,
                "test": comparison.test,
                "p": comparison.p,
            }
            for comparison in tests
        ],
    }


def _rowless(table: ScoreTable, reported: tuple[str, ...], criterion: str | None, judge: str | None) -> bool:
    """Whether what is asked for has no rows, but means without rows or outcomes side by side."""
    c = table.columns
    judges_without_rows = {entry.judge for entry in table.outcomes} | {entry.judge for entry in table.reported}
    rows_of_it = any(criterion in (name, name.removesuffix("_score")) for name in c.criteria)
    return (criterion is not None and not rows_of_it and bool(reported)) or (
        judge in judges_without_rows and judge not in c.judges
    )


def as_rows(
    table: ScoreTable, by: str | None = None, criterion: str | None = None, judge: str | None = None
) -> list[dict[str, Any]]:
    """One mapping for each condition (or value of a factor), criterion and judge."""
    return [_row(row) for row in summary.rows(table, by, criterion, judge)]


def _row(row: Row) -> dict[str, Any]:
    return {
        "condition": dict(row.condition),
        "criterion": row.criterion,
        "judge": row.judge or None,
        "n": row.n,
        "failed": row.failed,
        "missing": row.missing,
        "not_applicable": row.not_applicable,
        "not_read": row.not_read,
        "in_question": row.in_question,
        "mean": row.mean,
        "interval": row.interval,
        "method": row.method,
        "interval_clustered": row.interval_clustered,
        "method_clustered": row.method_clustered,
        "interval_used": row.span,
        "interval_on_scale": row.interval_on_scale,
        "clusters": row.clusters,
        "design_effect": row.design_effect,
        "distribution": dict(row.distribution),
        "share_of_one": row.share_of_one,
    }


def _comparison(comparison: Comparison, at: Mapping[Planned, int]) -> dict[str, Any]:
    return {
        "a": dict(comparison.a),
        "b": dict(comparison.b),
        "criterion": comparison.criterion,
        "judge": comparison.judge or None,
        "n_shared": comparison.n_shared,
        "only_a": comparison.only_a,
        "only_b": comparison.only_b,
        "failed": comparison.failed,
        "bounds": comparison.bounds,
        "bounds_interval": comparison.bounds_interval,
        "mean_a": comparison.mean_a,
        "mean_b": comparison.mean_b,
        "difference": comparison.difference,
        "interval": comparison.interval,
        "method": comparison.method,
        "interval_clustered": comparison.interval_clustered,
        "method_clustered": comparison.method_clustered,
        "interval_used": comparison.span,
        "at_odds": comparison.at_odds,
        "clusters": comparison.clusters,
        "design_effect": comparison.design_effect,
        "wins": comparison.wins,
        "ties": comparison.ties,
        "losses": comparison.losses,
        "p": comparison.p,
        "p_method": comparison.p_method,
        "p_wilcoxon": comparison.p_wilcoxon,
        "p_adjusted": comparison.p_adjusted,
        "family": comparison.family,
        "small": comparison.small,
        "scale_length": comparison.length,
        "alpha": comparison.alpha,
        "cliffs_delta": comparison.delta,
        "smallest_detectable": comparison.detectable,
        "margin": comparison.margin,
        "p_equivalent": comparison.p_equivalent,
        "winner_by_rule": find_winner(comparison),
        "verdict": comparison.verdict,
        **_plan(comparison, at),
        "seed": comparison.seed,
    }


def _blocked(blocked: Blocked, at: Mapping[Planned, int], tell: Tell) -> dict[str, Any]:
    return {
        "a": dict(blocked.a),
        "b": dict(blocked.b),
        "criterion": blocked.criterion,
        "judge": blocked.judge or None,
        "why": "; ".join(tell(diagnostic) for diagnostic in blocked.why),
        "codes": [diagnostic.code for diagnostic in blocked.why],
        **_plan(blocked, at),
    }


def _plan(comparison: Comparison | Blocked, at: Mapping[Planned, int]) -> dict[str, Any]:
    plan = comparison.planned
    if plan is None:
        return {"planned": False, "plan": None, "question": None, "expected": None}
    question = plan.question or plan.name
    return {"planned": True, "plan": at[plan], "question": question or None, "expected": plan.expected or None}


def _outlying(table: ScoreTable, name: str) -> dict[str, Any] | None:
    """Return the few numbers that widen an inferred scale, and where all others lie; null where there are none."""
    outlying = table.outlying.get(name)
    if outlying is None:
        return None
    numbers = [value for value, _ in outlying.values]
    return {
        "numbers": numbers,
        "count": outlying.count,
        "all": outlying.all,
        "low": outlying.low,
        "high": outlying.high,
        "sentence": outlying.sentence,
    }


def _criterion(table: ScoreTable, name: str) -> dict[str, Any]:
    criterion = table.criteria[name]
    return {
        "scale": criterion.scale,
        "values": list(criterion.values) or None,
        "low": criterion.low,
        "high": criterion.high,
        "direction": criterion.direction,
        "inferred": name in table.inferred,
        "outlying": _outlying(table, name),
        "kind": criterion_kinds.kind(table, name),
    }
