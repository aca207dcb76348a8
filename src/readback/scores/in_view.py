"""What of the scores is in view: whose scores of a criterion, the rows of its conditions, the planned comparisons.

Pages, the agenda and the report ask here, so that they begin with the same judge and the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from readback.scores import criterion_kinds, pooled, summary
from readback.scores.comparing import compare
from readback.scores.comparing.comparison import Blocked, Comparison
from readback.scores.summary_row import Row
from readback.scores.table import Planned, ScoreTable
from readback.types import Criterion, Workspace
from readback.words import t

Line = Comparison | Blocked


def first(table: ScoreTable, workspace: Workspace) -> tuple[str, str] | None:
    """The criterion and the judge (or the pool of them) that are shown first; None where nothing has rows."""
    criterion = next(iter(criterion_kinds.order_of(table, workspace)), None)
    judge = next(iter(judges(table, criterion)), None) if criterion is not None else None
    return (criterion, judge) if criterion is not None and judge is not None else None


def judges(table: ScoreTable, criterion: str) -> tuple[str, ...]:
    """Whose scores of this criterion can be shown: several together first, then each alone."""
    alone = dict.fromkeys(row.judge for row in summary.rows(table, criterion=criterion))
    return (*pooled.pools(table, criterion), *alone)


def judge_name(table: ScoreTable, criterion: str, judge: str) -> str:
    """What a judge, or a pool of them, is called."""
    if judge in (pooled.PEOPLE, pooled.JUDGES):
        return t(f"scores.pool_{judge.removeprefix('*')}", n=len(pooled.members(table, criterion, judge)))
    return judge or t("scores.no_judge")


def shown(table: ScoreTable, judge: str) -> ScoreTable:
    """The table that has what `judge` gave: of a pool the means over its judges."""
    made = pooled.pooled(table) if judge in (pooled.PEOPLE, pooled.JUDGES) else None
    return table if made is None else made


def ranked(table: ScoreTable, by: str | None, criterion: str, judge: str) -> tuple[Row, ...]:
    """The rows but for a reference answer, which is set apart."""
    return tuple(row for row in summary.rows(table, by, criterion, judge) if row.condition not in table.apart)


def left_out(table: ScoreTable, criterion: str, judge: str) -> str:
    """How many of all conditions are compared under a criterion, and which are not and why; "" where all are."""
    seen = shown(table, judge)
    every = summary.rows(seen, None, criterion, judge)
    apart = [seen.label(row.condition) for row in every if row.condition in seen.apart]
    n, known = len(every) - len(apart), len(table.columns.conditions)
    if n == known:
        return ""
    why = [t("scores.compared_not_apart", name=name) for name in apart]
    if rest := known - len(every):
        why.append(t("scores.compared_not_judge", n=rest, criterion=criterion))
    return t("scores.compared_of", n=n, all=known, why=t("scores.compared_and").join(why))


def better_first(found: Iterable[Row], criterion: Criterion) -> tuple[Row, ...]:
    """Rows by their means, the better first; those without one last, and ties as they were."""
    sign = 1 if criterion.direction == "down" else -1
    return tuple(sorted(found, key=lambda row: (row.mean is None, sign * (row.mean or 0))))


def of_plan(table: ScoreTable, plan: Sequence[Planned], criterion: str, judge: str) -> tuple[Line, ...]:
    """The planned comparisons under one criterion by one judge, the plan's order kept; blocked ones too."""
    made = compare.compare(table, tuple(plan), baseline=_any(table, plan)) if plan else None
    if made is None:
        return ()
    both: list[Line] = [*made.comparisons, *made.blocked]
    order = {one: at for at, one in enumerate(plan)}
    here = [one for one in both if one.planned and one.criterion == criterion and one.judge in (judge, "")]
    return tuple(sorted(here, key=lambda one: order[one.planned] if one.planned else 0))


def _any(table: ScoreTable, plan: Sequence[Planned]) -> str | None:
    """A baseline that is there, so that no more is compared than the plan and one row against each other."""
    for one in plan:
        found = compare.find_side(table, one.a)
        if found is not None and found in table.columns.conditions:
            return table.label(found)
    return table.label(table.columns.conditions[0]) if table.columns.conditions else None
