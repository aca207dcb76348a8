"""Find the two conditions with the best means, where the plan compares others and not these two."""

from __future__ import annotations

from readback.scores import in_view
from readback.scores.comparing import compare
from readback.scores.comparing.winner import HIGHER
from readback.scores.sentences import not_compared
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.types import Workspace

LEAST = 3  # conditions of which two can lead
Leaders = tuple[Row, Row]


def find_unplanned_leaders(table: ScoreTable, workspace: Workspace, criterion: str, judge: str) -> Leaders | None:
    """Return the rows of the best two conditions under a criterion by one judge (or a pool, whose table this is).

    None where nothing is planned under the criterion, where a planned comparison is theirs or takes several conditions
    together, and where nobody can say which mean is better: no end of the scale is, or the judges disagree too much.
    """
    plan = in_view.of_plan(table, compare.list_planned(workspace), criterion, judge)
    scale = table.criteria[criterion]
    whole = table if table.pool is None else table.pool.table
    if not plan or scale.direction not in HIGHER or not_compared.find_dispute(whole, criterion, judge) is not None:
        return None
    if not {side for line in plan for side in (line.a, line.b)} <= set(table.columns.conditions):
        return None
    rows = in_view.better_first(in_view.ranked(table, None, criterion, judge), scale)
    scored = [row for row in rows if row.mean is not None]
    if len(scored) < LEAST:
        return None
    first, second = scored[:2]
    if any({line.a, line.b} == {first.condition, second.condition} for line in plan):
        return None
    return first, second
