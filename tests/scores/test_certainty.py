"""Which interval a mean or a rate gets: by its scale, its rows and their clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from readback.scores.certainty import certainty, choose_interval
from readback.scores.table import NONE
from readback.stats import interval
from readback.types import Criterion

GRADES = Criterion("relevance", "ordinal", (-1.0, 0.0, 1.0, 2.0))
RATE = Criterion("pass", "binary", (0.0, 1.0))


def of(values: Any, clusters: Any = None, criterion: Criterion = GRADES, declared: bool = True) -> Any:
    given = np.array(values, float)
    codes = np.full(len(given), NONE) if clusters is None else np.array(clusters)
    return certainty(given, np.arange(len(given)), codes, criterion, declared)


@pytest.mark.parametrize(
    ("values", "there"),
    [
        ([2] * 14 + [1] * 6, True),  # 70 %
        ([2] * 13 + [1] * 7, False),
        ([2, 1, 0, -1] * 4, False),
        ([2, 1, 0, -1, 2, 1, 0, -1, 2, 1, 0, -1, 2, 1], True),  # 14 rows
        ([2, 1, 0, -1, 2], True),
        ([2, 1, 0, -1], False),  # too few for any
        ([2] * 20, True),
        ([], False),
    ],
)
def test_the_interval_on_the_scale_stands_beside_where_the_other_is_too_narrow(values: list[int], there: bool) -> None:
    found = of(values)
    assert (found.interval_on_scale is not None) == there
    if there:
        expected = interval.compute_scale_interval(*np.unique(values, return_counts=True), GRADES.values)
        assert expected
        assert found.interval_on_scale == (expected.low, expected.high)


@pytest.mark.parametrize(
    ("criterion", "declared"),
    [
        (GRADES, False),  # inferred: other grades may exist
        (RATE, True),  # Wilson's needs no help
        (Criterion("x", "ordinal", (0.0, 1.0)), True),  # a value off the scale
        (Criterion("x", "numeric", (), 0.0, 1.0), True),  # no list of grades
        (Criterion("x", "nominal", (-1.0, 0.0, 1.0, 2.0)), True),
        (Criterion("x"), True),
    ],
)
def test_there_is_none_without_a_declared_list_of_grades(criterion: Criterion, declared: bool) -> None:
    values = [1] * 18 + [0, 0] if criterion is RATE else [2] * 18 + [1, -1]
    assert of(values, None, criterion, declared).interval_on_scale is None


def test_rows_in_clusters_have_the_clustered_interval_and_none_on_the_scale() -> None:
    found = of([2] * 18 + [1, -1], np.arange(20) // 4)
    assert found.span == found.interval_clustered != found.interval
    assert (found.clusters, found.method_clustered, found.interval_on_scale) == (5, "clustered t", None)


def test_uneven_clusters_name_the_correction() -> None:
    found = of([2, 1, 0, -1] * 5, [0] * 9 + [1] * 3 + [2] * 4 + [3] * 4)
    assert found.method_clustered == interval.UNEVEN


def test_clusters_of_one_row_change_nothing() -> None:
    values = [2, 1, 0, -1, 2, 2, 1]
    alone, plain = of(values, range(7)), of(values)
    assert (alone.span, alone.method_clustered) == (plain.interval, "bca")
    assert (alone.clusters, alone.design_effect) == (7, 1.0)


def test_two_clusters_say_too_little_for_a_mean_and_the_interval_of_the_rows_is_not_shown_in_their_place() -> None:
    found = of([2, 1, 0, -1] * 5, np.arange(20) // 10)
    assert (found.interval is not None, found.interval_clustered, found.span, found.clusters) == (True, None, None, 2)


def test_a_rate_in_clusters_always_has_an_interval() -> None:
    for rows in ([1] * 12, [1] * 11 + [0], [0, 1]):
        codes = np.arange(len(rows)) // (len(rows) // 2)
        found = of(rows, codes, RATE)
        assert found.interval_clustered == found.span
        low, high = found.span
        assert low <= found.interval[0] < found.interval[1] <= high or high == 1.0


def test_names_have_clusters_and_no_interval() -> None:
    found = of([2, 1, 0, -1] * 5, np.arange(20) // 4, Criterion("x", "nominal"))
    assert (found.span, found.clusters) == (None, 5)


@pytest.mark.parametrize(
    ("clustered", "clusters", "effect", "seen"),
    [
        (None, None, None, (0, 1)),
        ((2, 3), 5, 1.4, (2, 3)),
        (None, 2, None, None),
        (None, 5, 0.0, (0, 1)),  # all clusters have the same mean
    ],
)
def test_one_interval_is_shown(clustered: Any, clusters: Any, effect: Any, seen: Any) -> None:
    assert choose_interval((0, 1), clustered, clusters, effect) == seen
