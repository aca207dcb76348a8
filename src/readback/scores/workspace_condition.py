"""Tie the conditions of scores to those of the workspace, and count the scores of each."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from readback.scores.table import SCORED, ConditionKey, ScoreTable
from readback.types import Condition, Workspace


def find_named_condition(workspace: Workspace, key: ConditionKey) -> Condition | None:
    """Return the condition of the workspace that the scores of `key` name as theirs; None where they name none that it
    has, and where they only have factors.
    """
    return workspace.condition(dict(key).get("condition", ""))


def find_workspace_condition(workspace: Workspace, table: ScoreTable, key: ConditionKey) -> Condition | None:
    """Return the condition of the workspace that the scores of `key` are about: of that name or alias, else of the
    label that the table gives to them. None where the workspace has none.
    """
    return find_named_condition(workspace, key) or workspace.condition(table.label(key))


def find_workspace_name(workspace: Workspace, table: ScoreTable, key: ConditionKey) -> str | None:
    """Return the name of the workspace's condition that the scores of `key` are about; None where it has none."""
    condition = find_workspace_condition(workspace, table, key)
    if condition:
        return condition.name
    return None


def count_scores(workspace: Workspace, table: ScoreTable) -> dict[str, int]:
    """Return how many scores each condition of the workspace has, by its name; 0 for a condition without any.

    A score is a value of any criterion and judge, a mean that a file states without its rows, or an answer that was
    judged side by side with another. What failed, is missing or does not apply is none. Scores of conditions that the
    workspace does not have are not counted.
    """
    counts = {condition.name: 0 for condition in workspace.conditions}
    for key, n in _count_by_key(table).items():
        name = find_workspace_name(workspace, table, key)
        if name is not None:
            counts[name] += n
    return counts


@lru_cache(maxsize=4)
def _count_by_key(table: ScoreTable) -> Counter[ConditionKey]:
    """Return how many scores each condition of the table has; cached, since pages ask at every rerun."""
    import numpy as np

    columns = table.columns
    scored = np.frombuffer(columns.state, np.uint8) == SCORED
    values = np.bincount(np.asarray(columns.condition)[scored], minlength=len(columns.conditions))
    counts = Counter(dict(zip(columns.conditions, values.tolist(), strict=True)))
    counts.update(reported.condition for reported in table.reported if reported.state == SCORED)
    counts.update(key for outcome in table.outcomes for key in (outcome.a, outcome.b))
    return counts
