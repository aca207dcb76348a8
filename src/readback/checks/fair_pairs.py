"""Whether two scored conditions may be compared fairly, and what their difference is without the records at fault.

Two values of a factor are compared over the pairs of conditions that differ in that factor alone, so each of these is
asked about, and the gravest answer is that of the two.
"""

from __future__ import annotations

from dataclasses import dataclass

from readback.checks.comparisons import Pair, Verdict, faults, verdicts, weighed
from readback.checks.costs import marked
from readback.checks.groups import groups
from readback.checks.summary import Audit
from readback.records.dataset import Dataset
from readback.scores.comparing.comparison import Comparison
from readback.scores.comparing.difference import compute_difference, decide
from readback.scores.comparing.paired_items import drop_items, list_members
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Workspace

GRAVITY = ("unfair", "unknown", "same", "fair")


@dataclass(frozen=True, slots=True)
class Fairness:
    """The verdict on a pair, how many rules report errors on one side only and on both, and the scored records that
    these touch. Of two values of a factor `pairs` has the verdict on each pair of their conditions, and `verdict` is
    the gravest of them.

    `untouched` is the same comparison on all other records, by itself and so with p as it is; None where no scored
    record is touched: then errors are about what all records share, or about none.
    """

    verdict: Verdict
    one_sided: int
    both_sided: int
    touched: frozenset[str] = frozenset()
    untouched: Comparison | None = None
    pairs: tuple[Verdict, ...] = ()


def fairness(opened: Workspace, data: Dataset, audit: Audit, table: ScoreTable, one: Comparison) -> Fairness | None:
    """The verdict that the overview gives of the two conditions; None where one of them is none of the workspace's."""
    sides = _sides(opened, table, one)
    if not sides:
        return None
    every = tuple(dict.fromkeys(pair for pair, _, _ in sides))
    found = weighed(audit, groups(audit), every)
    judged_pairs = verdicts(audit, found, every)
    worst = min(judged_pairs, key=lambda each: GRAVITY.index(each.kind))
    single, both = faults(found, worst.pair)
    judge = (one.criterion, one.judge)
    touched = frozenset(
        item
        for pair, *keys in sides
        for each in found
        if each.group.severity == "error" and pair in each.with_finding
        for key in keys
        for item in marked(opened, data, audit, table, each.group.code, key, judge)
    )
    rest = None
    if touched:
        kept = drop_items(table, touched)
        rest = decide(compute_difference(kept, one.a, one.b, one.criterion, one.judge, one.planned))
    return Fairness(worst, single, both, touched, rest, judged_pairs)


def _sides(opened: Workspace, table: ScoreTable, one: Comparison) -> list[tuple[Pair, ConditionKey, ConditionKey]]:
    """The pairs of conditions that a comparison is made of. A condition of the scores that the workspace does not have
    goes by its label in those of a factor, where no verdict on it can be given; alone it has none.
    """
    whole = table.columns.conditions
    if one.a in whole and one.b in whole:
        a, b = (name_of(opened, table, key) for key in (one.a, one.b))
        return [] if a is None or b is None else [(Pair(a, b), one.a, one.b)]
    factors = {factor for factor, _ in one.a}

    def rest(code: int) -> ConditionKey:
        return tuple(part for part in whole[code] if part[0] not in factors)

    partners = {rest(code): whole[code] for code in list_members(table, one.b)}
    matched = ((whole[code], partners.get(rest(code))) for code in list_members(table, one.a))
    return [(Pair(_called(opened, table, a), _called(opened, table, b)), a, b) for a, b in matched if b is not None]


def _called(opened: Workspace, table: ScoreTable, key: ConditionKey) -> str:
    """The condition of the workspace by its name, else the only one with the values of the key; else the label."""
    if name := name_of(opened, table, key):
        return name
    parts = {factor.removeprefix("prompt_"): value for factor, value in key}
    said = {name: parts[name] for name in ("mode", "task", "model", "adapter") if name in parts}
    found = [
        one.name
        for one in opened.conditions
        if said and all(getattr(one, name) == value for name, value in said.items())
    ]
    return found[0] if len(found) == 1 else table.label(key)


def name_of(opened: Workspace, table: ScoreTable, key: ConditionKey) -> str | None:
    """The condition of the workspace that a condition of the scores is; None where it is none of them."""
    found = opened.condition(dict(key).get("condition", "")) or opened.condition(table.label(key))
    return found.name if found else None
