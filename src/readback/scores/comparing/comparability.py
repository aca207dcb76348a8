"""Decide whether two conditions may be compared under one criterion; if not, say why, and which part could be.

Source: the rubrics and comparison plans of ignaciolinari/beyond-the-cutoff (MIT), which weigh criteria differently for
runs with and without documents; the rest is what a paired difference needs: one criterion, one scale, one judge with
one prompt, the same records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.scores import scales
from readback.scores.comparing.paired_items import list_members
from readback.scores.comparing.sides import Side, count_cells, count_states, describe_side, list_item_codes
from readback.scores.table import ConditionKey, Planned, ScoreTable
from readback.types import Diagnostic, Location

NOT_COMPARABLE, JUDGE, PROMPT = "scr-not-comparable", "scr-judge-differs", "scr-prompt-differs"
SCALE, ROWS = "scr-scale-differs", "scr-rows-differ"
# Criteria that mean the same whether a run had documents or not, though each kind has a rubric of its own
RAW = ("factuality", "completeness", "communication")
DOCUMENTS = ("grounding", "grounded_fraction")  # about the documents a run was given
CITATIONS = "citation_"
VERDICT = "judge_verdict"  # follows from the total
TOTALS = ("overall", "total", "weighted", "weighted_total", "weighted_overall", "weighted_sum")
SHORT = 12  # characters of a fingerprint
SAMPLE = 64  # items of one side, any of which proves that some are shared


def find_obstacles(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, planned: Planned | None = None
) -> tuple[Diagnostic, ...]:
    """Return notes of the rules that forbid the comparison; empty if it may be made on the items both were scored on.

    `a` and `b` are conditions, or two values of one factor. `planned` may list criteria that the study itself calls
    not comparable. Its values: a, b, criterion, judge, differs (what is not the same), part (what could be
    compared: criteria), pairs (1). Of a pooled table: what forbids it for one of the judges who scored both sides.
    """
    if table.pool is None:
        return tuple(_list_obstacles(table, a, b, criterion, judge, planned))
    whole, names = table.pool.table, table.pool.judges.get((criterion, judge), ())
    shared = [name for name in names if _is_scored_on_both(whole, a, b, criterion, name)]
    by_judge = [find_obstacles(whole, a, b, criterion, name, planned) for name in shared or names[:1] or ("",)]
    # A judge of other items on each side says nothing against the others
    telling = [notes for notes in by_judge if {note.code for note in notes} != {ROWS}]
    return next(filter(None, telling or by_judge), ())


def strip_score_ending(criterion: str) -> str:
    """Return a criterion's name in lower case, without its ending `_score`."""
    return criterion.strip().lower().removesuffix("_score")


def is_total(criterion: str) -> bool:
    """Return whether a criterion is a weighted sum of others, or follows from one."""
    return strip_score_ending(criterion) in (*TOTALS, VERDICT)


def may_cross(criterion: str) -> bool:
    """Return whether a criterion may be compared between runs with and without documents."""
    name = strip_score_ending(criterion)
    return not (is_total(name) or name in DOCUMENTS or name.startswith(CITATIONS))


def _list_obstacles(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, planned: Planned | None
) -> Iterator[Diagnostic]:
    values = {"a": table.label(a), "b": table.label(b), "criterion": criterion, "judge": judge, "part": (), "pairs": 1}
    side_a, side_b = describe_side(table, a, judge), describe_side(table, b, judge)
    crossing = {side_a.book, side_b.book} == {"closed", "open"}
    differs = _explain_not_comparable(table, a, b, criterion, judge, planned)
    if differs:
        yield _build_diagnostic(NOT_COMPARABLE, values, differs, _list_comparable(table, a, b, side_a, side_b))
        return
    if not _is_scored_on_both(table, a, b, criterion, judge):
        judges_a, judges_b = (", ".join(_list_judges(table, key, criterion)) or "–" for key in (a, b))
        part = _list_comparable(table, a, b, side_a, side_b, judge)
        yield _build_diagnostic(JUDGE, values, f"{judges_a} / {judges_b}", part)
        return
    prompts = _describe_prompts(side_a, side_b)
    if _are_disjoint(side_a.judge_models, side_b.judge_models):
        yield _build_diagnostic(JUDGE, values, _join_names(side_a.judge_models, side_b.judge_models))
    elif prompts and not (crossing and strip_score_ending(criterion) in RAW):
        part = tuple(name for name in table.criteria if crossing and strip_score_ending(name) in RAW)
        yield _build_diagnostic(PROMPT, values, prompts, part)
    ranges = describe_scales(table, a, b, criterion, judge)
    if ranges:
        yield _build_diagnostic(SCALE, values, ranges)
    rows = _describe_rows(table, a, b, criterion, judge, side_a, side_b)
    if rows:
        yield _build_diagnostic(ROWS, values, rows)


def _build_diagnostic(
    code: str, pair_values: Mapping[str, Any], differs: str, part: tuple[str, ...] = ()
) -> Diagnostic:
    values = {**pair_values, "differs": differs, "part": list(part)}
    flagged = "|".join(str(pair_values[name]) for name in ("criterion", "judge", "a", "b"))
    return Diagnostic(code, values, Location(judge=pair_values["judge"] or None), flagged)


def _explain_not_comparable(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, planned: Planned | None
) -> str:
    """Return what makes the criterion mean different things on the two sides; empty if nothing does."""
    side_a, side_b = describe_side(table, a, judge), describe_side(table, b, judge)
    if {side_a.book, side_b.book} == {"closed", "open"} and not may_cross(criterion):
        return f"mode: {'+'.join(side_a.modes)} / {'+'.join(side_b.modes)}"
    if planned is not None:
        listed = [name for name in planned.not_comparable if _is_same_criterion(name, criterion)]
        if listed:
            return f"NOT_comparable: {', '.join(listed)}"
    empty = [table.label(key) for key in (a, b) if _is_inapplicable(table, key, criterion, judge)]
    if empty:
        return f"N/A: {', '.join(empty)}"
    if is_total(criterion) and _are_disjoint(side_a.weights, side_b.weights):
        return f"weights: {_format_weights(side_a)} / {_format_weights(side_b)}"
    return ""


def _is_inapplicable(table: ScoreTable, key: ConditionKey, criterion: str, judge: str) -> bool:
    """Return whether the criterion applies to no cell of a side, by this judge or, if it has no cell, by any."""
    cells, _, inapplicable = count_cells(table, key, criterion, judge)
    if not cells:
        counts = [count_cells(table, key, criterion, name) for name in _list_judges(table, key, criterion)]
        cells = sum(count for count, _, _ in counts)
        inapplicable = sum(count for _, _, count in counts)
    return 0 < cells == inapplicable


def _is_same_criterion(listed: str, criterion: str) -> bool:
    """Return whether a listed name means the criterion; any name of a total means any total but the verdict."""
    name = strip_score_ending(criterion)
    return strip_score_ending(listed) == name or (is_total(listed) and is_total(criterion) and name != VERDICT)


def _describe_prompts(a: Side, b: Side) -> str:
    """Return the judge's prompts where they differ: as files state them, else as in the workspace, else by name."""
    if a.judge_prompts and b.judge_prompts:
        prompts_a, prompts_b = a.judge_prompts, b.judge_prompts
    elif a.workspace_prompts and b.workspace_prompts:
        prompts_a, prompts_b = a.workspace_prompts, b.workspace_prompts
    else:
        prompts_a, prompts_b = a.rubrics, b.rubrics
    if _are_disjoint(prompts_a, prompts_b):
        return _join_names(prompts_a, prompts_b)
    return ""


def describe_scales(table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str) -> str:
    """Return the two ranges of values of a criterion that do not come from one scale; empty where they may."""
    conditions = {*list_members(table, a), *list_members(table, b)}
    judge_code = table.columns.judges.index(judge)
    groups = [group for group in scales.groups(table, criterion) if group.judge == judge_code]
    pair = scales.two(group for group in groups if group.condition in conditions)
    if pair:
        return " / ".join(describe_range(table, group) for group in dict.fromkeys(pair))
    return ""


def describe_range(table: ScoreTable, group: scales.Group) -> str:
    """Return a range of values with the condition and file it is from: `0 to 10 (open, b.csv)`."""
    columns = table.columns
    return f"{group.span} ({table.label(columns.conditions[group.condition])}, {columns.files[group.file]})"


def _describe_rows(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, side_a: Side, side_b: Side
) -> str:
    """Return the datasets or the counts of items of two sides that share no record; empty where they share some."""
    import numpy as np

    if _are_disjoint(side_a.datasets, side_b.datasets):
        return f"sha256 {_join_names(side_a.datasets, side_b.datasets)}"
    items_a, items_b = (list_item_codes(table, key, criterion, judge) for key in (a, b))
    if not len(items_a) or not len(items_b):
        return ""
    nearest = items_b[np.minimum(np.searchsorted(items_b, items_a[:SAMPLE]), len(items_b) - 1)]
    shared = bool((nearest == items_a[:SAMPLE]).any())
    if not shared:
        shared = len(np.intersect1d(items_a, items_b, assume_unique=True)) > 0
    if shared:
        return ""
    return f"n {len(items_a)} / {len(items_b)}, 0 shared"


def _is_scored_on_both(table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str) -> bool:
    return all(count_cells(table, key, criterion, judge)[0] for key in (a, b))


def _list_judges(table: ScoreTable, key: ConditionKey, criterion: str) -> tuple[str, ...]:
    """Return who has cells for a side under a criterion."""
    columns = table.columns
    members, code = set(list_members(table, key)), columns.criteria.index(criterion)
    judges = [judge for name, judge, condition in count_states(table) if name == code and condition in members]
    return tuple(columns.judges[judge] for judge in dict.fromkeys(judges))


def _list_comparable(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, side_a: Side, side_b: Side, except_judge: str | None = None
) -> tuple[str, ...]:
    """Return the criteria that could be compared: scored on both sides by one judge, and of one meaning."""
    crossing = {side_a.book, side_b.book} == {"closed", "open"}
    judges = [judge for judge in table.columns.judges if judge != except_judge]
    criteria: list[str] = []
    for name in table.columns.criteria:
        if crossing and not may_cross(name):
            continue
        if any(all(count_cells(table, key, name, judge)[1] for key in (a, b)) for judge in judges):
            criteria.append(name)
    return tuple(criteria)


def _are_disjoint(a: frozenset[Any], b: frozenset[Any]) -> bool:
    return bool(a and b and not a & b)


def _join_names(a: frozenset[str], b: frozenset[str]) -> str:
    return " / ".join(", ".join(_shorten(name) for name in sorted(names)) for names in (a, b))


def _shorten(name: str) -> str:
    """Return a fingerprint shortened, any other name as it is."""
    if len(name) == 64 and name.isalnum():
        return name[:SHORT]
    return name


def _format_weights(side: Side) -> str:
    return " or ".join(", ".join(f"{name} {weight:g}" for name, weight in listed) for listed in sorted(side.weights))
