"""The study's own rule for a winner, reproduced: a difference in factuality of more than 0.1."""

from __future__ import annotations

import pytest
from score_files import Write

from readback import workspace
from readback.scores import loading
from readback.scores.comparing.compare import compare
from readback.scores.comparing.winner import find_winner, list_winners
from readback.scores.output.answer import as_json

PLAN = "scores: [s.csv]\ncomparisons: [{a: one, b: other}]\n"


def file(one: float, other: float, criterion: str = "factuality") -> str:
    rows = (f"q{at},{name},{criterion},{value + (at % 3 - 1) * spread}\n"
            for at in range(21) for name, value, spread in (("one", one, 0.05), ("other", other, 0.02)))  # fmt: skip
    return "item,condition,criterion,score\n" + "".join(rows)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (0.4, 0.6, "b"),
        (0.6, 0.4, "a"),
        (0.5, 0.55, "tie"),
        (0.7, 0.8, "tie"),  # exactly the margin, which floats write 0.10000000000000009
        (0.8, 0.7, "tie"),
        (0.7, 0.8001, "b"),
    ],
)
def test_a_difference_of_more_than_a_tenth_wins(write: Write, one: float, other: float, expected: str) -> None:
    table = loading.load(workspace.open(write({"readback.yml": PLAN, "s.csv": file(one, other)})))
    (made,) = compare(table, table.planned).comparisons
    assert find_winner(made) == expected
    assert list_winners([made]) == ((made, expected),)
    answer = as_json(table, table.planned, tell=lambda diagnostic: diagnostic.code)
    assert [row["winner_by_rule"] for row in answer["comparisons"]] == [expected]


def test_the_rule_is_silent_on_other_criteria_and_on_what_nobody_planned(write: Write) -> None:
    table = loading.load(workspace.open(write({"readback.yml": PLAN, "s.csv": file(0.2, 0.9, "completeness")})))
    assert list_winners(compare(table, table.planned).comparisons) == ()
    table = loading.load(workspace.open(write({"s.csv": file(0.2, 0.9)})))
    assert list_winners(compare(table).comparisons) == ()
