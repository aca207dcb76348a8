"""Where a judge failed on one side, a condition is called higher only if it is so whatever the missing scores are."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from scipy import stats
from score_files import Write

from readback import workspace
from readback.scores import loading
from readback.scores.comparing.compare import compare
from readback.scores.comparing.comparison import Comparison
from readback.scores.sentences import report
from readback.scores.table import ConditionKey
from readback.types import Criterion

SCALE = Criterion("good", "ordinal", (0.0, 1.0, 2.0), 0.0, 2.0)
PLAN = "scores: [s.csv]\ncriteria: {good: {scale: [0, 1, 2]}}\ncomparisons: [{a: one, b: other}]\n"


def called(condition: ConditionKey) -> str:
    return dict(condition)["condition"]


def made(write: Write, one: list[int | None], other: list[int | None]) -> Comparison:
    cells = [(f"q{at}", name, score) for name, scores in (("one", one), ("other", other))
             for at, score in enumerate(scores)]  # fmt: skip
    rows = (f"{item},{name},good,{'' if score is None else score},{'failed' if score is None else 'scored'}\n"
            for item, name, score in cells)  # fmt: skip
    text = "item,condition,criterion,score,status\n" + "".join(rows)
    table = loading.load(workspace.open(write({"readback.yml": PLAN, "s.csv": text})))
    (found,) = compare(table, table.planned).comparisons
    return found


def test_the_bounds_are_those_of_every_way_to_fill_the_gaps(write: Write) -> None:
    one: list[int | None] = [0, 1, None, 2, 1, None]
    other: list[int | None] = [1, None, 2, 2, None, None]
    found = made(write, one, other)
    either = [at for at in range(6) if one[at] is not None or other[at] is not None]
    means = []
    for filled in product((0, 1, 2), repeat=3):
        gaps = iter(filled)
        pairs = [[next(gaps) if side[at] is None else side[at] for side in (one, other)] for at in either]
        means.append(sum((b or 0) - (a or 0) for a, b in pairs) / len(pairs))
    assert (found.failed, found.failed_b) == (3, 2)
    assert found.bounds == pytest.approx((min(means), max(means)))
    turned = found.swap_sides()
    assert (turned.failed, turned.failed_b) == (3, 1)
    assert turned.bounds == pytest.approx((-max(means), -min(means)))


def test_a_sentence_says_under_which_of_them_the_judge_failed_and_where_the_other_could_be(write: Write) -> None:
    one: list[int | None] = [1 if at % 2 else 0 for at in range(40)]
    other: list[int | None] = [None if at < 30 else (2 if at % 2 else 1) for at in range(40)]
    found = made(write, one, other)
    least, most = ([*[1] * 10, *((to - (one[at] or 0)) for at in range(30))] for to in (0, 2))
    ends = (
        stats.ttest_1samp(least, 0).confidence_interval().low,
        stats.ttest_1samp(most, 0).confidence_interval().high,
    )
    assert found.bounds_interval == pytest.approx(ends)
    for each in (found, found.swap_sides()):
        said = report.sentence(each, called, SCALE)
        assert said.startswith(
            "There is no score under “other” for 30 of 40 questions; if these were scored, “other” could"
        )
        assert (
            f" be anywhere from {-ends[0]:.2f} lower to {ends[1]:.2f} higher than “one” (95 % interval). On the 10 "
            in said
        )
    assert report.answer(found, called, SCALE) == "not known, because too many scores failed or are missing"


@pytest.mark.parametrize(
    ("failed", "verdict"),
    [(0, "b is higher"), (3, "b is higher"), (8, "b is higher"), (30, "incomplete")],
)
def test_what_is_missing_may_decide(write: Write, failed: int, verdict: str) -> None:
    """Forty questions, b one step higher on nearly all; the failures are of b."""
    one: list[int | None] = [1 if at % 2 else 0 for at in range(40)]
    other: list[int | None] = [None if at < failed else (2 if at % 2 else 1) - (at % 13 == 12) for at in range(40)]
    found = made(write, one, other)
    assert (found.failed, found.verdict) == (failed, verdict)


def test_no_clear_difference_stays_one(write: Write) -> None:
    one: list[int | None] = [at % 3 for at in range(40)]
    other: list[int | None] = [None if at < 30 else (at + at % 2) % 3 for at in range(40)]
    assert made(write, one, other).verdict == "not separated"


@pytest.mark.parametrize(
    ("p", "span", "said"),
    [
        (0.03, (0.1, 0.5), "The interval does not contain 0, but p, corrected"),
        (0.03, (-0.1, 0.5), "The interval and the test disagree here"),
        (0.3, (0.1, 0.5), "The interval and the test disagree here"),
        (0.3, (-0.1, 0.5), ""),
    ],
)
def test_no_clear_difference_says_what_would_speak_for_one(
    write: Write, p: float, span: tuple[float, float], said: str
) -> None:
    found = replace(made(write, [0, 1, 2] * 4, [1, 1, 2] * 4), verdict="not separated", p=p, interval=span)
    assert report.doubtful(found).startswith(said)
    assert bool(report.doubtful(found)) is bool(said)
    assert report.doubtful(replace(found, verdict="b is higher", p=0.001, p_adjusted=None)) == ""


@pytest.mark.parametrize(("p", "n"), [(0.047, 21), (0.03, 33), (0.01, 100), (0.0099, 0)])
def test_a_difference_that_is_only_just_clear_says_how_often_chance_shows_one(write: Write, p: float, n: int) -> None:
    found = replace(made(write, [0, 1, 2] * 4, [1, 1, 2] * 4), verdict="b is higher", p=p, p_adjusted=None)
    said = f"Even without any true difference, about one study in {n} would show one as large by chance."
    assert report.doubtful(found) == (said if n else "")


def test_that_the_judge_failed_is_said_with_what_it_means(write: Write) -> None:
    one: list[int | None] = [0] * 40
    low = made(write, one, [None] * 8 + [1, 0] * 16)
    assert low.failing
    assert report.failing(replace(low, verdict="not separated"), called) == (
        "For 8 of 40 questions there is no score under “other”."
    )
    assert report.failing(replace(low, verdict="b is higher"), called) == (
        "“other” stays higher whatever the scores are that are missing under “other” for 8 of 40 questions."
    )
    assert report.failing(replace(low, failed=0, failed_b=0), called) == ""
