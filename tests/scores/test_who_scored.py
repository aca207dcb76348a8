"""Who scored, how many answers, on which scale: the line below an answer, for judges, people, programs and nobody."""

from __future__ import annotations

import pytest
from score_files import Write

from readback import workspace
from readback.scores import in_view, loading
from readback.scores.sentences import who_scored

HEAD = "item,condition,criterion,score,judge\n"


def describe(write: Write, rows: str, **files: str) -> str:
    table = loading.load(workspace.open(write({"s.csv": HEAD + rows, **files})))
    (criterion,) = table.columns.criteria
    judge = in_view.judges(table, criterion)[0]
    view = in_view.get_judge_table(table, judge)
    return who_scored.describe(view, in_view.ranked(view, None, criterion, judge), criterion, judge)


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("1,a,good,1,j\n2,a,good,3,j\n", "Scored by one judge, “j”; all 2 answers have a score."),
        ("1,a,good,1,j\n2,a,good,,j\n", "Scored by one judge, “j”; 1 of 2 answers has a score."),
        ("1,a,good,1,human:7\n", "Scored by one person, “human:7”; the one answer has a score."),
        ("1,a,good,1,human:1\n1,a,good,3,human:2\n2,a,good,3,human:2\n", "Scored by 2 people, 1 to 2 for each answer;"),
        ("1,a,good,1,j\n1,a,good,3,k\n", "Scored by 2 judges, 2 for each answer; the one answer has a score."),
        ("1,a,rougeL,0.5,system\n", "Computed by a program (“system” in the files), not judged;"),
        ("1,a,rougeL,0.5,\n", "Computed by a program, not judged;"),
        ("1,a,good,1,\n", "The files do not say who scored;"),
    ],
)
def test_the_line_says_who_scored_and_how_many(write: Write, rows: str, line: str) -> None:
    assert describe(write, rows).startswith(line)


@pytest.mark.parametrize(("direction", "words"), [("up", "higher is better"), ("down", "lower is better")])
def test_the_line_says_the_scale_and_which_end_is_better(write: Write, direction: str, words: str) -> None:
    config = f"scores: [s.csv]\ncriteria: {{good: {{scale: [1, 2, 3], direction: {direction}}}}}\n"
    line = describe(write, "1,a,good,1,j\n", **{"readback.yml": config})
    assert line.endswith(f"Scale 1, 2, 3, {words}.")
