"""Further statistics beside scipy, statsmodels, or the same thing done the slow way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from readback.stats import agreement, correlation, equivalence, interval, judge_error, multiple_tests, paired, ranking
from readback.stats.two_groups import welch

RNG = np.random.default_rng(21)
FLOATS = st.lists(st.floats(-5, 5, allow_nan=False).map(lambda x: round(x, 3)), min_size=2, max_size=12)


@pytest.mark.parametrize(("n", "m"), [(2, 2), (5, 40), (60, 3), (200, 200)])
def test_welch_is_that_of_scipy(n: int, m: int) -> None:
    a, b = RNG.normal(0, 1, n), RNG.normal(0.4, 3, m)
    theirs = stats.ttest_ind(b, a, equal_var=False)
    span, found = theirs.confidence_interval(), welch(a, b)
    assert found
    assert (found.difference, found.p) == (pytest.approx(b.mean() - a.mean()), pytest.approx(theirs.pvalue))
    assert (found.low, found.high) == (pytest.approx(span.low), pytest.approx(span.high))


def test_groups_that_are_empty_single_or_constant_have_no_interval() -> None:
    assert welch([], [1.0, 2.0]) is None
    assert welch([1.0], [2.0, 3.0]) == welch([1.0], [2.0, 3.0])
    for groups in (([1.0], [2.0, 3.0]), ([1.0, 1.0], [3.0, 3.0])):
        found = welch(*groups)
        assert found
        assert (found.low, found.high, found.p) == (None, None, None)


@pytest.mark.parametrize("n", [15, 40, 400])
def test_the_interval_of_a_summary_is_that_of_its_rows(n: int) -> None:
    rows = RNG.normal(2, 1, n)
    theirs = stats.t.interval(0.95, n - 1, rows.mean(), stats.sem(rows))
    found = interval.compute_summary_interval(float(rows.mean()), float(rows.std(ddof=1)), n)
    assert found
    assert (found.low, found.high) == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("mean", "sd", "n"), [(1.0, 1.0, 14), (1.0, 0.0, 20), (math.nan, 1.0, 20), (1.0, math.inf, 20)]
)
def test_a_summary_that_says_too_little_has_no_interval(mean: float, sd: float, n: int) -> None:
    assert interval.compute_summary_interval(mean, sd, n) is None


@pytest.mark.parametrize("counts", [(0, 0, 3, 17), (5, 5, 5, 5), (1, 0, 0, 9), (0, 20, 0, 0)])
def test_the_interval_on_a_scale_is_that_of_scipys_dirichlet(counts: tuple[int, ...]) -> None:
    scale = np.array([-1.0, 0, 1, 2])
    drawn = stats.dirichlet(np.array(counts) + 1 / 4).rvs(200_000, random_state=4) @ scale
    low, high = np.quantile(drawn, [0.025, 0.975])
    found = interval.compute_scale_interval(scale, counts, scale)
    mean = float(scale @ counts) / sum(counts)
    assert found
    assert (found.low, found.high) == pytest.approx((min(low, mean), max(high, mean)), abs=0.02)


def test_strengths_are_those_of_a_logistic_regression() -> None:
    wins = np.array([[0, 30, 45, 8], [20, 0, 33, 9], [9, 14, 0, 2], [12, 7, 9, 0]])
    ties = np.triu([[0, 4, 0, 1], [0, 0, 6, 2], [0, 0, 0, 0], [0, 0, 0, 0]])
    ties = ties + ties.T
    i, j = np.triu_indices(4, 1)
    outcomes = np.column_stack([wins[i, j], wins[j, i]]) + (ties[i, j] / 2 + 0.5)[:, None]
    sides = np.zeros((len(i), 4))
    sides[np.arange(len(i)), i], sides[np.arange(len(i)), j] = 1, -1
    fit = sm.GLM(outcomes, sides[:, 1:], family=sm.families.Binomial()).fit(tol=1e-12).params
    theirs = np.concatenate([[0.0], fit])
    assert ranking.bradley_terry(wins, ties).strengths == pytest.approx(theirs - theirs.mean(), abs=1e-6)


def test_the_error_of_a_corrected_rate_is_that_of_the_delta_method() -> None:
    """Lang, Reiczigel 2014: the three samples with rows added, each by its part of the gradient, done numerically."""
    z = stats.norm.ppf(0.975)
    counts = np.array([(110, 200), (45, 50), (41, 50)], float)
    rows = counts[:, 1] + np.array([z * z, 2, 2])
    p = (counts[:, 0] + np.array([z * z / 2, 1, 1])) / rows
    gradient = []
    for at in range(3):
        step = np.zeros(3)
        step[at] = 1e-6
        gradient.append((_rogan(*(p + step)) - _rogan(*(p - step))) / 2e-6)
    error = math.sqrt(float((np.array(gradient) ** 2 * p * (1 - p) / rows).sum()))
    found = judge_error.rogan_gladen(110, 200, 45, 50, 41, 50)
    assert found.interval
    assert (found.interval.high - found.interval.low) / (2 * z) == pytest.approx(error, rel=1e-6)
    middle = _rogan(*p)
    shift = 2 * z**2 * (middle * p[1] * (1 - p[1]) / rows[1] - (1 - middle) * p[2] * (1 - p[2]) / rows[2])
    assert (found.interval.low + found.interval.high) / 2 == pytest.approx(middle + shift)


def _rogan(p: float, sensitivity: float, specificity: float) -> float:
    return (p + specificity - 1) / (sensitivity + specificity - 1)


@pytest.mark.parametrize("metric", ["nominal", "interval"])
def test_alphas_interval_is_that_of_samples_of_units_drawn_one_by_one(metric: Any) -> None:
    table = np.clip(np.round(RNG.normal(size=(30, 1)) + RNG.normal(size=(30, 3)) + 1.5), 0, 3)
    draws = [agreement.krippendorff(table[RNG.integers(0, 30, 30)], metric) or 0.0 for _ in range(1_500)]
    unit = np.repeat(np.arange(30), 3)
    found = agreement.compute_alpha_interval(unit, table.ravel(), unit, metric)
    assert found
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])), abs=0.04)


@pytest.mark.parametrize("ties", [False, True])
def test_middle_ranks_are_those_of_scipy(ties: bool) -> None:
    values = RNG.integers(0, 4, 30).astype(float) if ties else RNG.normal(size=30)
    assert correlation.rank_with_ties(values) == pytest.approx(stats.rankdata(values))


# what must hold whatever the numbers


@settings(deadline=None, max_examples=some(60))
@given(FLOATS, st.floats(0.01, 3), st.floats(0.01, 3))
def test_a_wider_margin_never_makes_equivalence_less_sure(d: list[float], one: float, other: float) -> None:
    small, large = sorted((one, other))
    assert equivalence.tost(d, large) <= equivalence.tost(d, small) + 1e-12


@settings(deadline=None, max_examples=some(60))
@given(FLOATS, st.floats(0.1, 4))
def test_no_test_hangs_on_the_unit_of_the_scores(d: list[float], factor: float) -> None:
    scaled = np.array(d) * factor
    assert paired.sign_flip(scaled)[0] == pytest.approx(paired.sign_flip(d)[0])
    assert paired.wilcoxon(scaled) == pytest.approx(paired.wilcoxon(d))


@settings(deadline=None, max_examples=some(60))
@given(st.lists(st.floats(0, 1), min_size=1, max_size=15), st.randoms(use_true_random=False))
def test_adjusted_p_never_sink_keep_their_order_and_follow_their_tests(ps: list[float], random: Any) -> None:
    order = random.sample(range(len(ps)), len(ps))
    for method in (multiple_tests.holm, multiple_tests.benjamini_hochberg):
        adjusted = method(ps)
        assert all(p <= found <= 1 for p, found in zip(ps, adjusted, strict=True))
        ranked = [found for _, found in sorted(zip(ps, adjusted, strict=True))]
        assert ranked == sorted(ranked)
        assert method([ps[at] for at in order]) == tuple(adjusted[at] for at in order)
    assert all(
        b <= h + 1e-12 for b, h in zip(multiple_tests.benjamini_hochberg(ps), multiple_tests.holm(ps), strict=True)
    )


@pytest.mark.parametrize("method", [multiple_tests.holm, multiple_tests.benjamini_hochberg])
def test_a_p_that_is_none_is_refused_and_not_taken_for_0(method: Any) -> None:
    with pytest.raises(ValueError, match="not a finite number"):
        method([0.01, None])


def test_ranks_over_conditions_take_ties_and_hang_on_neither_order_nor_unit() -> None:
    table = RNG.integers(0, 3, (15, 4)).astype(float)
    plain = multiple_tests.friedman(table)
    assert multiple_tests.friedman(table[::-1, ::-1] * 7 - 2) == pytest.approx(plain)
    assert plain == pytest.approx(stats.friedmanchisquare(*table.T).pvalue)
    for bad in (np.ones((3, 1)), np.ones((0, 3)), np.ones(4)):
        with pytest.raises(ValueError, match="at least 2 conditions"):
            multiple_tests.friedman(bad)


@given(st.integers(1, 300), st.integers(0, 300), st.integers(0, 300))
def test_more_hits_never_lower_a_rate(n: int, one_k: int, other_k: int) -> None:
    a, b = sorted((min(one_k, n), min(other_k, n)))
    for method in (interval.wilson, interval.jeffreys, interval.clopper_pearson):
        one, other = method(a, n), method(b, n)
        assert one.low <= other.low + 1e-9
        assert one.high <= other.high + 1e-9
        assert one.low <= a / n + 1e-9
        assert one.high >= a / n - 1e-9
