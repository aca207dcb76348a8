"""What `readback scores --format json` answers: a stable shape for scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from readback.scores import answer_sections, criterion_kinds, expenses, pooled, summary
from readback.scores.agreement.measures import measure_pool
from readback.scores.comparing import compare, omnibus
from readback.scores.comparing.comparison import Blocked, Compared, Comparison, Omnibus
from readback.scores.comparing.winner import find_winner
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
    made = Compared()
    tests: tuple[Omnibus, ...] = ()
    if not _rowless(table, names, criterion, judge):
        rows = as_rows(table, by, criterion, judge)
        made = compare.compare(table, planned, by=by, baseline=baseline, criterion=criterion, judge=judge)
        tests = omnibus.run_omnibus_tests(table, by, criterion, judge)
    at = {one: number for number, one in enumerate(planned, 1)}
    return {
        "rows": rows,
        **_tested(made, tests, at, tell),
        "planned_without_scores": [
            {"a": one.a, "b": one.b, "without": name, "question": one.question or None, "plan": at[one]}
            for one, name in compare.list_absent(table, planned)
        ],
        "questions": [
            {
                "criterion": one.criterion,
                "numbers": [value for value, _ in one.values],
                "count": one.count,
                "reason": one.reason,
                "key": one.key,
            }
            for one in table.questions
        ],
        "criteria": {name: _criterion(table, name) for name in table.criteria},
        "criteria_order": list(order),
        "references": [{"condition": dict(key), **asdict(one)} for key, one in table.apart.items()],
        "aggregates": answer_sections.reported(table, names, judge),
        "stated_beside_rows": answer_sections.beside_rows(table),
        "pooled": as_pooled(table, planned, tell=tell, by=by, baseline=baseline, criterion=criterion, judge=judge),
        "duels": [
            pairwise.describe_comparison(one)
            for one in pairwise.compare_contestants(table)
            if judge in (None, one.judge)
        ],
        "ranking": answer_sections.ranking(table, judge),
        "costs": expenses.as_json(table, judge),
        "sources": [asdict(one) for one in table.sources],
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
    made = pooled.pooled(table) if judge is None else None
    names = () if made is None else tuple(n for n in made.columns.criteria if _asked_for(n, criterion))
    if made is None or not names:
        return None
    compared = compare.compare(made, planned, by=by, baseline=baseline, criterion=criterion)
    tests = omnibus.run_omnibus_tests(made, by, criterion)
    at = {one: number for number, one in enumerate(planned, 1)}
    found = {"rows": [_pooled_row(made, row) for row in summary.rows(made, by, criterion)],
             **_tested(compared, tests, at, tell)}  # fmt: skip
    for one in (*found["comparisons"], *found["blocked"], *found["omnibus"]):
        one["pool"], one["judge"] = _pool(one["judge"]), None
    agreed = [_agreement(table, made, name, pool) for name, pool in _pools(made) if name in names]
    return {**found, "agreement": agreed}


def _pools(made: ScoreTable) -> tuple[tuple[str, str], ...]:
    return tuple(made.pool.judges) if made.pool is not None else ()


def _pool(name: str | None) -> str | None:
    return name.removeprefix("*") if name else None


def _pooled_row(made: ScoreTable, row: Row) -> dict[str, Any]:
    raters = pooled.raters(made, row.criterion, row.judge, row.condition)
    given = {"judges": raters.judges, "judges_fewest": raters.fewest, "judges_most": raters.most}
    return {**_row(row), "judge": None, "pool": _pool(row.judge), **given}


def _agreement(table: ScoreTable, made: ScoreTable, name: str, pool: str) -> dict[str, Any]:
    """The agreement of those who are pooled, in short; `readback agreement` has all of it, over every judge."""
    found = measure_pool(table, name, pooled.members(made, name, pool))
    return {
        "criterion": name,
        "pool": _pool(pool),
        "judges": list(pooled.members(made, name, pool)),
        "metric": found.metric,
        "alpha": found.alpha,
        "interval": found.interval,
        "units": found.units,
        "seed": found.seed,
    }


def _asked_for(name: str, criterion: str | None) -> bool:
    return criterion in (None, name, name.removesuffix("_score"))


def _tested(made: Compared, tests: tuple[Omnibus, ...], at: Mapping[Planned, int], tell: Tell) -> dict[str, Any]:
    """The comparisons that were made, those that were not, and the tests of several conditions together."""
    return {
        "comparisons": [_comparison(one, at) for one in made.comparisons],
        **({"comparisons_skipped": made.skipped} if made.skipped else {}),
        "blocked": [_blocked(one, at, tell) for one in made.blocked],
        "omnibus": [
            {
                "criterion": one.criterion,
                "judge": one.judge or None,
                "conditions": one.conditions,
                "items": one.items,
                "left_out": one.left_out,
                "clusters": one.clusters,
                "test": one.test,
                "p": one.p,
            }
            for one in tests
        ],
    }


def _rowless(table: ScoreTable, reported: tuple[str, ...], criterion: str | None, judge: str | None) -> bool:
    """Whether what is asked for has no rows, but means without rows or outcomes side by side."""
    c = table.columns
    other = {one.judge for one in table.outcomes} | {one.judge for one in table.reported}
    rows_of_it = any(criterion in (name, name.removesuffix("_score")) for name in c.criteria)
    return (criterion is not None and not rows_of_it and bool(reported)) or (judge in other and judge not in c.judges)


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


def _comparison(one: Comparison, at: Mapping[Planned, int]) -> dict[str, Any]:
    return {
        "a": dict(one.a),
        "b": dict(one.b),
        "criterion": one.criterion,
        "judge": one.judge or None,
        "n_shared": one.n_shared,
        "only_a": one.only_a,
        "only_b": one.only_b,
        "failed": one.failed,
        "bounds": one.bounds,
        "bounds_interval": one.bounds_interval,
        "mean_a": one.mean_a,
        "mean_b": one.mean_b,
        "difference": one.difference,
        "interval": one.interval,
        "method": one.method,
        "interval_clustered": one.interval_clustered,
        "method_clustered": one.method_clustered,
        "interval_used": one.span,
        "at_odds": one.at_odds,
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
        "small": one.small,
        "scale_length": one.length,
        "alpha": one.alpha,
        "cliffs_delta": one.delta,
        "smallest_detectable": one.detectable,
        "margin": one.margin,
        "p_equivalent": one.p_equivalent,
        "winner_by_rule": find_winner(one),
        "verdict": one.verdict,
        **_plan(one, at),
        "seed": one.seed,
    }


def _blocked(one: Blocked, at: Mapping[Planned, int], tell: Tell) -> dict[str, Any]:
    return {
        "a": dict(one.a),
        "b": dict(one.b),
        "criterion": one.criterion,
        "judge": one.judge or None,
        "why": "; ".join(tell(diagnostic) for diagnostic in one.why),
        "codes": [diagnostic.code for diagnostic in one.why],
        **_plan(one, at),
    }


def _plan(one: Comparison | Blocked, at: Mapping[Planned, int]) -> dict[str, Any]:
    plan = one.planned
    if plan is None:
        return {"planned": False, "plan": None, "question": None, "expected": None}
    question = plan.question or plan.name
    return {"planned": True, "plan": at[plan], "question": question or None, "expected": plan.expected or None}


def _outlying(table: ScoreTable, name: str) -> dict[str, Any] | None:
    """The few numbers that widen an inferred scale, and where all others lie; null where there are none."""
    found = table.outlying.get(name)
    if found is None:
        return None
    numbers = [value for value, _ in found.values]
    return {
        "numbers": numbers,
        "count": found.count,
        "all": found.all,
        "low": found.low,
        "high": found.high,
        "sentence": found.sentence,
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
        "outlying": _outlying(table, name),
        "kind": criterion_kinds.kind(table, name),
    }
