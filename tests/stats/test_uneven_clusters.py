"""Rows in clusters: what the corrected interval is made of, and what must not change it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, stats
from statsmodels.stats import power, proportion

from readback.stats import equivalence, interval, paired

SIZES = ([1, 2, 3, 4, 9], [30, 2, 2, 2], [1, 1, 1, 1, 2], [7, 5, 6, 8, 4, 5, 6, 7, 6], [40, *[3] * 20])
GRADED = st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 5)), min_size=5, max_size=40)
RNG = np.random.default_rng(11)


def near(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, rel=1e-9, abs=1e-12)


def rows(sizes: list[int], common: float) -> tuple[Any, Any]:
    code = np.repeat(np.arange(len(sizes)), sizes)
    return RNG.normal(size=len(code)) + common * RNG.normal(size=len(sizes))[code], code


def by_matrices(values: Any, code: Any) -> tuple[float, float]:
    """CR2 and its degrees of freedom as Bell, McCaffrey and Imbens, Kolesár write them: matrices of rows by rows."""
    n, sizes = len(values), np.bincount(code)
    x, many = np.ones((n, 1)), len(sizes)
    left = np.eye(n) - x @ x.T / n  # I − X(X'X)⁻¹X'
    off = left @ values
    means = np.bincount(code, off) / sizes
    within = float(((off - means[code]) ** 2).sum()) / (n - many)
    typical = (n - float(sizes @ sizes) / n) / (many - 1)
    common = max(0.0, (float(means**2 @ sizes) / (many - 1) - within) / typical)
    same = code[:, None] == code
    covariance = within * np.eye(n) + common * same
    error, columns = 0.0, []
    for one in range(many):
        here = code == one
        adjusted = linalg.inv(linalg.sqrtm(left[np.ix_(here, here)])) @ x[here] / n
        error += float((off[here] @ adjusted).item()) ** 2
        columns.append(left[:, here] @ adjusted)
    g = np.hstack(columns)
    eigenvalues = np.linalg.eigvalsh(g.T @ covariance @ g)
    return math.sqrt(error), float(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("common", [0.0, 0.5, 2.0])
def test_the_closed_form_is_that_of_the_matrices(sizes: list[int], common: float) -> None:
    values, code = rows(sizes, common)
    found = interval.compute_clustered_interval(values, code)
    error, df = by_matrices(values, code)
    assert (found.error, found.df) == (pytest.approx(error, rel=1e-7), pytest.approx(df, rel=1e-6))
    assert found.interval
    assert found.interval.method == interval.UNEVEN
    half = stats.t.ppf(0.975, df) * error
    assert (found.interval.low, found.interval.high) == pytest.approx((values.mean() - half, values.mean() + half))


@pytest.mark.parametrize("many", [3, 10, 40])
def test_clusters_of_one_size_have_the_plain_formula_to_the_last_bit(many: int) -> None:
    values, code = rows([6] * many, 1.0)
    found = interval.compute_clustered_interval(values, code)
    assert (found.error, found.df) == (found.standard_error, many - 1)
    assert found.interval
    assert found.interval.method == interval.EVEN == "clustered t"
    assert by_matrices(values, code) == pytest.approx((found.standard_error, many - 1))


def test_where_one_cluster_holds_half_of_the_rows_the_interval_is_worth_few_degrees_of_freedom() -> None:
    values, code = rows([190, *[10] * 19], 1.0)
    found = interval.compute_clustered_interval(values, code)
    assert found.df
    assert 1 <= found.df < 4 < found.clusters - 1


@settings(deadline=None)
@given(GRADED, st.randoms(use_true_random=False), st.integers(-3, 3))
def test_order_names_direction_and_a_constant_do_not_change_it(given_rows: Any, random: Any, shift: int) -> None:
    values, code = (np.array(column) for column in zip(*given_rows, strict=True))
    order = random.sample(range(len(values)), len(values))
    plain, turned = (
        interval.compute_clustered_interval(values, code),
        interval.compute_clustered_interval(-values[order], 7 - code[order]),
    )
    moved = interval.compute_clustered_interval(values + shift, code)
    assert (turned.design_effect, turned.df) == (near(plain.design_effect), near(plain.df))
    assert (moved.design_effect, moved.error) == (near(plain.design_effect), near(plain.error))
    if plain.interval is None or turned.interval is None or moved.interval is None:
        assert plain.interval is turned.interval is moved.interval is None
        return
    low, high = plain.interval.low, plain.interval.high
    assert (turned.interval.low, turned.interval.high) == (near(-high), near(-low))
    assert (moved.interval.low, moved.interval.high) == (near(low + shift), near(high + shift))
    assert plain.df is not None
    assert 1 - 1e-9 <= plain.df <= plain.clusters - 1 + 1e-9


@given(st.lists(st.integers(-3, 3), min_size=0, max_size=30))
def test_clusters_of_one_row_are_no_clusters(d: list[int]) -> None:
    alone = np.arange(len(d))
    assert interval.compute_difference_interval(d, alone) is None or len(d) >= interval.LEAST
    with_them, without = interval.compute_difference_interval(d, alone), interval.compute_difference_interval(d)
    assert (with_them is None) == (without is None)
    if with_them and without:
        assert (with_them.low, with_them.high) == (near(without.low), near(without.high))
    assert paired.sign_flip(d, alone) == paired.sign_flip(d)
    assert equivalence.tost(d, 0.5, alone) == near(equivalence.tost(d, 0.5)) or len(d) < interval.LEAST


@pytest.mark.parametrize("n", [5, 8, 14, 15, 60])
def test_differences_have_the_paired_t_interval_of_scipy_at_every_size(n: int) -> None:
    a, b = RNG.integers(0, 4, n), RNG.integers(0, 4, n)
    a[0], b[0], a[1], b[1] = 0, 3, 1, 1
    theirs = stats.ttest_rel(b, a).confidence_interval()
    found = interval.compute_difference_interval(b - a)
    assert found
    assert (found.low, found.high, found.method) == (near(theirs.low), near(theirs.high), "t")


@pytest.mark.parametrize("d", [[], [1.0], [1.0, -1.0, 0.0, 2.0], [0.0] * 20, [1.5] * 20])
def test_few_differences_or_equal_ones_have_no_interval(d: list[float]) -> None:
    assert interval.compute_difference_interval(d) is None
    assert interval.compute_difference_interval(d, np.arange(len(d)) // 2) is None


def test_differences_of_one_or_two_clusters_have_none_and_clusters_of_equal_means_that_of_their_rows() -> None:
    d = np.array([1.0, 2, 0, 3, 1, -1, 2, 0])
    assert interval.compute_difference_interval(d, np.zeros(8, int)) is None
    assert interval.compute_difference_interval(d, np.arange(8) // 4) is None
    equal = np.array([1.0, 2, 1, 2, 1, 2])
    assert interval.compute_difference_interval(equal, [0, 0, 1, 1, 2, 2]) == interval.compute_difference_interval(
        equal
    )


# rates


def test_a_rate_of_even_clusters_is_wilsons_with_n_divided_by_the_design_effect() -> None:
    passed, code = np.array([1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1]), np.arange(16) // 4
    found = interval.compute_clustered_rate_interval(passed, code)
    effect = interval.compute_clustered_interval(passed, code).design_effect
    assert found.interval
    assert effect
    assert effect > 1
    low, high = proportion.proportion_confint(passed.sum() / effect, 16 / effect, method="wilson")
    assert (found.interval.low, found.interval.high, found.design_effect) == (near(low), near(high), near(effect))


def test_a_rate_of_uneven_clusters_is_less_sure_than_by_the_plain_effect() -> None:
    code = np.repeat(np.arange(8), [30, 3, 3, 3, 3, 3, 3, 3])
    passed = RNG.random(len(code)) < np.where(code % 2, 0.8, 0.3)
    found, plain = (
        interval.compute_clustered_rate_interval(passed, code),
        interval.compute_clustered_interval(passed, code),
    )
    assert plain.design_effect
    by_plain = interval.wilson(passed.sum() / plain.design_effect, len(code) / plain.design_effect)
    assert found.interval
    assert found.interval.low < by_plain.low < by_plain.high < found.interval.high
    assert found.design_effect == plain.design_effect


def test_clusters_never_make_a_rate_surer() -> None:
    passed, code = np.tile([0, 1], 10), np.arange(20) // 2
    found = interval.compute_clustered_rate_interval(passed, code)
    assert found.interval
    low, high = proportion.proportion_confint(10, 20, method="wilson")
    assert (found.interval.low, found.interval.high) == (near(low), near(high))


@pytest.mark.parametrize(("rate", "low", "high"), [(0, 0.0, None), (1, None, 1.0)])
def test_a_rate_of_rows_that_are_all_alike_counts_clusters(rate: int, low: float | None, high: float | None) -> None:
    found = interval.compute_clustered_rate_interval(np.full(40, rate), np.arange(40) // 10)
    theirs = proportion.proportion_confint(4 * rate, 4, method="wilson")
    assert found.interval
    assert found.design_effect is None
    assert found.interval.low == near(theirs[0] if low is None else low)
    assert found.interval.high == near(theirs[1] if high is None else high)


def test_a_rate_of_one_cluster_says_next_to_nothing() -> None:
    found = interval.compute_clustered_rate_interval([1, 0, 1, 1, 0, 1, 1, 1], np.zeros(8, int))
    theirs = proportion.proportion_confint(0.75, 1, method="wilson")
    assert found.interval
    assert (found.interval.low, found.interval.high) == (near(theirs[0]), near(theirs[1]))


@pytest.mark.parametrize("passed", [[], [0, 2], [0.5, 1]])
def test_what_is_no_row_of_a_rate_is_refused(passed: list[float]) -> None:
    with pytest.raises(ValueError, match="0 and 1"):
        interval.compute_clustered_rate_interval(passed, np.zeros(len(passed), int))


# what else is on the error over clusters


@pytest.mark.parametrize("df", [1.0, 2.5, 9.0, 199.0])
def test_the_smallest_difference_by_an_error_has_the_power_that_is_asked(df: float) -> None:
    edge, shown = stats.t.ppf(0.975, df), equivalence.compute_detectable_from_error(0.2, df) / 0.2
    assert stats.nct.sf(edge, df, shown) + stats.nct.cdf(-edge, df, shown) == pytest.approx(0.8, abs=1e-3)


def test_by_n_and_by_error_it_is_the_same() -> None:
    assert equivalence.compute_detectable_difference(1.5, 40) == equivalence.compute_detectable_from_error(
        1.5 / math.sqrt(40), 39
    )
    theirs = power.TTestPower().solve_power(nobs=40, alpha=0.05, power=0.8)
    assert equivalence.compute_detectable_difference(1.5, 40) == pytest.approx(1.5 * theirs, rel=1e-4)


@pytest.mark.parametrize(("error", "df"), [(-1.0, 5.0), (1.0, 0.0), (math.nan, 5.0), (1.0, math.nan), (math.inf, 5.0)])
def test_an_error_that_is_none_is_refused(error: float, df: float) -> None:
    with pytest.raises(ValueError, match="an error of 0 or more"):
        equivalence.compute_detectable_from_error(error, df)


def test_equivalence_uses_the_error_of_the_interval() -> None:
    values, code = rows([1, 2, 3, 4, 9, 6, 5], 0.3)
    found = interval.compute_clustered_interval(values, code)
    assert found.error
    assert found.df
    mean = float(values.mean())
    expected = max(stats.t.sf((mean + 1) / found.error, found.df), stats.t.cdf((mean - 1) / found.error, found.df))
    assert equivalence.tost(values, 1.0, code) == near(expected)
    assert equivalence.tost(values, 1.0, np.arange(len(values)) % 2) == 1.0
