"""Scores and their comparisons as lines for people."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from readback.commands import _finding_costs

LOST = ("failed", "missing", "not_applicable")
Answer = Mapping[str, Any]


def text(answer: Answer, factors: Collection[str]) -> Iterator[str]:
    """Blocks by criterion and judge, then the comparisons, then those that are not made and why."""
    if answer["synthetic"]:
        yield "these scores are synthetic: made by a generator, not by a judge"
    if not answer["rows"] and not answer["duels"]:
        yield "no scores"
    heading = None
    for row in answer["rows"]:
        if (row["criterion"], row["judge"]) != heading:
            heading = (row["criterion"], row["judge"])
            yield f"\n{_heading(*heading)}"
        yield f"  {_row(row, factors)}"
    for title, planned in (("planned comparisons", True), ("exploratory comparisons", False)):
        made = [one for one in answer["comparisons"] if one["planned"] is planned]
        if made:
            yield f"\n{title}"
        for one in made:
            yield from _comparison(one, factors)
    for one in answer["omnibus"]:
        if one is answer["omnibus"][0]:
            yield "\ndoes any condition differ?"
        about = f"{one['conditions']} conditions on {one['items']} items scored under all"
        yield f"  {_heading(one['criterion'], one['judge'])}: {about}, {one['test']} p {one['p']:.2g}"
    if said := answer.get("comparisons_skipped"):
        yield f"\nnot compared: {said}"
    if answer["blocked"]:
        yield "\nmay not be compared"
    for one in answer["blocked"]:
        yield f"  {_pair(one, factors)}, {_heading(one['criterion'], one['judge'])}: {one['why']}"
    if answer["duels"]:
        yield "\nside by side"
    for one in answer["duels"]:
        yield f"  {_duel(one, factors)}"
    yield from _finding_costs.text(answer)
    for one in answer["planned_without_scores"]:
        yield f"  planned, but there are no scores of {one['without']}: {one['a']} against {one['b']}"


def _row(row: Answer, factors: Collection[str]) -> str:
    lost = [f"{row[name]} {name.replace('_', ' ')}" for name in LOST if row[name]]
    mean = "–" if row["mean"] is None else f"{row['mean']:.4f}"
    said = f"{_label(row['condition'], factors)}: mean {mean}, n {row['n']}" + (f" ({', '.join(lost)})" if lost else "")
    if row["interval"]:
        said += f", 95 % interval {_span(row['interval'])} ({row['method']})"
    if row["interval_clustered"]:
        effect = "" if row["design_effect"] is None else f", design effect {row['design_effect']:.2f}"
        said += f"; with {row['clusters']} clusters {_span(row['interval_clustered'])}{effect}"
    return said


def _duel(one: Answer, factors: Collection[str]) -> str:
    """Who won, the share of decisive outcomes, and whether it mattered which answer stood first."""
    a, b = (_label(one[side], factors) for side in ("a", "b"))
    by = f", judge {one['judge']}" if one["judge"] else f", {one['judges']} judges" if one["judges"] > 1 else ""
    said = f"{a} {one['wins_a']}, {b} {one['wins_b']}, ties {one['ties']} of {one['n']}{by}"
    if one["share"] is not None:
        low, high = (100 * end for end in one["interval"])
        said += f"; {a} won {100 * one['share']:.1f} % of {one['decisive']} decisive"
        said += f" (95 % interval {low:.1f} to {high:.1f}, wilson), sign test p {one['p']:.3g}"
    if one["first_known"]:
        said += f"; the answer shown first won {one['first_wins']} of {one['first_known']}"
    if one["swapped"]:
        said += f"; of {one['swapped']} shown in both orders {one['turned']} turned with the place"
    return said


def _comparison(one: Answer, factors: Collection[str]) -> Iterator[str]:
    if one["question"]:
        yield f"  {one['question']}"
    said = f"  {_pair(one, factors)}, {_heading(one['criterion'], one['judge'])}: "
    if one["difference"] is None:
        yield f"{said}no item is scored on both sides"
        return
    said += f"{one['difference']:+.4f} on {one['n_shared']} shared items"
    if span := one["interval_clustered"] or one["interval"]:
        grouped = f", {one['clusters']} clusters" if one["interval_clustered"] else ""
        said += f" (95 % interval {_span(span)}{grouped})"
    said += f"; {one['wins']} higher, {one['losses']} lower, {one['ties']} same; {_verdict(one, factors)}"
    if one["p"] is not None:
        holm = f", Holm over {one['family']}: {one['p_adjusted']:.2g}" if one["family"] > 1 else ""
        said += f" (p {one['p']:.2g}{holm}; {one['p_method']})"
    if one["verdict"] == "not separated" and one["smallest_detectable"]:
        said += f"; the smallest difference this sample could show is about {one['smallest_detectable']:.2g}"
    if one["p_equivalent"] is not None:
        said += f"; within ±{one['margin']:g}: p {one['p_equivalent']:.2g}"
    if one["only_a"] or one["only_b"]:
        said += f"; left out: {one['only_a']} scored only in the first, {one['only_b']} only in the second"
    yield said
    if one["expected"]:
        yield f"    expected: {one['expected']}"


def _verdict(one: Answer, factors: Collection[str]) -> str:
    """The verdict with the condition's name in place of its letter."""
    verdict = str(one["verdict"])
    side, _, rest = verdict.partition(" ")
    return f"{_label(one[side], factors)} {rest}" if side in ("a", "b") else verdict


def _pair(one: Answer, factors: Collection[str]) -> str:
    return f"{_label(one['b'], factors)} against {_label(one['a'], factors)}"


def _heading(criterion: str, judge: str | None) -> str:
    return criterion + (f", judge {judge}" if judge else "")


def _label(condition: Mapping[str, str], factors: Collection[str]) -> str:
    named = [(factor, value) for factor, value in condition.items() if factor in factors]
    if [factor for factor, _ in named] == ["condition"]:
        return named[0][1]
    return (
        ", ".join(f"{factor} {value or 'not stated'}" for factor, value in named)
        or " ".join(condition.values())
        or "all"
    )


def _span(span: Any) -> str:
    return f"{span[0]:.4f} to {span[1]:.4f}"
