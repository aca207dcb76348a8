"""Numbers that stand for no score: they enter no mean unnamed, and no verdict before somebody says what they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from score_files import Write, codes, load

from readback.scores import summary
from readback.scores.comparing import compare
from readback.scores.output import answer
from readback.scores.table import ScoreTable
from readback.scores.values.doubtful_numbers import find_codes
from readback.types import Criterion

HEAD = "item,condition,criterion,score\n"
TEN = Criterion("quality", "numeric", (), 1.0, 10.0)


def two(criterion: str, a: list[Any], b: list[Any]) -> str:
    sides = (("a", a), ("b", b))
    return HEAD + "".join(f"q{n},{name},{criterion},{one}\n" for name, side in sides for n, one in enumerate(side))


def counts(table: ScoreTable, condition: str = "b") -> tuple[int, int, int, float | None]:
    """n, failed, in question and the mean of a condition."""
    (row,) = [row for row in summary.rows(table) if row.condition == (("condition", condition),)]
    return row.n, row.failed, row.in_question, row.mean


def verdict(table: ScoreTable) -> str:
    return compare.compare(table).comparisons[0].verdict


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 5, 10, -1], {-1}),
        ([0, 1, -1], {-1}),
        ([0.2, 0.9, -1, -9], {-1, -9}),
        ([1, 5, -999], {-999}),
        ([-2, -1, 0, 1], set()),  # negative scores are on the scale
        ([-1, -0.5, 0.5], set()),
        ([1, 5, 10, 99], {99}),
        ([1, 50, 99], set()),  # a scale of 100
        ([1, 100, 999], {999}),
        ([1, 101, 999], set()),
        ([-1], set()),  # nothing beside it
        ([1, 5, -1, 99], {-1, 99}),
        ([0, 5, 10], set()),
        ([1, 5, -5], set()),  # no code: an outlier, perhaps, but nobody writes it for a failure
    ],
)
def test_codes_are_told_by_their_value_and_the_others(values: list[float], found: set[float]) -> None:
    assert find_codes([float(one) for one in values]) == found


SAME = [6 + n % 4 for n in range(30)]
FAILING = [-1 if n % 3 == 0 else one for n, one in enumerate(SAME)]
MEAN = pytest.approx(sum(one for one in FAILING if one > 0) / 20)


def test_an_undeclared_scale_gives_no_verdict_until_somebody_says_what_the_number_is(write: Write) -> None:
    root = write({"s.csv": two("quality", SAME, FAILING)})
    table = load(root)
    assert counts(table) == (20, 10, 10, MEAN)
    assert verdict(table) == "in question"
    assert "scr-number-in-question" in codes(table)
    (asked,) = answer.as_json(table, tell=lambda one: one.code)["questions"]
    assert (asked["numbers"], asked["count"], asked["key"]) == ([-1.0], 10, "criteria: {quality: {failed: [-1]}}")
    said = load(root, criteria={"quality": Criterion("quality", failed=(-1.0,))})
    assert (counts(said), verdict(said)) == ((20, 10, 0, MEAN), "constant")
    on_scale = load(root, criteria={"quality": TEN})
    assert (counts(on_scale), verdict(on_scale)) == ((20, 10, 0, MEAN), "constant")
    scores = load(root, criteria={"quality": Criterion("quality", scores=(-1.0,))})
    assert counts(scores) == (30, 0, 0, pytest.approx(sum(FAILING) / 30))


def test_a_minus_one_that_a_known_scale_holds_is_a_score(write: Write) -> None:
    table = load(write({"s.csv": two("relevance", [2, 1, 0, 2, 1, 2], [-1, 1, 0, 2, 1, -1])}))
    assert counts(table) == (6, 0, 0, pytest.approx(2 / 6))
    assert "scr-number-in-question" not in codes(table)


def test_a_known_scale_that_does_not_hold_the_number_says_that_it_failed(write: Write) -> None:
    some = [0.5, 0.75, 1.0] * 10
    table = load(write({"s.csv": two("factuality", some, [-1 if n % 2 else one for n, one in enumerate(some)])}))
    assert counts(table)[:3] == (15, 15, 0)
    assert "jdg-out-of-range" in codes(table)
    assert table.criteria["factuality"].high == 1.0


def replies(rows: list[tuple[str, Any, Any]]) -> list[dict[str, Any]]:
    return [
        {"item": f"q{n}", "condition": name, "criterion": "quality", "judge": "j", "score": score, "reply": reply}
        for n, (name, score, reply) in enumerate(rows)
    ]


GOOD = [("a", 5, "Score: 5"), ("a", 4, "Score: 4"), ("a", 6, "Score: 6"), ("a", 5, "Rating: [[5]]")]


@pytest.mark.parametrize(
    ("score", "reply", "doubted"),
    [
        (0, "I cannot rate this.", True),
        (0, "", True),
        (0, None, True),
        (9, "I cannot rate this.", True),  # outside the run of the others
        (5, "I cannot rate this.", False),  # inside it: named, and it stays
        (0, "Score: 0", False),
        (-1, "I cannot rate this.", True),
    ],
)
def test_a_number_beside_an_unreadable_reply(write: Write, score: float, reply: str | None, doubted: bool) -> None:
    root = write({"s.jsonl": replies([*GOOD, ("a", score, reply)])})
    n, failed, asked, _ = counts(load(root), "a")
    assert (n, failed, asked) == ((4, 1, 1) if doubted else (5, 0, 0))
    declared = load(root, criteria={"quality": Criterion("quality", "numeric", (), -1.0, 10.0)})
    assert counts(declared, "a")[:3] == ((4, 1, 0) if doubted else (5, 0, 0))


def test_a_column_of_notes_without_numbers_says_nothing_of_a_zero(write: Write) -> None:
    rows = [("a", 5, "Good."), ("a", 4, "Fine."), ("a", 0, "Wrong."), ("a", 3, "So so.")]
    assert counts(load(write({"s.jsonl": replies(rows)})), "a")[:3] == (4, 0, 0)


def test_scores_of_which_half_is_a_code_are_not_on_two_scales(write: Write) -> None:
    most = [-1 if n % 5 else one for n, one in enumerate(SAME)]
    for criteria in ({"quality": TEN}, {"quality": Criterion("quality", failed=(-1.0,))}):
        made = compare.compare(load(write({"s.csv": two("quality", SAME, most)}), criteria=criteria))
        assert not made.blocked


def test_the_key_of_readback_yml_is_read(write: Write, tmp_path: Any) -> None:
    from readback import workspace

    text = "scores: [s.csv]\ncriteria: {quality: {failed: [-1]}}\n"
    root = write({"s.csv": two("quality", SAME, FAILING), "readback.yml": text})
    opened = workspace.open(root)
    assert opened.criteria["quality"].failed == (-1.0,)
    wrong = write({"s.csv": two("quality", SAME, FAILING), "readback.yml": text.replace("[-1]", "[x]")})
    assert any("not a list of numbers" in json.dumps(dict(one.values)) for one in workspace.open(wrong).diagnostics)


def test_all_unplanned_pairs_under_all_criteria_are_one_family(write: Write) -> None:
    rows = [
        f"q{n},{name},{criterion},{(n * 7 + at) % 5}\n"
        for n in range(30)
        for at, name in enumerate("abc")
        for criterion in ("clear", "deep")
    ]
    table = load(write({"s.csv": HEAD + "".join(rows)}))
    assert {one.family for one in compare.compare(table).comparisons} == {6}
    alone = compare.compare(table, baseline="b", criterion="deep").comparisons
    whole = {(one.a, one.b): one for one in compare.compare(table, criterion="deep").comparisons}
    for one in alone:
        other = whole.get((one.a, one.b)) or whole[one.b, one.a].swap_sides()
        assert (one.p_adjusted, one.verdict, one.difference) == (other.p_adjusted, other.verdict, other.difference)


def test_small_is_less_than_a_twentieth_of_the_scale(write: Write) -> None:
    some = [n % 10 + 1 for n in range(400)]
    up = [one + (0.4 if n % 7 else 0.5) if one < 10 else one for n, one in enumerate(some)]
    table = load(write({"s.csv": two("quality", some, up)}), criteria={"quality": TEN})
    (made,) = compare.compare(table).comparisons
    assert (made.verdict, made.small, made.length) == ("b is higher", True, 9.0)
