"""Findings x scores as the command line tells them: an association, by condition, criterion and judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from readback.checks import costs, engine
from readback.cli._plan_lines import ends, number, plus
from readback.quantity import quantity
from readback.records.dataset import open_dataset
from readback.scores.table import ScoreTable
from readback.types import Workspace


def answer(
    workspace: Workspace, table: ScoreTable, rows: Sequence[Mapping[str, Any]], jobs: int | None = None
) -> dict[str, Any]:
    """{"findings", "prompt_changes", "not_records"} for every criterion and judge of `rows`.

    Without a dataset there are no records to look at, and all three are empty.
    """
    told: dict[str, Any] = {"findings": [], "prompt_changes": [], "not_records": 0}
    if workspace.dataset is None:
        return told
    data = open_dataset(workspace.root, workspace.dataset)
    audit = engine.check(workspace, jobs=jobs)
    for criterion, judge in dict.fromkeys((row["criterion"], row["judge"]) for row in rows):
        made = costs.costs(workspace, data, audit, table, criterion, judge or "")
        about = {"criterion": criterion, "judge": judge}
        told["findings"] += [about | _plain(one) for one in made.within]
        told["prompt_changes"] += [about | _plain(one) for one in made.changes]
        told["not_records"] = max(told["not_records"], made.unknown)
    return told


def text(answer: Mapping[str, Any]) -> Iterator[str]:
    """Lines for people; nothing where the command was not asked."""
    if answer.get("findings"):
        yield "\nfindings and scores, which go together or not; neither is the cause of the other"
    for one in answer.get("findings", ()):
        with_it, without = (_mean(one[name]) for name in ("mean_with", "mean_without"))
        yield (
            f"  {one['code']}, {_label(one['condition'])}, {_about(one)}: mean {with_it} on "
            f"{quantity(one['n_with'], 'record')} with it, {without} on {one['n_without']} without{_sure(one)}"
        )
    if answer.get("prompt_changes"):
        yield "\nthe same records where only the second condition has the finding"
    for one in answer.get("prompt_changes", ()):
        pair = f"{_label(one['b'])} against {_label(one['a'])}"
        yield f"  {one['code']}, {pair}, {_about(one)}: {quantity(one['n'], 'record')}{_sure(one)}"


def _plain(one: costs.Cost | costs.Change) -> dict[str, Any]:
    return {name: dict(value) if name in ("condition", "a", "b") else value for name, value in asdict(one).items()}


def _sure(one: Mapping[str, Any]) -> str:
    if one["difference"] is None:
        return ""
    span = "" if one["interval"] is None else f" (95 % interval {ends(one['interval'])})"
    p = "" if one["p_adjusted"] is None else f", p {one['p_adjusted']:.2g} by Benjamini and Hochberg"
    return f"; difference {plus(one['difference'])}{span}{p}"


def _about(one: Mapping[str, Any]) -> str:
    return str(one["criterion"]) + (f", judge {one['judge']}" if one["judge"] else "")


def _label(condition: Mapping[str, str]) -> str:
    return ", ".join(condition.values())


def _mean(value: float | None) -> str:
    return "–" if value is None else number(value)
