"""Charts of scores: the criterion's own scale, n and missing on every mark, nothing by colour alone, words beside."""

from __future__ import annotations

import json
from typing import Any

import pytest
from chart_columns import list_columns

from readback.scores import charts
from readback.scores.summary_row import Row
from readback.scores.values.criteria import from_entry, load_shipped_criteria
from readback.types import Criterion
from readback.ui.results.choices import say

RELEVANCE = load_shipped_criteria()["relevance"]
VALUES = ("-1", "0", "1", "2")


def row(name: str, counts: tuple[int, ...], missing: int = 0, failed: int = 0, **more: Any) -> Row:
    n = sum(counts)
    mean = sum(int(v) * c for v, c in zip(VALUES, counts, strict=True)) / n if n else None
    shape = tuple(zip(VALUES, counts, strict=True))
    return Row((("condition", name),), "relevance", "j", n, failed, missing, 0, mean, shape, **more)


ROWS = (
    row("open", (1, 2, 3, 4), missing=2),
    row("closed", (5, 0, 0, 0), failed=1),
    row("lost", (0, 0, 0, 0), missing=5),
)
NAMES = ["open", "closed", "lost"]
DRAW = (charts.draw_distribution, charts.draw_means)


@pytest.mark.parametrize("draw", DRAW)
@pytest.mark.parametrize("dark", [False, True])
def test_every_mark_carries_n_and_what_is_not_scored(draw: Any, dark: bool) -> None:
    columns = list_columns(draw(ROWS, NAMES, RELEVANCE, say, dark).figure)
    assert columns[0] == ["open", "closed", "lost"]
    assert columns[-2][1:] == ["10", "5", "0"]
    assert columns[-1][1:] == ["0/2/0", "1/0/0", "0/5/0"]


def test_a_distribution_has_a_bar_for_each_value_of_the_scale_and_a_pattern_for_each_bar() -> None:
    figure = charts.draw_distribution(ROWS, NAMES, RELEVANCE, say).figure
    assert [bar.name for bar in figure.data if bar.type == "bar"] == ["−1", "0", "1", "2"]
    assert list(figure.data[3].x) == [40.0, 0.0, 0.0]
    bars = figure.data[:4]
    assert len({bar.marker.pattern.shape for bar in bars}) == 4
    assert len({bar.marker.color for bar in bars}) == 4


@pytest.mark.parametrize(
    ("criterion", "axis"),
    [
        (RELEVANCE, (-1, 2)),
        (load_shipped_criteria()["faithfulness"], (-1, 1)),
        (from_entry("likert", [1, 2, 3, 4]), (1, 4)),
        (from_entry("points", {"min": 0, "max": 10}), (0, 10)),
    ],
)
def test_the_axis_of_means_is_the_scale(criterion: Criterion, axis: tuple[float, float]) -> None:
    figure = charts.draw_means(ROWS, NAMES, criterion, say).figure
    low, high = figure.layout.xaxis.range
    assert (low, high) == pytest.approx(axis, abs=0.05 * (axis[1] - axis[0]))
    assert low <= axis[0]
    assert high >= axis[1]


def test_without_a_scale_the_axis_is_what_was_seen() -> None:
    assert charts.find_axis_range(Criterion("x"), [3.0, 7.0]) == (3.0, 7.0)
    assert charts.find_axis_range(Criterion("x"), [3.0]) == (2.0, 4.0)
    assert charts.find_axis_range(Criterion("x"), []) == (-1.0, 1.0)


def test_what_has_no_mean_has_no_mark_and_keeps_its_place() -> None:
    figure = charts.draw_means(ROWS, NAMES, RELEVANCE, say).figure
    assert [mark[0] for mark in figure.data[0].customdata] == [0, 1]
    assert list(figure.data[0].x) == [1, -1]


def test_intervals_are_drawn_when_there_are_some() -> None:
    assert charts.draw_means(ROWS, NAMES, RELEVANCE, say).figure.data[0].error_x.array is None
    figure = charts.draw_means((row("a", (1, 2, 3, 4), interval=(0.5, 1.75)),), ["a"], RELEVANCE, say).figure
    assert (tuple(figure.data[0].error_x.array), tuple(figure.data[0].error_x.arrayminus)) == ((0.75,), (0.5,))


def test_the_better_end_is_blue_whatever_the_direction() -> None:
    up = [step.shade for step in charts.choose_steps(VALUES, RELEVANCE)]
    down = [step.shade for step in charts.choose_steps(VALUES, Criterion("errors", direction="down"))]
    assert up == down[::-1]


@pytest.mark.parametrize("draw", DRAW)
def test_the_words_say_what_the_picture_shows(draw: Any) -> None:
    alt = draw(ROWS, NAMES, RELEVANCE, say).alt
    for part in ("relevance", "open", "n 10, 2 missing", "closed", "lost"):
        assert part in alt
    assert ("2: 4" if draw is charts.draw_distribution else "mean 1.00") in alt


@pytest.mark.parametrize("draw", DRAW)
def test_names_from_files_are_never_markup(draw: Any) -> None:
    figure = draw((row("x", (1, 0, 0, 1)),), ['<a href="http://x">&amp;</a>' + "y" * 300], RELEVANCE, say).figure
    text = json.dumps(json.loads(figure.to_json()))
    assert "<a" not in text.replace("\\u003c", "<")
    assert "&lt;a" in text.replace("\\u0026", "&")
    assert len(list_columns(figure)[0][0]) < 300


@pytest.mark.parametrize(("counts", "alike"), [((6, 2, 2), True), ((1, 1, 1), True), ((10, 0, 0), False)])
def test_the_histograms_of_rows_have_one_scale_where_all_can_be_read_on_it(
    counts: tuple[int, int, int], alike: bool
) -> None:
    wide = tuple((f"{at / 10}", 1) for at in range(10))
    shapes = [tuple(zip(("0.1", "0.2", "0.3"), counts, strict=True)), (("0.1", 3), ("0.5", 3), *wide[6:])]
    rows = [Row((), "cosine", "", sum(n for _, n in shape), 0, 0, 0, 0.5, shape) for shape in shapes]
    chart = charts.draw_distribution(rows, ["a", "b"], Criterion("cosine", "numeric", (), 0.0, 1.0), say)
    heading = chart.figure.layout.legend.title.text
    assert ("on one scale for all rows" in heading) == alike
    highest = [max(abs(high) for high in bar.y) for bar in chart.figure.data if bar.customdata is not None]
    shares = [max(n for _, n in shape) / sum(n for _, n in shape) for shape in shapes]
    wanted = shares[0] / shares[1] if alike else 1.0
    assert highest[0] / highest[1] == pytest.approx(wanted, rel=0.01)


def test_a_measured_criterion_is_a_histogram_for_each_row_on_its_own_scale() -> None:
    ranges = tuple((f"{i} to {i + 1}", i) for i in range(10))
    one = Row((("condition", "a"),), "x", "", 45, 0, 0, 0, 5.0, ranges)
    figure = charts.draw_distribution((one, one), ["a", "b"], Criterion("x", "numeric", (), 0, 10), say).figure
    assert [list(bars.x) for bars in figure.data if bars.type == "bar"] == [
        [i + 0.5 for i in range(1, 10)]
    ] * 2  # the empty range has no bar
    low, high = figure.layout.xaxis.range
    assert low <= 0 < 10 <= high


@pytest.mark.parametrize(
    ("criterion", "values", "left"),
    [
        (RELEVANCE, VALUES, [1, 1, 0, 0]),
        (load_shipped_criteria()["faithfulness"], ("-1", "0", "1"), [1, 0.5, 0]),
        (Criterion("ok", "binary", (0.0, 1.0), 0.0, 1.0), ("0", "1"), [1, 0]),
        (Criterion("kind", "nominal"), ("0", "1", "2"), [0, 0, 0]),
    ],
)
def test_the_lower_half_of_a_scale_lies_left_and_a_middle_value_across(
    criterion: Criterion, values: tuple[str, ...], left: list[float]
) -> None:
    one = Row((("condition", "a"),), criterion.name, "", 10 * len(values), 0, 0, 0, 0.0, tuple((v, 10) for v in values))
    bars = charts.draw_distribution((one,), ["a"], criterion, say).figure.data
    bars = [bar for bar in bars if bar.type == "bar"]
    starts, share = [bar.base[0] for bar in bars], 100 / len(values)
    assert starts[0] == pytest.approx(-share * sum(left), abs=0.1)
    assert starts == pytest.approx([starts[0] + at * share for at in range(len(values))], abs=0.1)


def test_the_words_of_many_rows_tell_some_and_count_the_rest() -> None:
    made = charts.draw_means(
        [row(str(at), (1, 1, 1, 1)) for at in range(96)], [str(at) for at in range(96)], RELEVANCE, say
    )
    assert "84 more are in the table." in made.alt
    assert len(made.table.rows) == 96
