"""Findings x scores as the command line shows them: an association, by condition, criterion and judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from readback.checks import costs, fair_pairs
from readback.checks.run import engine
from readback.cli import _verdict_lines
from readback.cli._plan_lines import about, interval, number, plus
from readback.cli._sentence import fill
from readback.records.dataset import open_dataset
from readback.scores import report
from readback.scores.comparing.comparison import Comparison
from readback.scores.table import ScoreTable
from readback.types import Workspace


def answer(
    workspace: Workspace, table: ScoreTable, rows: Sequence[Mapping[str, Any]], jobs: int | None = None,
    planned: Sequence[tuple[ScoreTable, Comparison]] = (), progress: Callable[[int, int], bool | None] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """{"findings", "prompt_changes", "not_records", "fair"} for every criterion and judge of `rows`.

    Without a dataset there are no records to look at, and all three are empty.
    """
    told: dict[str, Any] = {"findings": [], "prompt_changes": [], "not_records": 0, "fair": []}
    if workspace.dataset is None:
        return told
    data = open_dataset(workspace.root, workspace.dataset)
    audit = engine.check(workspace, jobs=jobs, progress=progress)
    for criterion, judge in dict.fromkeys((row["criterion"], row["judge"]) for row in rows):
        made = costs.costs(workspace, data, audit, table, criterion, judge or "")
        scored = {"criterion": criterion, "judge": judge}
        told["findings"] += [scored | _plain(one) for one in made.within]
        told["prompt_changes"] += [scored | _plain(one) for one in made.changes]
        told["not_records"] = max(told["not_records"], made.unknown)
    for of_pair, one in planned:
        if found := fair_pairs.fairness(workspace, data, audit, of_pair, one):
            told["fair"].append(_fair(of_pair, one, found))
    return told


def _fair(table: ScoreTable, one: Comparison, found: fair_pairs.Fairness) -> dict[str, Any]:
    """The verdict on a planned pair, and its difference with and without the records that errors touch."""
    pool = one.judge.removeprefix("*") if table.pool is not None else None
    rest, name = found.untouched, partial(report.short, table)
    kind = found.verdict.kind
    said = _verdict_lines.said(found.verdict)
    if found.verdict.faults:
        said = f"{said}. {report.untouched(one, found.touched, rest, name, same=kind == 'same')}"
    pair = fill("{b} against {a}", b=name(one.b), a=name(one.a))
    return {
        "a": dict(one.a), "b": dict(one.b), "criterion": one.criterion, "judge": None if pool else one.judge or None,
        "pool": pool, "fair": kind in ("fair", "same"), "verdict": kind,
        "one_sided": found.one_sided, "both_sided": found.both_sided,
        "touched": len(found.touched), "n_shared": one.n_shared, "difference": one.difference,
        "n_untouched": rest.n_shared if rest else None, "difference_untouched": rest.difference if rest else None,
        "interval_untouched": rest.span if rest else None,
        "said": f"{pair}, {one.criterion}: {said}",
    }  # fmt: skip


def text(answer: Mapping[str, Any]) -> Iterator[str]:
    """Lines for people; nothing where the command was not asked."""
    if answer.get("fair"):
        yield "\nare the planned comparisons fair?"
    yield from (f"  {one['said']}" for one in answer.get("fair", ()))
    if answer.get("findings"):
        yield ("\nscores with and without a finding; that they differ does not mean that the finding is the cause")
    for one in answer.get("findings", ()):
        means = {"with_it": _mean(one["mean_with"]), "without": _mean(one["mean_without"])}
        counts = {"n": one["n_with"], "others": one["n_without"]}
        of = {"code": one["code"], "condition": _label(one["condition"]), "about": about(one)}
        yield (
            fill(
                (
                    "  {code}, {condition}, {about}: mean {with_it} on {n:,} {n:record|records} with it, "
                    "{without} on {others:,} without"
                ),
                **of,
                **means,
                **counts,
            )
            + f"{_sure(one)}"
        )
    if answer.get("prompt_changes"):
        yield "\nthe same records, where only the second condition has the finding"
    for one in answer.get("prompt_changes", ()):
        pair = fill("{b} against {a}", b=_label(one["b"]), a=_label(one["a"]))
        said = fill(
            "{code}, {pair}, {about}: {n:,} {n:record|records}",
            code=one["code"],
            pair=pair,
            about=about(one),
            n=one["n"],
        )
        yield f"  {said}{_sure(one)}"


def _plain(one: costs.Cost | costs.Change) -> dict[str, Any]:
    return {name: dict(value) if name in ("condition", "a", "b") else value for name, value in asdict(one).items()}


def _sure(one: Mapping[str, Any]) -> str:
    if one["difference"] is None:
        return ""
    said = fill("difference {difference}", difference=plus(one["difference"]))
    if one["interval"] is not None:
        said = fill("{said} ({more})", said=said, more=interval(one["interval"]))
    if one["p_adjusted"] is None:
        return f"; {said}"
    p = f"{one['p_adjusted']:.2g}"
    return f"; {said}" + fill(", p {p} by Benjamini and Hochberg", p=p)


def _label(condition: Mapping[str, str]) -> str:
    return ", ".join(condition.values())


def _mean(value: float | None) -> str:
    return "–" if value is None else number(value)
