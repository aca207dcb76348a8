"""Whether two scored conditions may be compared fairly, and what their difference is without the records at fault."""

from __future__ import annotations

from dataclasses import dataclass

from readback.checks.comparisons import Pair, faults, weighed
from readback.checks.costs import marked
from readback.checks.groups import groups
from readback.checks.summary import Audit
from readback.checks.verdicts import Verdict, verdict
from readback.records.dataset import Dataset
from readback.scores.comparing.comparison import Comparison
from readback.scores.comparing.difference import difference, judged
from readback.scores.comparing.without_items import without
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Workspace


@dataclass(frozen=True, slots=True)
class Fairness:
    """The verdict on a pair, how many rules report errors on one side only and on both, and the scored records that
    these touch.

    `untouched` is the same comparison on all other records, by itself and so with p as it is; None where no scored
    record is touched: then errors are about what all records share, or about none.
    """

    verdict: Verdict
    one_sided: int
    both_sided: int
    touched: frozenset[str] = frozenset()
    untouched: Comparison | None = None


def fairness(opened: Workspace, data: Dataset, audit: Audit, table: ScoreTable, one: Comparison) -> Fairness | None:
    """The verdict that the overview gives of the two conditions; None where one of them is none of the workspace's."""
    a, b = (name_of(opened, table, key) for key in (one.a, one.b))
    if a is None or b is None:
        return None
    pair = Pair(a, b)
    found = weighed(audit, groups(audit), (pair,))
    single, both = faults(found, pair)
    codes = [each.group.code for each in found if each.group.severity == "error" and pair in each.with_finding]
    judge = (one.criterion, one.judge)
    touched = frozenset(
        item
        for code in codes
        for key in (one.a, one.b)
        for item in marked(opened, data, audit, table, code, key, judge)
    )
    rest = None
    if touched:
        kept = without(table, touched)
        rest = judged(difference(kept, one.a, one.b, one.criterion, one.judge, one.planned))
    return Fairness(verdict(audit, found, pair), single, both, touched, rest)


def name_of(opened: Workspace, table: ScoreTable, key: ConditionKey) -> str | None:
    """The condition of the workspace that a condition of the scores is; None where it is none of them."""
    found = opened.condition(dict(key).get("condition", "")) or opened.condition(table.label(key))
    return found.name if found else None
