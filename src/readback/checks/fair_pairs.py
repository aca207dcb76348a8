"""Whether two scored conditions may be compared fairly, and what their difference is without the records at fault.

Two values of a factor are compared over the pairs of conditions that differ in that factor alone, so each of these is
asked about, and the gravest answer is that of the two.
"""

from __future__ import annotations

from dataclasses import dataclass

from readback.checks.comparisons import Pair, Verdict, Weighed, faults, verdicts, weighed
from readback.checks.costs import marked
from readback.checks.groups import groups
from readback.checks.summary import Audit
from readback.records.dataset import Dataset
from readback.scores.comparing.comparison import Comparison
from readback.scores.comparing.difference import compute_difference, decide
from readback.scores.comparing.paired_items import drop_items, list_members
from readback.scores.table import ConditionKey, ScoreTable
from readback.scores.workspace_condition import find_workspace_name
from readback.types import Workspace

GRAVITY = ("unfair", "unknown", "same", "fair")


@dataclass(frozen=True, slots=True)
class Fairness:
    """The verdict on a pair, how many rules report errors on one side only and on both, and the scored records that
    these touch. Of two values of a factor `pairs` has the verdict on each pair of their conditions, and `verdict` is
    the gravest of them. `weighed_groups` are what was found, weighed for these pairs.

    `untouched` is the same comparison on all other records, by itself and so with p as it is; None where no scored
    record is touched: then errors are about what all records share, or about none.
    """

    verdict: Verdict
    one_sided: int
    both_sided: int
    touched: frozenset[str] = frozenset()
    untouched: Comparison | None = None
    pairs: tuple[Verdict, ...] = ()
    weighed_groups: tuple[Weighed, ...] = ()


def fairness(
    opened: Workspace, data: Dataset, audit: Audit, table: ScoreTable, comparison: Comparison
) -> Fairness | None:
    """Return the overview's verdict on the two conditions; None where one of them is not in the workspace."""
    sides = _sides(opened, table, comparison)
    if not sides:
        return None
    all_pairs = tuple(dict.fromkeys(pair for pair, _, _ in sides))
    weighed_groups = weighed(audit, groups(audit), all_pairs)
    judged_pairs = verdicts(audit, weighed_groups, all_pairs)
    worst = min(judged_pairs, key=lambda candidate: GRAVITY.index(candidate.kind))
    single, both = faults(weighed_groups, worst.pair)
    judge = (comparison.criterion, comparison.judge)
    touched = frozenset(
        item
        for pair, *keys in sides
        for candidate in weighed_groups
        if candidate.group.severity == "error" and pair in candidate.with_finding
        for key in keys
        for item in marked(opened, data, audit, table, candidate.group.code, key, judge)
    )
    rest = compare_without(table, comparison, touched)
    return Fairness(worst, single, both, touched, rest, judged_pairs, tuple(weighed_groups))


def compare_without(table: ScoreTable, comparison: Comparison, items: frozenset[str]) -> Comparison | None:
    """Return the same comparison on all other items, by itself and so with p as it is; None where there are none to
    leave out.
    """
    if not items:
        return None
    remaining = drop_items(table, items)
    return decide(
        compute_difference(
            remaining, comparison.a, comparison.b, comparison.criterion, comparison.judge, comparison.planned
        )
    )


def find_touched(
    opened: Workspace, data: Dataset, audit: Audit, table: ScoreTable, comparison: Comparison, code: str
) -> frozenset[str]:
    """Return the scored items of a comparison that have a finding of a rule under one of its two sides."""
    judge = (comparison.criterion, comparison.judge)
    return frozenset(
        item
        for _, *keys in _sides(opened, table, comparison)
        for key in keys
        for item in marked(opened, data, audit, table, code, key, judge)
    )


def _sides(
    opened: Workspace, table: ScoreTable, comparison: Comparison
) -> list[tuple[Pair, ConditionKey, ConditionKey]]:
    """List the pairs of conditions that a comparison is made of. A condition of the scores that the workspace does not
    have goes by its label in those of a factor, where no verdict on it can be given; alone it has none.
    """
    whole = table.columns.conditions
    if comparison.a in whole and comparison.b in whole:
        a, b = (find_workspace_name(opened, table, key) for key in (comparison.a, comparison.b))
        if a is None or b is None:
            return []
        return [(Pair(a, b), comparison.a, comparison.b)]
    factors = {factor for factor, _ in comparison.a}

    def rest(code: int) -> ConditionKey:
        return tuple(part for part in whole[code] if part[0] not in factors)

    partners = {rest(code): whole[code] for code in list_members(table, comparison.b)}
    matched = ((whole[code], partners.get(rest(code))) for code in list_members(table, comparison.a))
    return [
        (Pair(_find_name(opened, table, a), _find_name(opened, table, b)), a, b) for a, b in matched if b is not None
    ]


def _find_name(opened: Workspace, table: ScoreTable, key: ConditionKey) -> str:
    """Return the name of the workspace's condition, else of the only one with the values of the key; else the label."""
    if name := find_workspace_name(opened, table, key):
        return name
    parts = {factor.removeprefix("prompt_"): value for factor, value in key}
    values = {name: parts[name] for name in ("mode", "task", "model", "adapter") if name in parts}
    names = [
        condition.name
        for condition in opened.conditions
        if values and all(getattr(condition, name) == value for name, value in values.items())
    ]
    if len(names) == 1:
        return names[0]
    return table.label(key)
