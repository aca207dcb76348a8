"""The pairs that the charts and tables of a view draw: those that its first words conclude about, and those that stand
against the baseline.

The words and the pictures come of the same objects, so that no sentence is without its mark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from readback.scores import in_view
from readback.scores.comparing import compare
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Blocked, Compared, Comparison
from readback.scores.comparing.winner import HIGHER
from readback.scores.conclusion import BestOf, Conclusion
from readback.scores.sentences.report import Line
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Workspace

PAIR = 2
Concluded = Sequence[Conclusion] | BestOf | None  # as `conclude_criterion` returns it
Pair = frozenset[ConditionKey]


def list_pairs(concluded: Concluded) -> tuple[Line, ...]:
    """Return the comparisons that the first words are made of: of the best condition, those with each other one."""
    if concluded is None:
        return ()
    if not isinstance(concluded, BestOf):
        return tuple(conclusion.line for conclusion in concluded)
    if concluded.leader is None:
        return ()
    return (*concluded.leader.clear, *concluded.leader.open)


def list_fairness(concluded: Concluded) -> Mapping[Pair, str]:
    """Return whether the pairs of the first words may be compared, as far as the words are made of it."""
    conclusions: Sequence[Conclusion] = ()
    if isinstance(concluded, BestOf):
        conclusions = concluded.pairs
    elif concluded is not None:
        conclusions = concluded
    return {frozenset((conclusion.line.a, conclusion.line.b)): conclusion.fairness for conclusion in conclusions}


def add_pairs(compared: Compared, concluded: Concluded) -> Compared:
    """Return the comparisons with a baseline and after them those of planned pairs that they lack.

    Where nothing was planned, nothing is added: the first words are then about the condition that is the baseline
    unless the reader chooses another one, and `is_of_another` tells when they are not.
    """
    if concluded is None or isinstance(concluded, BestOf):
        return compared
    lines: tuple[Line, ...] = (*compared.comparisons, *compared.blocked)
    compared_pairs = {frozenset((line.a, line.b)) for line in lines}
    lacking = [line.line for line in concluded if frozenset((line.line.a, line.line.b)) not in compared_pairs]
    comparisons_lacking = tuple(line for line in lacking if isinstance(line, Comparison))
    blocked = tuple(line for line in lacking if isinstance(line, Blocked))
    return replace(
        compared, comparisons=(*compared.comparisons, *comparisons_lacking), blocked=(*compared.blocked, *blocked)
    )


def is_level(lines: Sequence[Line]) -> bool:
    """Tell whether no score differs between the sides of any of these: a picture of their differences has no mark but
    zeros. Numbers in question are no scores yet, and pairs without a shared question say nothing.
    """
    comparisons = [line for line in lines if isinstance(line, Comparison) and line.n_shared]
    return bool(comparisons) and all(line.ties == line.n_shared and not line.in_question for line in comparisons)


def is_of_another(compared: Compared, concluded: Concluded) -> bool:
    """Tell whether the first words are about the best condition and the comparisons are with another one."""
    if not isinstance(concluded, BestOf) or concluded.leader is None:
        return False
    return any(comparison.a != concluded.leader.condition for comparison in compared.comparisons)


def find_baseline(
    table: ScoreTable, workspace: Workspace, criterion: str, judge: str, by: str | None = None
) -> ConditionKey | None:
    """Return the condition that the others are compared with unless somebody chooses another one.

    It is the first side of the plan; without a plan the best of several, which the first words are about; and of two
    the first in the files. None where there is no condition.
    """
    rows = in_view.ranked(table, by, criterion, judge)
    sides = [row.condition for row in rows]
    for planned in list_planned(workspace):
        side = compare.find_side(table, planned.a)
        if side in sides:
            return side
    scale = table.criteria[criterion]
    if len([row for row in rows if row.mean is not None]) > PAIR and scale.direction in HIGHER:
        return in_view.better_first(rows, scale)[0].condition
    return next(iter(sides), None)
