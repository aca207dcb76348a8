"""The workspace's conditions that scores are about, and how many scores each has: values in, values out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from score_files import TIDY, Write, load

from readback.scores.table import Outcome, Reported, ScoreTable
from readback.scores.workspace_condition import count_scores, find_workspace_name
from readback.types import Condition, Workspace

NAMES = ("a", "b", "c", "d")


@pytest.fixture
def table(write: Write) -> ScoreTable:
    rows = "q1,a,relevance,2,j,\nq2,a,relevance,1,j,\nq1,b,relevance,,j,\nq1,B,relevance,1,j,\nq1,x,relevance,1,j,\n"
    return load(write({"s.csv": TIDY + rows}))


def open_conditions(write: Write) -> Workspace:
    conditions = tuple(Condition(name, aliases=("B",)) if name == "b" else Condition(name) for name in NAMES)
    return Workspace(write({"readback.yml": ""}), "w", conditions=conditions)


def test_scores_go_by_name_and_alias_and_those_of_others_are_not_counted(write: Write, table: ScoreTable) -> None:
    assert count_scores(open_conditions(write), table) == {"a": 2, "b": 1, "c": 0, "d": 0}


def test_a_stated_mean_and_a_side_by_side_are_scores(write: Write, table: ScoreTable) -> None:
    a, c, d = ((("condition", name),) for name in "acd")
    stated = Reported(c, "relevance", "j", 1.5)
    whole = replace(table, reported=(stated,), outcomes=(Outcome("q1", a, d, "a"),))
    assert count_scores(open_conditions(write), whole) == {"a": 3, "b": 1, "c": 1, "d": 1}


@pytest.mark.parametrize(
    ("key", "name"),
    [((("condition", "a"),), "a"), ((("condition", "B"),), "b"), ((("condition", "x"),), None), ((), None)],
)
def test_a_condition_of_scores_is_one_of_the_workspace_or_none(
    write: Write, table: ScoreTable, key: tuple[tuple[str, str], ...], name: str | None
) -> None:
    assert find_workspace_name(open_conditions(write), table, key) == name
