"""Which of two conditions is better, in words: by what was found, by the scale's direction, by whether it is fair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from score_files import load

from readback import workspace
from readback.scores import chart_sentences, loading, summary
from readback.scores.comparing.comparison import Comparison
from readback.scores.comparing.winner import Best
from readback.scores.sentences import report
from readback.scores.table import ConditionKey
from readback.types import Criterion

A, B = (("condition", "shut"),), (("condition", "open"),)
UP = Criterion("good", "ordinal", (1.0, 2.0, 3.0), 1.0, 3.0)
HIGHER = Comparison(
    A, B, "good", "j", 40, 0, 0, "b is higher", difference=0.5, interval=(0.2, 0.8), wins=25, ties=10, losses=5, p=0.001
)
OPEN = replace(HIGHER, verdict="not separated", difference=0.1, interval=(-0.1, 0.3), p=0.3, detectable=0.28)


def called(condition: ConditionKey) -> str:
    return dict(condition)["condition"]


@pytest.mark.parametrize(
    "verdict", ["not separated", "equivalent", "constant", "incomplete", "too few", "disputed", "in question"]
)
@pytest.mark.parametrize("fair", ["fair", "unfair", "unknown", ""])
def test_the_few_words_beside_a_difference_are_those_of_the_answer_above_it(verdict: Any, fair: str) -> None:
    """A reader who sees one verdict in two wordings takes it for two."""
    line = replace(OPEN, verdict=verdict)
    beside, above = report.outcome(line, fair), report.answer(line, called, UP, fair)
    if beside == "not known":
        assert above.startswith("not known, because")
    elif fair == "unknown":
        assert above == f"{beside}, and it cannot be told whether the comparison is fair"
    else:
        assert above == beside
    assert report.verdict(line, called).startswith(beside if fair in ("fair", "") and verdict != "in question" else "")


@pytest.mark.parametrize(("line", "words"), [(HIGHER, "clear difference"), (replace(HIGHER, p=0.03), "not certain")])
def test_a_clear_difference_is_no_answer_where_the_two_may_not_be_compared(line: Comparison, words: str) -> None:
    assert words in report.outcome(line, "fair")
    assert report.outcome(line, "unknown") == report.outcome(line, "unfair") == "not known"


@pytest.mark.parametrize(
    ("one", "direction", "fair", "answer"),
    [
        (HIGHER, "up", "fair", "“open” is better, and the difference is clear"),
        (HIGHER, "up", "", "“open” is better, and the difference is clear"),
        (HIGHER, "down", "fair", "“shut” is better, and the difference is clear"),
        (HIGHER.swap_sides(), "up", "fair", "“open” is better, and the difference is clear"),
        (HIGHER, "none", "fair", "“open” scores higher, and the difference is clear"),
        (replace(HIGHER, p=0.03), "up", "fair", "not certain; “open” is ahead, but chance alone may give that"),
        (replace(HIGHER, p=0.03), "none", "fair", "not certain; “open” scores higher, but chance alone may give that"),
        (
            replace(HIGHER, p_adjusted=0.01, family=10),
            "up",
            "same",
            "not certain; “open” is ahead, but chance alone may give that; both sides have the same fault",
        ),
        (replace(HIGHER, p=0.03), "up", "unfair", "not known, because the comparison is not fair"),
        (HIGHER, "up", "same", "“open” is better, and the difference is clear; both sides have the same fault"),
        (HIGHER, "up", "unfair", "not known, because the comparison is not fair"),
        (HIGHER, "up", "unknown", "not known, because it cannot be told whether the comparison is fair"),
        (OPEN, "up", "fair", "no clear difference"),
        (
            OPEN,
            "up",
            "unknown",
            "no clear difference, and it cannot be told whether the comparison is fair",
        ),
        (
            replace(OPEN, failed=41),
            "up",
            "fair",
            "no clear difference; 41 of 81 questions have no score under “shut”",
        ),
        (OPEN, "up", "unfair", "not known, because the comparison is not fair"),
        (OPEN, "up", "unchecked", "no clear difference, provided the comparison is fair"),
        (replace(OPEN, verdict="too few"), "up", "same", "not known, because too few questions were scored under both"),
    ],
)
def test_the_answer(one: Comparison, direction: str, fair: str, answer: str) -> None:
    assert report.answer(one, called, replace(UP, direction=direction), fair) == answer


@pytest.mark.parametrize(
    ("one", "fair", "said"),
    [
        (HIGHER, "unfair", "That does not show that “open” is better."),
        (HIGHER, "unknown", "That does not show that “open” is better."),
        (HIGHER, "fair", ""),
        (OPEN, "unfair", ""),
    ],
)
def test_where_it_is_not_fair_a_higher_score_shows_nothing(one: Comparison, fair: str, said: str) -> None:
    assert report.not_shown(one, called, UP, fair) == said


@pytest.mark.parametrize(("one", "fair", "there"), [(OPEN, "fair", True), (OPEN, "unfair", False), (HIGHER, "", False)])
def test_what_a_sample_could_show_is_said_where_it_means_something(one: Comparison, fair: str, there: bool) -> None:
    assert bool(report.power(one, fair)) == there


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (
            OPEN,
            "No clear difference. On 40 shared questions “open” scores 0.10 higher than “shut” (95 % interval −0.10 to "
            "0.30): it is higher on 25, lower on 5 and the same on 10. A true difference of 0.28 would be found in "
            "four of five studies of this size.",
        ),
        (
            replace(OPEN, difference=-1e-17, detectable=None),
            "No clear difference. On 40 shared questions “shut” and “open” have the same mean (95 % interval −0.30 to "
            "0.10): “shut” is higher on 5, lower on 25 and the same on 10.",
        ),
    ],
)
def test_what_is_said_of_no_clear_difference(one: Comparison, said: str) -> None:
    assert report.sentence(one, called, UP) == said


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((1, 3), "The best value, 2, is given to 3 of 4 scored answers under “B” (75\u00a0%) and to 1 of 4 under “A” "
                 "(25\u00a0%)."),
        ((2, 2), "The best value, 2, is given to 2 of 4 scored answers under “A” (50\u00a0%) and to 2 of 4 under “B” "
                 "(50\u00a0%)."),
        ((2, 2, 2), "The best value, 2, is given to 6 of 12 scored answers (50\u00a0%)."),
    ],
)  # fmt: skip
def test_how_often_the_best_value_is_given_is_said_of_each_of_two(
    write: Callable[[Mapping[str, Any]], Path], counts: Sequence[int], said: str
) -> None:
    rows = "".join(
        f"{n},{name},{2 if n < count else 0}\n" for name, count in zip("ABC", counts, strict=False) for n in range(4)
    )
    made = load(write({"s.csv": f"id,condition,relevance\n{rows}"}), "s.csv")
    assert chart_sentences.distribution(made, summary.rows(made), made.criteria["relevance"]) == said


@pytest.mark.parametrize(
    ("numbers", "off"),
    [
        ((0.733, 0.696, 0.037), True),  # 0.73 and 0.70, whose difference is shown as 0.04
        ((0.73, 0.70, 0.03), False),
        ((0.70, 0.73, -0.03), False),
        ((0.733, 0.7333, 0.0003), True),  # shown with more digits than the two
        ((1.5, 0.25, 1.25), False),
        ((1.1739, 0.625, 0.6087), True),  # of the shared questions alone
        ((None, 0.7, None), False),
    ],
)
def test_where_subtracting_gives_another_number_it_is_said(
    numbers: tuple[float | None, float | None, float | None], off: bool
) -> None:
    assert bool(report.subtraction([numbers])) is off


@pytest.mark.parametrize(
    ("direction", "said"),
    [
        (
            "up",
            "The highest value given, 5, is given to 1 of 2 scored answers under “B” (50\u00a0%) and to 0 of 2 under ",
        ),
        (
            "down",
            "The best value, \u221210, is given to 1 of 2 scored answers under “B” (50\u00a0%) and to 0 of 2 under ",
        ),
    ],
)
def test_the_highest_value_is_that_of_all_rows(
    write: Callable[[Mapping[str, Any]], Path], direction: str, said: str
) -> None:
    config = f"scores: [s.csv]\ncriteria: {{seconds: {{scale: {{min: -20, max: 20}}, direction: {direction}}}}}\n"
    rows = "q1,A,4.8\nq2,A,-9.5\nq1,B,-10\nq2,B,5\n"
    made = loading.load(workspace.open(write({"readback.yml": config, "s.csv": f"item,condition,seconds\n{rows}"})))
    assert chart_sentences.distribution(made, summary.rows(made), made.criteria["seconds"]).startswith(said)


@pytest.mark.parametrize(
    ("same", "said"), [(False, "so it cannot be told what the difference"), (True, "under both, ")]
)
def test_a_fault_of_every_record_is_said_with_what_it_means(same: bool, said: str) -> None:
    none = replace(HIGHER, n_shared=0, difference=None)
    assert said in report.untouched(HIGHER, frozenset(map(str, range(40))), none, called, same=same)


@pytest.mark.parametrize(
    ("ps", "answer"),
    [
        ((0.001, 0.002), "“open” is better than each of the 2 others, and every difference is clear"),
        ((0.001, 0.03), "“open” has the best mean; it is clearly better than “shut”, one of the 2 others"),
        ((0.02, 0.03), "not certain; “open” has the best mean, but chance alone may put it first"),
        ((), "no clear difference; “open” has the best mean, but is not clearly better than any of the 2 others"),
    ],
)
def test_of_several_a_difference_that_is_only_just_clear_is_not_called_so(ps: Sequence[float], answer: str) -> None:
    clear = tuple(replace(HIGHER.swap_sides(), p_adjusted=p, family=3) for p in ps)
    assert report.best(Best(B, clear, ()), 2, called) == answer


@pytest.mark.parametrize(
    ("means", "answer"),
    [
        ((2.0, 2.0), "all 3 conditions have the mean 2.00, so this score cannot tell them apart"),
        (
            (2.0, 1.5),
            "all 3 conditions have the same mean on shared questions, so this score cannot tell them apart",
        ),
    ],
)
def test_where_all_means_are_one_the_score_cannot_tell_the_conditions_apart(
    means: Sequence[float], answer: str
) -> None:
    ties = tuple(replace(OPEN, verdict="constant", difference=0.0, mean_a=mean, mean_b=mean) for mean in means)
    assert report.best(Best(B, (), ties), 2, called) == answer
