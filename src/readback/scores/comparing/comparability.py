"""May two conditions be compared under one criterion? If not, why, and which part could be.

Source: the rubrics and comparison plans of ignaciolinari/beyond-the-cutoff (MIT), which weigh criteria differently for
runs with and without documents; the rest is what a paired difference needs: one criterion, one scale, one judge with
one prompt, the same records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.scores import scales
from readback.scores.comparing.paired_items import members
from readback.scores.comparing.sides import Side, counts, item_codes, side, states
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


def against(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, planned: Planned | None = None
) -> tuple[Diagnostic, ...]:
    """Notes of the rules that forbid the comparison; empty where it may be made on the items both were scored on.

    `a` and `b` are conditions, or two values of one factor. `planned` may list criteria that the study itself calls
    not comparable. Its values: a, b, criterion, judge, differs (what is not the same), part (what could be
    compared: criteria), pairs (1). Of a pooled table: what forbids it for one of the judges who scored both sides.
    """
    if table.pool is None:
        return tuple(_diagnostics(table, a, b, criterion, judge, planned))
    whole, names = table.pool.table, table.pool.judges.get((criterion, judge), ())
    both = [name for name in names if _both(whole, a, b, criterion, name)]
    made = [against(whole, a, b, criterion, name, planned) for name in both or names[:1] or ("",)]
    elsewhere = [why for why in made if {one.code for one in why} == {ROWS}]  # a judge of other items on each side
    kept = made if len(elsewhere) == len(made) else [why for why in made if why not in elsewhere]
    return next(filter(None, kept), ())


def bare(criterion: str) -> str:
    """A criterion's name without its ending `_score`."""
    return criterion.strip().lower().removesuffix("_score")


def is_total(criterion: str) -> bool:
    """Whether a criterion is a weighted sum of others, or follows from one."""
    return bare(criterion) in (*TOTALS, VERDICT)


def may_cross(criterion: str) -> bool:
    """Whether a criterion may be compared between runs with and without documents."""
    name = bare(criterion)
    return not (is_total(name) or name in DOCUMENTS or name.startswith(CITATIONS))


def _diagnostics(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, planned: Planned | None
) -> Iterator[Diagnostic]:
    said = {"a": table.label(a), "b": table.label(b), "criterion": criterion, "judge": judge, "part": (), "pairs": 1}
    of_a, of_b = side(table, a, judge), side(table, b, judge)
    crossing = {of_a.book, of_b.book} == {"closed", "open"}
    if differs := _not_comparable(table, a, b, criterion, judge, planned):
        yield _diagnostic(NOT_COMPARABLE, said, differs, _part(table, a, b, of_a, of_b))
        return
    if not _both(table, a, b, criterion, judge):
        by_a, by_b = (", ".join(_judges(table, key, criterion)) or "–" for key in (a, b))
        yield _diagnostic(JUDGE, said, f"{by_a} / {by_b}", _part(table, a, b, of_a, of_b, judge))
        return
    if _apart(of_a.judge_models, of_b.judge_models):
        yield _diagnostic(JUDGE, said, _or(of_a.judge_models, of_b.judge_models))
    elif (found := _prompts(of_a, of_b)) and not (crossing and bare(criterion) in RAW):
        yield _diagnostic(PROMPT, said, found, tuple(name for name in table.criteria if crossing and bare(name) in RAW))
    if found := scale(table, a, b, criterion, judge):
        yield _diagnostic(SCALE, said, found)
    if found := _rows(table, a, b, criterion, judge, of_a, of_b):
        yield _diagnostic(ROWS, said, found)


def _diagnostic(code: str, said: Mapping[str, Any], differs: str, part: tuple[str, ...] = ()) -> Diagnostic:
    values = {**said, "differs": differs, "part": list(part)}
    flagged = "|".join(str(said[name]) for name in ("criterion", "judge", "a", "b"))
    return Diagnostic(code, values, Location(judge=said["judge"] or None), flagged)


def _not_comparable(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, planned: Planned | None
) -> str:
    """What makes the criterion mean different things on the two sides."""
    of_a, of_b = side(table, a, judge), side(table, b, judge)
    if {of_a.book, of_b.book} == {"closed", "open"} and not may_cross(criterion):
        return f"mode: {'+'.join(of_a.modes)} / {'+'.join(of_b.modes)}"
    if planned is not None and (listed := [one for one in planned.not_comparable if _same(one, criterion)]):
        return f"NOT_comparable: {', '.join(listed)}"
    empty = [table.label(key) for key in (a, b) if _inapplicable(table, key, criterion, judge)]
    if empty:
        return f"N/A: {', '.join(empty)}"
    if is_total(criterion) and _apart(of_a.weights, of_b.weights):
        return f"weights: {_weights(of_a)} / {_weights(of_b)}"
    return ""


def _inapplicable(table: ScoreTable, key: ConditionKey, criterion: str, judge: str) -> bool:
    """Whether the criterion applies to none of a side's cells, by this judge or, if it has none, by any."""
    every, _, inapplicable = counts(table, key, criterion, judge)
    if not every:
        found = [counts(table, key, criterion, name) for name in _judges(table, key, criterion)]
        every, inapplicable = sum(one[0] for one in found), sum(one[2] for one in found)
    return 0 < every == inapplicable


def _same(listed: str, criterion: str) -> bool:
    return bare(listed) == bare(criterion) or (is_total(listed) and is_total(criterion) and bare(criterion) != VERDICT)


def _prompts(a: Side, b: Side) -> str:
    """The judge's prompts where they differ: as files state them, else as the workspace has them, else by name."""
    if a.judge_prompts and b.judge_prompts:
        return _or(a.judge_prompts, b.judge_prompts) if _apart(a.judge_prompts, b.judge_prompts) else ""
    if a.workspace_prompts and b.workspace_prompts:
        return _or(a.workspace_prompts, b.workspace_prompts) if _apart(a.workspace_prompts, b.workspace_prompts) else ""
    return _or(a.rubrics, b.rubrics) if _apart(a.rubrics, b.rubrics) else ""


def scale(table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str) -> str:
    """The two ranges of values of a criterion that do not come from one scale; empty where they may."""
    wanted = {*members(table, a), *members(table, b)}
    code = table.columns.judges.index(judge)
    found = scales.two(one for one in scales.groups(table, criterion) if one.condition in wanted and one.judge == code)
    return " / ".join(where(table, one) for one in dict.fromkeys(found)) if found else ""


def where(table: ScoreTable, group: scales.Group) -> str:
    """A range of values with the condition and file it is from: `0 to 10 (open, b.csv)`."""
    c = table.columns
    return f"{group.span} ({table.label(c.conditions[group.condition])}, {c.files[group.file]})"


def _rows(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, of_a: Side, of_b: Side
) -> str:
    import numpy as np

    if _apart(of_a.datasets, of_b.datasets):
        return f"sha256 {_or(of_a.datasets, of_b.datasets)}"
    one, other = (item_codes(table, key, criterion, judge) for key in (a, b))
    if not len(one) or not len(other):
        return ""
    near = other[np.minimum(np.searchsorted(other, one[:SAMPLE]), len(other) - 1)]
    shared = bool((near == one[:SAMPLE]).any()) or len(np.intersect1d(one, other, assume_unique=True)) > 0
    return "" if shared else f"n {len(one)} / {len(other)}, 0 shared"


def _both(table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str) -> bool:
    return all(counts(table, key, criterion, judge)[0] for key in (a, b))


def _judges(table: ScoreTable, key: ConditionKey, criterion: str) -> tuple[str, ...]:
    """Who has cells for a side under a criterion."""
    c = table.columns
    wanted, code = set(members(table, key)), c.criteria.index(criterion)
    found = dict.fromkeys(by for (one, by, condition) in states(table) if one == code and condition in wanted)
    return tuple(c.judges[by] for by in found)


def _part(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, of_a: Side, of_b: Side, but: str | None = None
) -> tuple[str, ...]:
    """The criteria that could be compared between the two sides: scored on both by one judge, and of one meaning."""
    crossing = {of_a.book, of_b.book} == {"closed", "open"}
    return tuple(
        name
        for name in table.columns.criteria
        if (may_cross(name) or not crossing)
        and any(
            all(counts(table, key, name, judge)[1] for key in (a, b)) for judge in table.columns.judges if judge != but
        )
    )


def _apart(a: frozenset[Any], b: frozenset[Any]) -> bool:
    return bool(a and b and not a & b)


def _or(a: frozenset[str], b: frozenset[str]) -> str:
    return " / ".join(", ".join(_short(one) for one in sorted(names)) for names in (a, b))


def _short(name: str) -> str:
    """A fingerprint shortened, any other name as it is."""
    return name[:SHORT] if len(name) == 64 and name.isalnum() else name


def _weights(one: Side) -> str:
    return " or ".join(", ".join(f"{name} {weight:g}" for name, weight in listed) for listed in sorted(one.weights))
