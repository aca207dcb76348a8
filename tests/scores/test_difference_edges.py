"""Paired differences at their edges: none, few, all alike, in few clusters; and what must not change them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st
from score_files import Write, load

from readback.scores.comparing import difference, omnibus
from readback.scores.comparing.comparison import Comparison
from readback.scores.table import Planned, ScoreTable
from readback.types import Criterion

A, B = (("condition", "a"),), (("condition", "b"),)
HEADER = "item,condition,criterion,score,judge,cluster\n"
PAIRS = st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 2), st.integers(0, 4)), min_size=1, max_size=25)
WRITES = settings(max_examples=some(25), deadline=None)


def table(write: Write, rows: Sequence[tuple[str, str, Any, Any]], criterion: str = "grade") -> ScoreTable:
    """Rows of (item, condition, score, cluster)."""
    text = "".join(f"{item},{name},{criterion},{score},j,{cluster}\n" for item, name, score, cluster in rows)
    return load(write({"s.csv": HEADER + text}), criteria={criterion: Criterion(criterion, scores=(-1.0,))})


def two(
    write: Write, a: Sequence[Any], b: Sequence[Any], clusters: Sequence[Any] | None = None, margin: float | None = None
) -> Comparison:
    known = clusters if clusters is not None else [""] * len(a)
    rows = [(f"q{at}", name, value, known[at]) for name, side in (("a", a), ("b", b)) for at, value in enumerate(side)]
    made = difference.compute_difference(table(write, rows), A, B, "grade", "j", Planned("a", "b", margin=margin))
    return difference.decide(made)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_fewer_than_five_items_have_a_mean_and_no_interval_and_no_claim(write: Write, n: int) -> None:
    found = two(write, [0] * n, [1, 2, 2, 1][:n], margin=0.5)
    assert (found.verdict, found.span, found.detectable, found.p_equivalent) == ("too few", None, None, None)
    assert found.difference == pytest.approx(sum([1, 2, 2, 1][:n]) / n)
    assert not found.at_odds


def test_no_shared_item_has_no_difference(write: Write) -> None:
    rows = [("q0", "a", 1, ""), ("q1", "b", 2, "")]
    found = difference.decide(difference.compute_difference(table(write, rows), A, B, "grade", "j"))
    assert (found.n_shared, found.difference, found.p, found.verdict) == (0, None, None, "too few")


def test_five_items_have_a_t_interval(write: Write) -> None:
    found = two(write, [0, 0, 1, 1, 0], [1, 2, 1, 1, 0])
    assert (found.method, found.seed) == ("t", None)
    assert found.detectable is not None
    assert math.isfinite(found.detectable)


@pytest.mark.parametrize("n", [5, 14, 40])
def test_items_that_all_tie_are_constant_and_show_nothing(write: Write, n: int) -> None:
    found = two(write, [1] * n, [1] * n, margin=0.1)
    assert (found.verdict, found.p, found.span, found.p_equivalent, found.detectable) == (
        "constant",
        1.0,
        None,
        None,
        None,
    )
    assert (found.p_wilcoxon, found.delta) == (None, 0.0)


def test_items_that_all_differ_by_the_same_have_no_interval_but_a_p(write: Write) -> None:
    found = two(write, [0] * 8, [1] * 8, margin=2.0)
    assert (found.verdict, found.span, found.p) == ("b is higher", None, pytest.approx(2 / 2**8))
    assert (found.p_equivalent, found.detectable) == (None, None)


@pytest.mark.parametrize("margin", [0.0, -0.5])
def test_a_margin_of_nothing_is_no_margin(write: Write, margin: float) -> None:
    found = two(write, [0, 1] * 10, [1, 0] * 10, margin=margin)
    assert (found.p_equivalent, found.verdict) == (None, "not separated")


@pytest.mark.parametrize("clusters", [["d"] * 12, ["d", "e"] * 6])
def test_one_or_two_clusters_have_no_interval_and_no_claim(write: Write, clusters: list[str]) -> None:
    found = two(write, [0] * 12, [1, 2] * 5 + [0, 1], clusters, margin=3.0)
    assert (found.span, found.detectable, found.p_equivalent) == (None, None, 1.0)
    assert found.clusters == len(set(clusters))
    assert found.verdict == "not separated"


def test_one_cluster_that_holds_nearly_all_items_has_a_wide_interval_and_no_crash(write: Write) -> None:
    d = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 0, 1, 0]
    found = two(write, [0] * 13, d, ["d"] * 11 + ["e", "f"])
    assert found.span
    assert found.detectable is not None
    assert found.span[0] < 0 < found.span[1]
    assert found.detectable > found.difference
    assert found.verdict == "not separated"


def test_one_is_called_higher_only_if_interval_and_test_both_say_so() -> None:
    made = Comparison(A, B, "grade", "j", 20, 0, 0, "too few", difference=0.3, interval=(-0.1, 0.7), p=0.01)
    assert difference.decide(made).verdict == "not separated"
    assert difference.decide(made).at_odds
    sure = Comparison(A, B, "grade", "j", 20, 0, 0, "too few", difference=0.3, interval=(0.1, 0.5), p=0.01)
    assert difference.decide(sure).verdict == "b is higher"
    assert not difference.decide(sure).at_odds


def test_a_bold_interval_beside_a_careful_test_is_at_odds_and_open(write: Write) -> None:
    found = two(write, [0] * 8, [1, 1, 1, 1, 1, 0, 0, 0])
    assert found.span
    assert found.span[0] > 0
    assert (found.p, found.verdict, found.at_odds) == (pytest.approx(2 / 2**5), "not separated", True)


@WRITES
@given(PAIRS, st.booleans())
def test_turned_round_the_difference_turns_round(write: Write, pairs: Any, grouped: bool) -> None:
    a, b, clusters = ([one[at] for one in pairs] for at in range(3))
    plain = two(write, a, b, clusters if grouped else None)
    turned = two(write, b, a, clusters if grouped else None)
    assert (turned.p, turned.p_wilcoxon) == (pytest.approx(plain.p), _near(plain.p_wilcoxon))
    assert turned.difference == pytest.approx(-plain.difference) if plain.difference is not None else True
    assert (turned.wins, turned.losses, turned.ties) == (plain.losses, plain.wins, plain.ties)
    assert turned.delta == pytest.approx(-plain.delta) if plain.delta is not None else True
    for one, other in ((plain.interval, turned.interval), (plain.interval_clustered, turned.interval_clustered)):
        assert one is other is None or (other is not None and (-other[1], -other[0]) == pytest.approx(one))


@WRITES
@given(PAIRS, st.integers(-3, 3), st.randoms(use_true_random=False))
def test_a_constant_on_both_sides_and_the_order_of_rows_change_nothing(
    write: Write, pairs: Any, shift: int, random: Any
) -> None:
    a, b, clusters = ([one[at] for one in pairs] for at in range(3))
    moved = two(write, [one + shift for one in a], [one + shift for one in b], clusters)
    order = random.sample(range(len(a)), len(a))
    mixed = two(write, [a[at] for at in order], [b[at] for at in order], [clusters[at] for at in order])
    plain = two(write, a, b, clusters)
    for name in ("difference", "interval", "interval_clustered", "p", "p_wilcoxon", "design_effect", "detectable"):
        assert getattr(moved, name) == _near(getattr(plain, name)), name
        assert getattr(mixed, name) == _near(getattr(plain, name)), name


@WRITES
@given(PAIRS)
def test_clusters_of_one_item_are_no_clusters(write: Write, pairs: Any) -> None:
    a, b = ([one[at] for one in pairs] for at in range(2))
    alone, plain = two(write, a, b, [f"d{at}" for at in range(len(a))]), two(write, a, b)
    assert (alone.p, alone.verdict) == (pytest.approx(plain.p), plain.verdict)
    assert alone.span == _near(plain.span)


def _near(value: Any) -> Any:
    return None if value is None else pytest.approx(value, abs=1e-9)


# several conditions at once


def several(
    write: Write, scores: Sequence[Sequence[Any]], clusters: Sequence[Any] | None = None, kind: str = "r"
) -> Any:
    """One row of scores for each item; None where it has none."""
    rows = [
        (f"q{at}", f"c{place}", value, "" if clusters is None else clusters[at])
        for at, item in enumerate(scores)
        for place, value in enumerate(item)
        if value is not None
    ]
    return omnibus.run_omnibus_tests(table(write, rows, kind))


def test_friedman_takes_items_scored_everywhere_and_counts_the_others(write: Write) -> None:
    from scipy import stats

    scores = [[0, 1, 2], [1, 1, 2], [0, 2, 2], [1, 0, 2], [0, 1, 1], [2, 2, 2], [None, 1, 2], [0, None, None]]
    (found,) = several(write, scores)
    assert (found.test, found.items, found.left_out, found.clusters) == ("Friedman", 6, 2, None)
    assert found.p == pytest.approx(stats.friedmanchisquare(*zip(*scores[:6], strict=True)).pvalue)


def test_cochrans_q_is_made_of_rates(write: Write) -> None:
    from statsmodels.stats import contingency_tables

    scores = [[at % 2, 1, int(at % 3 == 0)] for at in range(12)]
    (found,) = several(write, scores, kind="pass")
    assert (found.test, found.items) == ("Cochran's Q", 12)
    assert found.p == pytest.approx(contingency_tables.cochrans_q(scores).pvalue)


def test_items_that_tie_everywhere_show_nothing(write: Write) -> None:
    (found,) = several(write, [[1, 1, 1]] * 7)
    assert found.p == 1.0


def test_items_of_one_cluster_count_once(write: Write) -> None:
    scores = [[at % 3, (at + 1) % 3, (at * at) % 3] for at in range(24)]
    (plain,) = several(write, scores)
    (found,) = several(write, scores, [f"d{at // 3}" for at in range(24)])
    (alone,) = several(write, scores, [f"d{at}" for at in range(24)])
    assert (found.items, found.clusters, alone.clusters) == (24, 8, None)
    assert alone.p == plain.p
    assert several(write, scores, [f"d{at % 4}" for at in range(24)]) == ()  # four clusters are too few


@pytest.mark.parametrize("scores", [[[0, 1]] * 9, [[0, 1, 2]] * 4, [[0, 1, None], [None, 1, 2]] * 5, []])
def test_two_conditions_or_few_shared_items_have_no_test(write: Write, scores: Any) -> None:
    assert several(write, scores) == ()


def test_every_number_of_a_comparison_is_finite_or_none(write: Write) -> None:
    found = two(write, [0, 1, 2, 0, 1, 2, 2], [2, 2, 2, 1, 1, 0, 1], ["d", "d", "d", "d", "e", "e", "f"], 0.3)
    for one in fields(found):
        value = getattr(found, one.name)
        assert not isinstance(value, float) or math.isfinite(value), one.name
