"""The numbers of citations: of marks over contexts, and of legal citations over their source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.citations import find_citations, upstream
from readback.citations.metrics import answer_coverage, context_coverage, grounded_fraction, measure_marks
from readback.citations.support import count_verdicts, judge_citations

SOURCE = (
    "See Smith v. Jones, 123 F.3d 456 (2020); Fed. R. Civ. P. 12(b)(6); 28 U.S.C. § 1331. In Brown v. Board of "
    "Education it held so."
)


@pytest.mark.parametrize(
    ("answer", "contexts", "referenced", "missing", "extra", "coverages", "precision", "recall"),
    [
        ("Paris [1][1] [3] [0]", ["[1] Paris France", "[2] b"], (0, 1, 3), (2,), (0, 3), {1: 0.5}, 1 / 3, 0.5),
        ("[1, 2]", ["[1] a", "[2] b"], (), (1, 2), (), {}, None, 0.0),
        ("", ["[1] a"], (), (1,), (), {}, None, 0.0),
        ("x [1]", [], (1,), (), (1,), {}, 0.0, None),
        ("[1] alpha beta, gamma", ["[1] alpha alpha beta gamma"], (1,), (), (), {1: 0.75}, 1.0, 1.0),
    ],
)
def test_marks_are_measured_as_the_document_says(
    answer: str,
    contexts: list[str],
    referenced: tuple[int, ...],
    missing: tuple[int, ...],
    extra: tuple[int, ...],
    coverages: dict[int, float],
    precision: float | None,
    recall: float | None,
) -> None:
    one = measure_marks(answer, contexts)
    assert (one.referenced, one.missing, one.extra) == (referenced, missing, extra)
    assert one.context_coverages == coverages
    assert (one.precision, one.recall) == (precision, recall)


def test_the_two_coverages_are_two_numbers() -> None:
    answer, context = "alpha beta, gamma", "[1] alpha alpha beta gamma delta epsilon"
    assert context_coverage(answer, context) == pytest.approx(3 / 6)  # alpha twice, gamma; beta has a comma
    assert answer_coverage(answer, context) == pytest.approx(2 / 3)


def test_without_words_or_citations_a_coverage_is_nothing() -> None:
    assert context_coverage("alpha", "[1] a b") == 0.0
    assert answer_coverage("", "alpha") == 0.0
    assert measure_marks("nothing", ["[1] alpha"]).context_coverage == 0.0


def test_grounding_looks_at_tokens_of_three_letters_in_any_case() -> None:
    assert grounded_fraction("The Gull's buoy is red", ["[1] the GULL'S buoy"]) == pytest.approx(3 / 4)
    assert grounded_fraction("It is", ["it is"]) == 0.0


@given(st.text(max_size=60), st.lists(st.text(max_size=30), max_size=4))
def test_a_ratio_is_a_ratio_or_not_applicable(answer: str, contexts: list[str]) -> None:
    one = measure_marks(answer, contexts)
    ratios = (one.precision, one.recall, one.context_coverage, one.answer_coverage, one.grounded_fraction)
    assert all(ratio is None or 0.0 <= ratio <= 1.0 for ratio in ratios)


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("Smith v. Jones, 123 F. 3d 456, 460 (2020)", "supported"),
        ("123 F.3d 456", "supported"),
        ("Smith v. Jones", "supported"),
        ("Smith, 123 F.3d at 460", "supported"),
        ("Smith v. Jones, 123 F.3d 456 (2019)", "year differs"),
        ("Smith v. Jones, 132 F.3d 456 (2020)", "altered"),
        ("Brown v. White, 789 F.2d 123 (2019)", "absent"),
        ("Brown v. Bd. of Educ.", "supported"),
        ("Fed. R. Civ. P. 12(b)(6)", "supported"),
        ("Rule 12(b)(6)", "supported"),
        ("Fed. R. Evid. 802", "absent"),
        ("Rule 56", "absent"),
        ("28 U.S.C. § 1331(a)", "supported"),
        ("124 F.3d at 460", "absent"),
        ("Id. at 5", "unclear"),
    ],
)
def test_a_citation_is_held_against_its_source(answer: str, state: str) -> None:
    (verdict,) = judge_citations(find_citations(answer), find_citations(SOURCE))
    assert verdict.state == state


def test_a_short_form_has_the_verdict_of_what_it_stands_for() -> None:
    answer = "Brown v. White, 789 F.2d 123 (2019). Id. at 125. Smith v. Jones, 123 F.3d 456 (2020). Id."
    states = [verdict.state for verdict in judge_citations(find_citations(answer), find_citations(SOURCE))]
    assert states == ["absent", "absent", "supported", "supported"]


def test_numbers_count_each_citation_once_by_its_normal_form() -> None:
    answer = (
        "Smith v. Jones, 123 F.3d 456 (2020). Id. Smith v. Jones. Rule 12(b)(6). Brown v. White, 789 F.2d 123 (2019)."
    )
    one = count_verdicts(judge_citations(find_citations(answer), find_citations(SOURCE)), find_citations(SOURCE))
    assert (one.cited, one.supported, one.expected, one.recalled) == (3, 2, 4, 2)
    assert (one.precision, one.recall, one.hallucination) == (2 / 3, 0.5, pytest.approx(1 / 3))


def test_nothing_found_is_not_applicable_and_never_a_division_error() -> None:
    one = count_verdicts((), ())
    assert (one.precision, one.recall, one.hallucination) == (None, None, None)
    assert count_verdicts((), find_citations(SOURCE)).recall == 0.0


@pytest.mark.parametrize(
    ("answer", "source", "scores"),
    [
        ("", "", (1.0, 1.0, 0.0)),
        ("", "123 F.3d 456", (0.0, 0.0, 0.0)),
        ("123 F.3d 456", "", (0.0, 0.0, 1.0)),
        ("Smith v. Jones, 123 F.3d 456", "Smith v. Jones, 123 F.3d 457", (0.5, 0.5, 0.5)),
    ],
)
def test_the_source_programs_scores_are_kept_for_comparison(
    answer: str, source: str, scores: tuple[float, float, float]
) -> None:
    assert (
        upstream.compute_scores(tuple(upstream.find_by_patterns(answer)), tuple(upstream.find_by_patterns(source)))
        == scores
    )
