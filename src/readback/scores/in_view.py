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
MOST = 12  # conditions that can be read side by side; more are taken together by one factor at first


def first(table: ScoreTable, workspace: Workspace) -> tuple[str, str] | None:
    """Return the criterion and the judge (or the pool of them) to show first; None where nothing has rows."""
    criterion = next(iter(criterion_kinds.order_of(table, workspace)), None)
    if criterion is not None:
        judge = next(iter(judges(table, criterion)), None)
    else:
        judge = None
    if criterion is not None and judge is not None:
        return (criterion, judge)
    return None


def judges(table: ScoreTable, criterion: str) -> tuple[str, ...]:
    """Whose scores of this criterion can be shown: several together first, then each alone."""
    alone = dict.fromkeys(row.judge for row in summary.rows(table, criterion=criterion))
    return (*pooled.pools(table, criterion), *alone)


def judge_name(table: ScoreTable, criterion: str, judge: str) -> str:
    """Return the name of a judge, or of a pool of judges."""
    if judge in (pooled.PEOPLE, pooled.JUDGES):
        return t(f"scores.pool_{judge.removeprefix('*')}", n=len(pooled.members(table, criterion, judge)))
    return judge or t("scores.no_judge")


def get_judge_table(table: ScoreTable, judge: str) -> ScoreTable:
    """Return the table to show for `judge`: for a pool, the means over its judges."""
    if judge in (pooled.PEOPLE, pooled.JUDGES):
        pooled_table = pooled.pooled(table)
    else:
        pooled_table = None
    if pooled_table is None:
        return table
    return pooled_table


def ranked(table: ScoreTable, by: str | None, criterion: str, judge: str) -> tuple[Row, ...]:
    """Return the rows without those of a reference answer, and the latter."""
    return tuple(row for row in summary.rows(table, by, criterion, judge) if row.condition not in table.apart)


def list_factors(table: ScoreTable, criterion: str, judge: str) -> tuple[str, ...]:
    """Return the factors that these scores can be taken together by; none where there is only one."""
    conditions = [dict(row.condition) for row in summary.rows(table, None, criterion, judge)]
    factors = []
    for factor in table.varying:
        if len({condition[factor] for condition in conditions if factor in condition}) > 1:
            factors.append(factor)
    if len(factors) > 1:
        return tuple(factors)
    return ()


def find_first_factor(table: ScoreTable, criterion: str, judge: str) -> str | None:
    """Return the factor by which many conditions are taken together unless somebody chooses another; None for few.

    It is the first in the files, never the one whose values differ most: a factor that is chosen by its scores would
    be called clear more often than its p says.
    """
    if len(ranked(table, None, criterion, judge)) <= MOST:
        return None
    return next(iter(list_factors(table, criterion, judge)), None)


def list_levels(table: ScoreTable, criterion: str, judge: str) -> dict[str, tuple[Row, ...]]:
    """Return the rows of each factor that has more than one value among the scores in view."""
    levels = {}
    for factor, rows in summary.main_effects(table, criterion, judge).items():
        named = tuple(row for row in rows if all(value for _, value in row.condition))
        if len(named) > 1:
            levels[factor] = named
    return levels


def left_out(table: ScoreTable, criterion: str, judge: str) -> str:
    """How many of all conditions are compared under a criterion, and which are not and why; "" where all are."""
    view = get_judge_table(table, judge)
    rows = summary.rows(view, None, criterion, judge)
    apart = [view.label(row.condition) for row in rows if row.condition in view.apart]
    n, condition_count = len(rows) - len(apart), len(table.columns.conditions)
    if n == condition_count:
        return ""
    why = [t("scores.compared_not_apart", name=name) for name in apart]
    if rest := condition_count - len(rows):
        why.append(t("scores.compared_not_judge", n=rest, criterion=criterion))
    return t("scores.compared_of", n=n, all=condition_count, why=t("scores.compared_and").join(why))


def better_first(rows: Iterable[Row], criterion: Criterion) -> tuple[Row, ...]:
    """Rows by their means, the better first; those without one last, and ties as they were."""
    sign = 1 if criterion.direction == "down" else -1
    return tuple(sorted(rows, key=lambda row: (row.mean is None, sign * (row.mean or 0))))


def of_plan(table: ScoreTable, plan: Sequence[Planned], criterion: str, judge: str) -> tuple[Line, ...]:
    """Return the planned comparisons under one criterion by one judge, in the plan's order; blocked ones too."""
    if plan:
        compared = compare.compare(table, tuple(plan), baseline=_any(table, plan))
    else:
        compared = None
    if compared is None:
        return ()
    all_lines: list[Line] = [*compared.comparisons, *compared.blocked]
    order = {planned: at for at, planned in enumerate(plan)}
    lines = [line for line in all_lines if line.planned and line.criterion == criterion and line.judge in (judge, "")]
    return tuple(sorted(lines, key=lambda line: order[line.planned] if line.planned else 0))


def _any(table: ScoreTable, plan: Sequence[Planned]) -> str | None:
    """Return a baseline that has scores, so that no more is compared than the plan and one row against each other."""
    for planned in plan:
        side = compare.find_side(table, planned.a)
        if side is not None and side in table.columns.conditions:
            return table.label(side)
    if table.columns.conditions:
        return table.label(table.columns.conditions[0])
    return None
