"""Each statistic beside scipy, statsmodels or a published example, and what must not change it does not."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats import contingency_tables, multitest, power, proportion, weightstats

from readback.stats import correlation, equivalence, interval, multiple_tests, paired, ranking
from readback.stats.judge_error import rogan_gladen

GRADES = st.lists(st.integers(-1, 2), min_size=0, max_size=40)
DIFFERENCES = st.lists(st.integers(-3, 3), min_size=1, max_size=12)
RNG = np.random.default_rng(3)


def near(value: float | None) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-12)


# intervals of a rate and of a mean


@pytest.mark.parametrize(("k", "n"), [(0, 7), (1, 20), (10, 20), (97, 100), (20, 20)])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(interval.wilson, "wilson"), (interval.jeffreys, "jeffreys"), (interval.clopper_pearson, "beta")],
)
def test_a_rate_has_the_interval_that_statsmodels_gives_it(ours: Any, theirs: str, k: int, n: int) -> None:
    low, high = proportion.proportion_confint(k, n, 0.05, theirs)
    if theirs == "jeffreys":  # the ends are reached at 0 and n (Brown, Cai, DasGupta)
        low, high = (0.0 if k == 0 else low), (1.0 if k == n else high)
    found = ours(k, n)
    assert (found.low, found.high) == (near(low), near(high))


def test_a_rate_of_rows_in_clusters_enters_as_fractions() -> None:
    assert interval.wilson(10 / 3, 20 / 3).low == near(proportion.proportion_confint(10 / 3, 20 / 3, 0.05, "wilson")[0])


def test_nothing_observed_says_nothing_of_a_rate() -> None:
    assert (interval.wilson(0, 0).low, interval.wilson(0, 0).high) == (0.0, 1.0)


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3), (math.nan, 3), (1, math.inf)])
def test_what_is_no_rate_is_refused(k: float, n: float) -> None:
    for method in (interval.wilson, interval.jeffreys, interval.clopper_pearson):
        with pytest.raises(ValueError, match="no rate"):
            method(k, n)


def test_fifteen_rows_have_the_t_interval_of_scipy() -> None:
    values, counts = np.array([-1.0, 0, 1, 2]), np.array([3, 4, 5, 9])
    rows = np.repeat(values, counts)
    theirs = stats.t.interval(0.95, len(rows) - 1, rows.mean(), stats.sem(rows))
    found = interval.compute_mean_interval(values, counts)
    assert found
    assert (found.method, found.low, found.high) == ("t", near(theirs[0]), near(theirs[1]))


@pytest.mark.parametrize(
    "rows", [[0, 0, 1, 2, 2, 2, 2, 2], [1.5, 2.25, 9.0, 3.5, 4.0], [-1, 2, 2, 2, 2, 1, 2, 0, 2, 2]]
)
def test_few_rows_have_the_bca_interval_of_scipy(rows: list[float]) -> None:
    theirs = stats.bootstrap((rows,), np.mean, n_resamples=100_000, method="BCa", rng=1).confidence_interval
    found = interval.compute_mean_interval(*np.unique(rows, return_counts=True))
    assert found
    close = pytest.approx((theirs.low, theirs.high), abs=0.05 * (theirs.high - theirs.low))
    assert (found.method, (found.low, found.high)) == ("bca", close)


def test_a_bootstrap_interval_hangs_on_its_seed_alone() -> None:
    rows = ([0.13, 1.7, 2.9, 3.1, 4.77, 9.2], np.ones(6))
    assert (
        interval.compute_mean_interval(*rows, seed=7)
        == interval.compute_mean_interval(*rows, seed=7)
        != interval.compute_mean_interval(*rows, seed=8)
    )


@pytest.mark.parametrize(("values", "counts"), [([], []), ([1], [50]), ([1, 2], [2, 2]), ([0, 1, 2], [0, 30, 0])])
def test_too_few_rows_or_rows_of_one_value_have_no_interval(values: list[int], counts: list[int]) -> None:
    assert interval.compute_mean_interval(values, counts) is None


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_value_that_is_no_number_is_refused_everywhere(bad: float) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: interval.compute_mean_interval([bad, 1], [3, 20]),
        lambda: interval.compute_mean_interval([1, 2], [3, bad]),
        lambda: interval.compute_scale_interval([1, 2], [3, 4], [1, 2, bad]),
        lambda: interval.compute_clustered_interval([bad, 1.0], [0, 1]),
        lambda: paired.sign_flip([bad, 1.0]),
        lambda: paired.wilcoxon([bad, 1.0]),
        lambda: paired.cliffs_delta([bad], [1], [1], [1]),
        lambda: equivalence.tost([bad, 1.0], 0.1),
        lambda: equivalence.tost([0.0, 1.0], bad),
        lambda: equivalence.compute_detectable_difference(bad, 20),
        lambda: multiple_tests.holm([bad]),
        lambda: multiple_tests.friedman([[bad, 1.0]]),
        lambda: correlation.spearman([bad, 1, 2], [1, 2, 3]),
        lambda: ranking.bradley_terry([[0, bad], [1, 0]]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"."):
            call()


@given(GRADES, st.integers(-3, 3), st.sampled_from([0.5, 2.0, 4.0]))
def test_an_interval_moves_and_stretches_with_its_values(grades: list[int], shift: int, factor: float) -> None:
    values, counts = np.unique(grades, return_counts=True)
    plain = interval.compute_mean_interval(values, counts)
    moved = interval.compute_mean_interval(values[::-1] * factor + shift, counts[::-1])
    if plain is None or moved is None:
        assert plain is moved
    elif plain.method == "t":
        assert (moved.low, moved.high) == (near(plain.low * factor + shift), near(plain.high * factor + shift))
    assert plain is None or plain.low <= float(np.mean(grades)) <= plain.high


@given(GRADES)
def test_the_interval_on_a_scale_never_leaves_the_scale_and_holds_the_mean(grades: list[int]) -> None:
    found = interval.compute_scale_interval(*np.unique(grades, return_counts=True), [-1, 0, 1, 2])
    assert (found is None) == (len(grades) < 5)
    assert found is None or -1 <= found.low <= float(np.mean(grades)) <= found.high <= 2


def test_a_scale_of_two_values_has_jeffreys_interval() -> None:
    found, exact = interval.compute_scale_interval([0, 1], [15, 5], [0, 1]), interval.jeffreys(5, 20)
    assert found
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=0.01)


def test_twenty_rows_of_one_grade_leave_room_for_others() -> None:
    found = interval.compute_scale_interval([2], [20], [-1, 0, 1, 2])
    assert found
    assert (found.low < 1.9, found.high) == (True, 2.0)


def test_a_value_off_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="not on the scale"):
        interval.compute_scale_interval([7], [20], [-1, 0, 1, 2])


# clusters


def test_clusters_have_the_error_that_statsmodels_gives_a_mean() -> None:
    import statsmodels.api as sm

    code = np.array([0, 0, 0, 1, 1, 1, 2, 3, 3, 3, 2, 2])
    values = RNG.normal(size=12) + RNG.normal(size=4)[code]
    theirs = sm.OLS(values, np.ones(12)).fit(cov_type="cluster", cov_kwds={"groups": code, "use_correction": False})
    found = interval.compute_clustered_interval(values, code)
    error = float(theirs.bse[0]) * math.sqrt(4 / 3)
    half = stats.t.ppf(0.975, 3) * error
    assert found.interval
    assert (found.standard_error, found.clusters) == (near(error), 4)
    assert (found.interval.low, found.interval.high) == (near(values.mean() - half), near(values.mean() + half))
    assert found.design_effect == near((error / stats.sem(values)) ** 2)


def test_a_cluster_for_each_row_is_no_clustering() -> None:
    values = RNG.normal(size=20)
    plain = interval.compute_mean_interval(values, np.ones(20))
    found = interval.compute_clustered_interval(values, np.arange(20))
    assert plain
    assert found.interval
    assert (found.interval.low, found.interval.high, found.design_effect) == (
        near(plain.low),
        near(plain.high),
        near(1),
    )


def test_names_of_clusters_do_not_matter_but_a_missing_one_does() -> None:
    values, code = RNG.normal(size=9), np.array([0, 1, 2] * 3)
    assert interval.compute_clustered_interval(values, code * 7 + 3) == interval.compute_clustered_interval(
        values, code
    )
    with pytest.raises(ValueError, match="no cluster key"):
        interval.compute_clustered_interval(values, code - 1)
    with pytest.raises(ValueError, match="9 values have 2"):
        interval.compute_clustered_interval(values, [0, 1])


@pytest.mark.parametrize(
    ("values", "code", "clusters"),
    [
        ([], [], 0),
        ([1.0] * 9, [0, 1, 2] * 3, 3),
        ([1.0, 2, 3, 4, 5], [4] * 5, 1),
        ([1.0, 2.0], [0, 1], 2),
        ([1.0, 2, 3, 4, 5], [0, 0, 1, 1, 1], 2),
    ],
)
def test_clusters_that_tell_nothing_have_no_interval(values: list[float], code: list[int], clusters: int) -> None:
    assert interval.compute_clustered_interval(values, code) == interval.Clustered(None, clusters, None, None)


def test_clusters_with_equal_means_have_no_interval_of_width_0() -> None:
    assert interval.compute_clustered_interval([1, 2, 1, 2, 1, 2], [0, 0, 1, 1, 2, 2]).interval is None


# two conditions


@settings(deadline=None)
@given(DIFFERENCES, st.sampled_from([1.0, 0.1, 1 / 3, 0.25, -1.0]))
def test_the_sign_flip_test_tries_every_pattern_of_signs(d: list[int], step: float) -> None:
    p, how = paired.sign_flip(np.array(d) * step)
    signs = 1 - 2 * ((np.arange(2 ** len(d))[:, None] >> np.arange(len(d))) & 1)
    assert p == near(float((abs(signs @ np.array(d)) >= abs(sum(d))).mean()))
    assert how == "sign-flip permutation, exact"


@given(st.permutations(range(9)), st.booleans())
def test_order_and_direction_do_not_change_a_test(order: list[int], turn: bool) -> None:
    d = np.array([0.31, -0.2, 0.77, 1.5, -0.01, 0.4, 0.4, -0.9, 0.12])
    changed = d[list(order)] * (-1 if turn else 1)
    assert paired.sign_flip(changed)[0] == near(paired.sign_flip(d)[0])
    assert paired.wilcoxon(changed) == near(paired.wilcoxon(d))
    assert equivalence.tost(changed, 0.5) == near(equivalence.tost(d, 0.5))


def test_draws_come_close_to_what_scipy_draws_and_hang_on_the_seed() -> None:
    d = RNG.normal(0.25, 1, 60)
    theirs = stats.permutation_test((d,), np.sum, permutation_type="samples", n_resamples=50_000, rng=1).pvalue
    p, how = paired.sign_flip(d)
    assert (p, how) == (pytest.approx(theirs, abs=0.02), "sign-flip permutation, 9,999 draws")
    assert paired.sign_flip(d, seed=1) == paired.sign_flip(d, seed=1) != (p, how)


def test_very_many_measured_differences_go_by_the_normal_limit_and_say_so() -> None:
    d = RNG.normal(0.01, 1, 30_000)
    p, how = paired.sign_flip(d)
    assert (p, how) == (pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=1e-3), "sign-flip permutation, normal limit")


def test_a_hundred_thousand_grades_are_still_exact() -> None:
    d = RNG.integers(-3, 4, 100_000)
    p, how = paired.sign_flip(d)
    z = abs(d.sum() - 0) / math.sqrt(float(d @ d))
    assert (p, how) == (pytest.approx(2 * stats.norm.sf(z), abs=5e-3), "sign-flip permutation, exact")


def test_a_cluster_flips_as_a_whole() -> None:
    d, code = [1, 1, 1, 1, 2, 2, -1], [0, 0, 0, 0, 1, 1, 2]
    assert paired.sign_flip(d, code) == paired.sign_flip([4, 4, -1])
    assert paired.sign_flip(d, code)[0] == near(0.5)


@pytest.mark.parametrize("d", [[], [0.0, 0.0, 0.0]])
def test_no_difference_at_all_proves_nothing(d: list[float]) -> None:
    assert paired.sign_flip(d) == (1.0, "sign-flip permutation, exact")
    assert paired.wilcoxon(d) is None
    assert equivalence.tost(d, 0.1) == 1.0


@pytest.mark.parametrize(("n", "how"), [(39, "exact"), (42, "upper bound"), (400, "upper bound")])
def test_a_p_at_the_floor_of_rounding_is_not_called_exact(n: int, how: str) -> None:
    p, said = paired.sign_flip([1.0] * n)
    assert (p >= 2.0 ** (1 - n), said) == (True, f"sign-flip permutation, {how}")


@pytest.mark.parametrize(("b", "c"), [(0, 0), (3, 10), (10, 3), (7, 7), (0, 40)])
def test_mcnemar_is_that_of_statsmodels(b: int, c: int) -> None:
    expected = contingency_tables.mcnemar([[5, b], [c, 9]], exact=True).pvalue if b + c else 1.0
    assert paired.mcnemar(b, c) == near(expected)


def test_wilcoxon_is_that_of_scipy() -> None:
    free = RNG.normal(0.3, 1, 30)
    tied = np.array([1, 1, -1, 2, 3, 0, -2, 1, 0, 2, 2])
    many = np.concatenate([RNG.integers(-3, 4, 2000), [3] * 50])
    every = stats.PermutationMethod(n_resamples=10**6)
    assert paired.wilcoxon(free) == near(stats.wilcoxon(free).pvalue)
    assert paired.wilcoxon(tied) == near(stats.wilcoxon(tied[tied != 0], method=every).pvalue)
    assert paired.wilcoxon(many) == near(stats.wilcoxon(many, method="approx").pvalue)


def test_cliffs_delta_counts_the_pairs() -> None:
    a, b = RNG.integers(-1, 3, 40), RNG.integers(0, 4, 25)
    expected = float(np.sign(b[:, None] - a).mean())
    sides = (*np.unique(a, return_counts=True), *np.unique(b, return_counts=True))
    assert paired.cliffs_delta(*sides) == near(expected)
    assert paired.cliffs_delta(*sides[2:], *sides[:2]) == near(-expected)
    assert paired.cliffs_delta([5], [3], [1, 2], [4, 4]) == -1.0
    with pytest.raises(ValueError, match="no values"):
        paired.cliffs_delta([], [], [1], [1])


def test_equivalence_is_that_of_statsmodels() -> None:
    a, b = RNG.normal(0, 1, 40), RNG.normal(0.1, 1, 40)
    assert equivalence.tost(b - a, 0.7) == near(weightstats.ttost_paired(b, a, -0.7, 0.7)[0])
    assert equivalence.tost(b - a, 0.7, np.arange(40)) == near(equivalence.tost(b - a, 0.7))
    assert equivalence.tost(b - a, 0.7, np.arange(40) // 8) != equivalence.tost(b - a, 0.7)


@pytest.mark.parametrize("n", [5, 20, 200, 5000])
@pytest.mark.parametrize("level", [0.05, 0.01])
def test_the_smallest_difference_a_sample_can_show_is_that_of_statsmodels(n: int, level: float) -> None:
    theirs = power.TTestPower().solve_power(nobs=n, alpha=level, power=0.8)
    assert equivalence.compute_detectable_difference(1.5, n, level) == pytest.approx(1.5 * theirs, rel=1e-4)
    assert equivalence.compute_detectable_difference(0.0, n) == 0.0


# several


@settings(max_examples=some(20), deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_adjusted_p_are_those_of_statsmodels(ps: list[float]) -> None:
    assert multiple_tests.holm(ps) == pytest.approx(tuple(multitest.multipletests(ps, method="holm")[1]))
    assert multiple_tests.benjamini_hochberg(ps) == pytest.approx(
        tuple(multitest.multipletests(ps, method="fdr_bh")[1])
    )


def test_no_tests_have_no_adjusted_p() -> None:
    assert multiple_tests.holm(()) == multiple_tests.benjamini_hochberg(()) == ()


def test_friedman_and_cochran_are_those_of_scipy_and_statsmodels() -> None:
    grades, passed = RNG.integers(0, 3, (20, 4)), RNG.integers(0, 2, (20, 4))
    assert multiple_tests.friedman(grades) == near(stats.friedmanchisquare(*grades.T).pvalue)
    assert multiple_tests.cochran_q(passed) == near(contingency_tables.cochrans_q(passed).pvalue)
    assert multiple_tests.friedman(np.ones((5, 3))) == multiple_tests.cochran_q(np.ones((5, 3))) == 1.0
    with pytest.raises(ValueError, match="0 and 1"):
        multiple_tests.cochran_q([[0, 2], [1, 1]])


# the rest


def test_spearman_is_that_of_scipy_with_bonett_and_wrights_interval() -> None:
    x = RNG.integers(0, 5, 30)
    y = x + RNG.integers(0, 5, 30)
    rho, span, n = correlation.spearman(x, y)
    assert rho == near(stats.spearmanr(x, y).statistic)
    assert n == 30
    assert rho
    half = stats.norm.ppf(0.975) * math.sqrt((1 + rho**2 / 2) / 27)
    assert span
    assert (span.low, span.high) == (near(math.tanh(math.atanh(rho) - half)), near(math.tanh(math.atanh(rho) + half)))


def test_what_does_not_vary_is_not_correlated() -> None:
    assert correlation.spearman([1, 1, 1, 1], [1, 2, 3, 4]) == (None, None, 4)
    assert correlation.spearman([], []) == (None, None, 0)
    assert correlation.spearman([1, 2, 3, 4, 5], [2, 4, 6, 8, 9])[0] == 1.0


def test_a_judge_that_errs_is_corrected_as_rogan_and_gladen_do() -> None:
    found = rogan_gladen(40, 100, 45, 50, 40, 50)
    assert found.rate == near((0.4 + 0.8 - 1) / (0.9 + 0.8 - 1))
    assert found.interval
    assert found.interval.low < 0.2857 < found.interval.high
    assert (found.observed, found.sensitivity, found.specificity) == (0.4, 0.9, 0.8)
    wider = rogan_gladen(40, 100, 9, 10, 8, 10).interval
    assert wider
    assert wider.high - wider.low > found.interval.high - found.interval.low


def test_a_judge_no_better_than_chance_corrects_nothing() -> None:
    assert rogan_gladen(40, 100, 25, 50, 25, 50).rate is None
    with pytest.raises(ValueError, match="no rate"):
        rogan_gladen(40, 100, 0, 0, 25, 50)


def test_strengths_are_the_most_likely_ones() -> None:
    wins = np.array([[0, 30, 45], [20, 0, 33], [9, 14, 0]])
    found = ranking.bradley_terry(wins)
    s = np.array(found.strengths)
    padded = wins + 0.5 * (1 - np.eye(3))
    expected = (padded + padded.T) / (1 + np.exp(s[None, :] - s[:, None])) * (1 - np.eye(3))
    assert expected.sum(1) == pytest.approx(padded.sum(1), rel=1e-6)
    assert s.sum() == near(0.0)
    assert all(one.low < value < one.high for one, value in zip(found.intervals, s, strict=True))


def test_ties_and_winners_of_everything_have_finite_strengths() -> None:
    found = ranking.bradley_terry([[0, 5], [0, 0]], [[0, 2], [2, 0]])
    assert 0 < found.strengths[0] < 5
    assert found.strengths[0] == near(-found.strengths[1])
    assert found.connected
    assert not ranking.bradley_terry([[0, 1, 0], [1, 0, 0], [0, 0, 0]]).connected
    assert ranking.bradley_terry([[0]]).strengths == (0.0,)
