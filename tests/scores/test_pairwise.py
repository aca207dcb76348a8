"""Outcomes side by side: who won, how sure it is, and whether the place counted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from score_files import Write, codes, load

from readback import cli
from readback.scores.pairwise import outcomes as pairwise

PAIR = {"model_a": "A", "model_b": "B", "annotator": "me", "response_a": "x", "response_b": "y", "timestamp": "now"}


def rows(*outcomes: str, **more: Any) -> list[dict[str, Any]]:
    return [{**PAIR, "task_id": f"t{n}", "outcome": outcome, **more} for n, outcome in enumerate(outcomes)]


PUBLISHED = rows(*["win_a"] * 62, *["win_b"] * 51, *["tie"] * 41)


def test_the_published_numbers_come_out(write: Write) -> None:
    (comparison,) = pairwise.compare_contestants(load(write({"p.jsonl": PUBLISHED})))
    assert (comparison.wins_a, comparison.wins_b, comparison.ties, comparison.n, comparison.decisive) == (
        62,
        51,
        41,
        154,
        113,
    )
    assert comparison.share == pytest.approx(0.549, abs=5e-4)
    assert comparison.interval == pytest.approx((0.457, 0.637), abs=5e-4)
    assert comparison.p == pytest.approx(0.347, abs=5e-4)
    assert comparison.decisive_share == pytest.approx(113 / 154)
    assert comparison.judge == "me"


def test_the_command_says_them(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["scores", str(write({"p.jsonl": PUBLISHED}))]) == 0
    said = capsys.readouterr().out
    assert "A 62, B 51, ties 41 of 154, judge me" in said
    assert "54.9 % of 113 decisive outcomes (95 % interval 45.7 to 63.7, wilson), sign test p 0.347" in said


def test_bad_rows_are_notes_and_open_ones_are_counted(write: Write) -> None:
    bad = [*rows("win_a", "won", "", "tie"), {**PAIR, "task_id": "t9", "model_b": "A", "outcome": "win_a"}]
    found = load(write({"p.jsonl": bad}))
    assert [outcome.outcome for outcome in found.outcomes] == ["a", "tie"]
    assert codes(found) == ["scr-bad-outcome"] * 2
    assert dict(found.sources[0].left_out) == {"not an outcome": 2, "not decided yet": 1}
    assert [diagnostic.place.line for diagnostic in found.diagnostics] == [2, 5]


def test_a_pair_is_one_duel_whichever_way_round_it_stands(write: Write) -> None:
    turned = [{**row, "model_a": "B", "model_b": "A"} for row in rows("win_a", "win_b")]
    (comparison,) = pairwise.compare_contestants(load(write({"p.jsonl": [*rows("win_a", "tie"), *turned]})))
    assert (comparison.wins_a, comparison.wins_b, comparison.ties) == (2, 1, 1)


def test_each_judge_has_a_duel_beside_that_of_all(write: Write) -> None:
    found = pairwise.compare_contestants(
        load(write({"p.jsonl": [*rows("win_a", "win_a"), *rows("win_b", annotator="you")]}))
    )
    assert [(d.judge, d.judges, d.wins_a, d.wins_b) for d in found] == [
        ("", 2, 2, 1), ("me", 1, 2, 0), ("you", 1, 0, 1),
    ]  # fmt: skip


def test_the_answer_shown_first_may_win_too_often(write: Write) -> None:
    first = rows("win_a", "win_a", "win_b", presented_as_A="A", presented_as_B="B")
    swapped = rows("win_b", "win_a", "tie", presented_as_A="B", presented_as_B="A")
    (comparison,) = pairwise.compare_contestants(load(write({"p.jsonl": [*first, *swapped]})))
    assert (comparison.first_known, comparison.first_wins) == (5, 3)
    assert (comparison.swapped, comparison.turned) == (3, 1)


def test_contestants_are_ranked_by_strength(write: Write) -> None:
    others = [{**row, "model_a": "B", "model_b": "C"} for row in rows(*["win_a"] * 8, *["win_b"] * 2)]
    table = load(write({"p.jsonl": [*rows(*["win_a"] * 7, *["win_b"] * 3, "tie"), *others]}))
    ranking = pairwise.rank_contestants(table)
    assert ranking
    assert [dict(key)["condition"] for key in ranking.conditions] == ["A", "B", "C"]
    assert ranking.connected
    counts = pairwise.count_wins(table.outcomes)
    assert (counts.wins, counts.ties) == (((0, 7, 0), (3, 0, 8), (0, 2, 0)), ((0, 1, 0), (1, 0, 0), (0, 0, 0)))
    assert pairwise.rank_contestants(table, "nobody") is None


@settings(deadline=None)  # the first call imports scipy
@given(st.integers(0, 300), st.integers(0, 300))
def test_the_sign_test_is_that_of_scipy(wins: int, losses: int) -> None:
    from scipy.stats import binomtest  # type: ignore[import-untyped]

    p = pairwise.compute_sign_test(wins, losses)
    if wins + losses == 0:
        assert p is None
    else:
        assert p == pytest.approx(binomtest(wins, wins + losses).pvalue, rel=1e-9)


@pytest.mark.parametrize(("wins", "losses"), [(5_001, 5_001), (5_002, 5_000), (5_100, 4_950), (10_300, 10_000)])
def test_the_sign_test_of_very_many_is_that_of_scipy_but_for_the_curve(wins: int, losses: int) -> None:
    from scipy.stats import binomtest

    exact = binomtest(wins, wins + losses).pvalue
    assert pairwise.compute_sign_test(wins, losses) == pytest.approx(exact, rel=1e-3)
    assert pairwise.compute_sign_test(losses, wins) == pairwise.compute_sign_test(wins, losses)


@pytest.mark.parametrize("indent", [None, 4])
def test_annotations_of_alpaca_eval_are_outcomes(write: Write, indent: int | None) -> None:
    preferences = [1.0, 2.0, 1.5, 1.000021, 1.9, None, 0.0, "first"]
    rows = [
        {
            "instruction": f"Question {i}?",
            "output_1": "one",
            "generator_1": "base",
            "output_2": "two",
            "generator_2": "tuned",
            "annotator": "house_judge",
            "preference": preference,
        }
        for i, preference in enumerate(preferences)
    ]
    table = load(write({"annotations.json": json.dumps(rows, indent=indent)}))
    assert [(one.item, one.outcome) for one in table.outcomes] == [
        ("Question 0?", "a"),
        ("Question 1?", "b"),
        ("Question 2?", "tie"),
        ("Question 3?", "a"),
        ("Question 4?", "b"),
    ]
    (comparison,) = pairwise.compare_contestants(table)
    assert (comparison.wins_a, comparison.wins_b, comparison.ties, comparison.judge) == (2, 2, 1, "house_judge")
    (source,) = table.sources
    assert (source.what, dict(source.left_out)) == (
        "AlpacaEval annotations",
        {"not decided yet": 1, "not an outcome": 2},
    )
