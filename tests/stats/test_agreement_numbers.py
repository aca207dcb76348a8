"""Alpha on published examples, kappa beside scikit-learn, and what says nothing gives nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from readback.stats import agreement

NAN = math.nan
# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section E: 12 units, 4 observers
PUBLISHED = [
    [1, 1, NAN, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [NAN, 5, 5, 5], [NAN, NAN, 1, 1], [NAN, NAN, 3, NAN],
]  # fmt: skip
# the same, section A: two observers, ten units, binary
BINARY = np.array([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]).T
RATINGS = st.lists(st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0, NAN]), min_size=3, max_size=3), max_size=12)
RNG = np.random.default_rng(11)


@pytest.mark.parametrize(
    ("ratings", "metric", "alpha"),
    [
        (PUBLISHED, "nominal", 0.743),
        (PUBLISHED, "ordinal", 0.815),
        (PUBLISHED, "interval", 0.849),
        (BINARY, "nominal", 0.095),
    ],
)
def test_alpha_is_the_published_one(ratings: Any, metric: agreement.Metric, alpha: float) -> None:
    assert agreement.krippendorff(ratings, metric) == pytest.approx(alpha, abs=5e-4)


@pytest.mark.parametrize("metric", agreement.METRICS)
@given(ratings=RATINGS)
def test_alpha_is_that_of_the_whole_matrix_of_coincidences(ratings: Any, metric: agreement.Metric) -> None:
    table = np.array(ratings, float).reshape(-1, 3)
    assert agreement.krippendorff(table, metric) == (None if (e := _matrix(table, metric)) is None else near(e))
    turned = agreement.krippendorff(table[::-1, ::-1], metric)
    assert turned == (None if e is None else near(e))
    if metric != "ordinal":
        assert agreement.krippendorff(table * 4 + 8, metric) == (None if e is None else near(e))


@given(RATINGS)
def test_names_and_grades_of_two_values_agree_alike(ratings: Any) -> None:
    table = np.where(np.isfinite(t := np.array(ratings, float).reshape(-1, 3)), t > 0, NAN)
    found = [agreement.krippendorff(table, metric) for metric in agreement.METRICS]
    assert found == [None] * 3 or found == [near(found[0])] * 3


@pytest.mark.parametrize("ratings", [np.empty((0, 2)), [[1, NAN], [NAN, 2]], [[1, 1], [1, 1]], [[1], [2]]])
def test_ratings_that_share_nothing_or_never_differ_have_no_alpha(ratings: Any) -> None:
    assert [agreement.krippendorff(ratings, metric) for metric in agreement.METRICS] == [None] * 3


def test_full_agreement_is_one_and_has_no_interval() -> None:
    value = np.repeat(RNG.integers(0, 3, 30), 2)
    unit = np.repeat(np.arange(30), 2)
    assert agreement.alpha(unit, value) == near(1.0)
    assert agreement.compute_alpha_interval(unit, value, unit) is None


def test_the_interval_of_alpha_holds_it_and_hangs_on_the_seed() -> None:
    unit = np.repeat(np.arange(60), 3)
    value = np.repeat(RNG.integers(0, 4, 60), 3) + RNG.integers(0, 2, 180)
    first, again, other = (agreement.compute_alpha_interval(unit, value, unit, seed=seed) for seed in (1, 1, 2))
    alpha = agreement.alpha(unit, value)
    assert first == again != other
    assert first
    assert alpha
    assert first.low < alpha < first.high


def test_units_of_one_item_are_drawn_together() -> None:
    unit = np.repeat(np.arange(60), 2)
    item = unit // 10
    value = np.repeat(RNG.integers(0, 4, 6), 20) + (RNG.integers(0, 2, 6)[item] * (np.arange(120) % 2))
    alone = agreement.compute_alpha_interval(unit, value, unit)
    together = agreement.compute_alpha_interval(unit, value, item)
    assert alone
    assert together
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_very_many_units_are_drawn_in_groups_with_the_same_spread() -> None:
    unit = np.repeat(np.arange(4 * agreement.GROUPED), 2)
    value = np.repeat(RNG.integers(0, 4, len(unit) // 2), 2) + RNG.integers(0, 2, len(unit))
    found = agreement.compute_alpha_interval(unit, value, unit)
    few = agreement.compute_alpha_interval(unit[: len(unit) // 4], value[: len(unit) // 4], unit[: len(unit) // 4])
    assert found
    assert few
    assert (few.high - few.low) / (found.high - found.low) == pytest.approx(2, rel=0.15)


@pytest.mark.parametrize(("weights", "theirs"), [("none", None), ("linear", "linear"), ("quadratic", "quadratic")])
def test_kappa_is_that_of_scikit_learn(weights: agreement.Weights, theirs: str | None) -> None:
    a = RNG.integers(-1, 3, 80)
    b = np.clip(a + RNG.integers(-1, 2, 80), -1, 2)
    assert agreement.kappa(a, b, weights) == near(cohen_kappa_score(a, b, weights=theirs))
    assert agreement.kappa(b, a, weights) == near(cohen_kappa_score(a, b, weights=theirs))
    held = a[a != 1], b[a != 1]  # a step of the scale that one of them never uses
    scale = [-1, 0, 1, 2]
    assert agreement.kappa(*held, weights, scale) == near(cohen_kappa_score(*held, weights=theirs, labels=scale))


def test_kappa_counts_steps_of_the_scale_and_not_of_the_values_met() -> None:
    a, b = [0, 0, 3, 3, 0], [0, 3, 3, 3, 0]
    assert agreement.kappa(a, b, "linear", [0, 1, 2, 3]) == near(agreement.kappa(a, b, "linear"))
    a, b = [0, 0, 1, 3, 3, 0], [0, 1, 1, 3, 1, 0]
    assert agreement.kappa(a, b, "quadratic", [0, 1, 2, 3]) != near(agreement.kappa(a, b, "quadratic"))


@pytest.mark.parametrize(("a", "b"), [([], []), ([1, 1], [1, 1])])
def test_no_units_or_one_value_have_no_kappa(a: list[int], b: list[int]) -> None:
    assert agreement.kappa(a, b) is None


def test_confusion_and_share_are_counted() -> None:
    a, b = RNG.integers(-1, 3, 50), RNG.integers(-1, 3, 50)
    assert np.array_equal(agreement.confusion(a, b, [-1, 0, 1, 2]), confusion_matrix(a, b, labels=[-1, 0, 1, 2]))
    assert np.array_equal(agreement.confusion(a, b, [2, -1, 0, 1]), confusion_matrix(a, b, labels=[2, -1, 0, 1]))
    assert agreement.exact_share(a, b) == near(float((a == b).mean()))
    assert agreement.exact_share([], []) is None


@pytest.mark.parametrize(("a", "b"), [([1, 2], [1]), ([1, NAN], [1, 2]), ([1, 7], [1, 2])])
def test_ratings_that_do_not_pair_or_lie_off_the_scale_are_refused(a: list[float], b: list[float]) -> None:
    with pytest.raises(ValueError, match=r"."):
        agreement.confusion(a, b, [1, 2])


def near(value: float | None) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def _matrix(table: Any, metric: str) -> float | None:
    """Alpha by the matrix of coincidences, as it is defined."""
    values = np.unique(table[np.isfinite(table)])
    o = np.zeros((len(values), len(values)))
    for row in table:
        given = np.searchsorted(values, row[np.isfinite(row)])
        for i, c in enumerate(given):
            for j, k in enumerate(given):
                o[c, k] += (i != j) / max(len(given) - 1, 1)
    n = o.sum(1)
    between = [[n[min(c, k) : max(c, k) + 1].sum() - (n[c] + n[k]) / 2 for k in range(len(n))] for c in range(len(n))]
    d = {
        "nominal": 1.0 - np.eye(len(n)),
        "interval": (values[:, None] - values) ** 2,
        "ordinal": np.array(between, float).reshape(len(n), len(n)) ** 2,
    }[metric]
    expected = (np.outer(n, n) * d).sum()
    return None if not expected else float(1 - (n.sum() - 1) * (o * d).sum() / expected)
