"""The other charts of scores: what each draws, says and lists, from counts that are known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from chart_columns import list_columns
from hypothesis import given
from hypothesis import strategies as st

from readback.scores import charts
from readback.scores.charts import rows
from readback.scores.charts.chart import wrap_name
from readback.scores.charts.template import tint_blue
from readback.scores.comparing.comparison import Blocked, Comparison, Verdict
from readback.scores.counts import Counted, Heat
from readback.scores.slices.lengths import Lengths
from readback.scores.summary_row import Row
from readback.scores.values.criteria import load_shipped_criteria
from readback.types import Criterion, Diagnostic
from readback.ui.results.choices import say

RELEVANCE = load_shipped_criteria()["relevance"]
DOWN = Criterion("errors", "ordinal", (0.0, 1.0, 2.0), 0.0, 2.0, direction="down")
A, B = (("condition", "a"),), (("condition", "b"),)
PAIRS = Counted(("naive", "advanced"), ("-1", "0", "1"), ("-1", "0", "1"), ((5, 1, 2), (0, 7, 0), (3, 0, 20)))


def pair(verdict: Verdict = "b is higher", difference: float | None = 0.5, **more: Any) -> Comparison:
    span = more.pop("interval", (0.2, 0.8))
    return Comparison(
        A, B, "relevance", "j", 40, 2, 1, verdict, difference=difference, interval=span, method="t", wins=20, ties=15,
        losses=5, **more,
    )  # fmt: skip


def forest(*found: Comparison | Blocked, criterion: Criterion = RELEVANCE, **more: Any) -> charts.Chart:
    return charts.draw_forest(found, [f"row {at}" for at in range(len(found))], criterion, say, **more)


def marks(made: charts.Chart) -> dict[int, Any]:
    return {mark[0]: trace for trace in made.figure.data for mark in trace.customdata or ()}


def test_a_difference_stands_with_its_interval_its_votes_its_n_and_what_is_left_out() -> None:
    made = forest(pair(), baseline="base")
    trace = made.figure.data[0]
    assert (trace.x[0], trace.error_x.array[0], trace.error_x.arrayminus[0]) == pytest.approx((0.5, 0.3, 0.3))
    cells = [column[-1] for column in list_columns(made.figure)]
    assert cells == ["row 0", "+0.50 (0.20 to 0.80)", "20/15/5", "40", "3"]
    for part in ("+0.50 (0.20 to 0.80)", "20 questions higher, 15 same, 5 lower", "40 shared questions", "3 left out"):
        assert part in made.alt
    assert made.table.rows[0][:9] == ("row 0", 0.5, 0.2, 0.8, "t", 20, 15, 5, 40)


def test_the_interval_over_clusters_is_the_one_that_is_drawn() -> None:
    trace = forest(pair(interval_clustered=(-0.1, 1.1))).figure.data[0]
    assert trace.error_x.array[0] == pytest.approx(0.6)


def test_verdicts_differ_by_shape_and_the_better_side_is_blue() -> None:
    verdicts: tuple[Verdict, ...] = ("b is higher", "a is higher", "not separated", "equivalent", "too few", "constant")
    made = forest(*(pair(verdict) for verdict in verdicts))
    assert len({trace.marker.symbol for trace in made.figure.data if trace.customdata is not None}) == 6
    up, down = (marks(forest(pair(), criterion=one))[0].marker.color for one in (RELEVANCE, DOWN))
    assert (up, down) == (charts.LIGHT[4], charts.LIGHT[1])


def test_what_may_not_be_compared_has_a_row_with_the_reason_and_no_place_on_the_axis() -> None:
    no = Blocked(A, B, "relevance", "j", (Diagnostic("scr-judge-differs", {}),))
    made = forest(no, pair(), explain=lambda diagnostic: f"because {diagnostic.code}")
    assert "not compared: because scr-judge-differs" in made.alt
    assert marks(made)[0].type == "bar"
    assert made.table.rows[0][1] is None
    assert "because scr-judge-differs" in str(made.table.rows[0][-1])


def test_nothing_shared_is_said_and_not_drawn() -> None:
    made = forest(pair("too few", None, interval=None))
    assert marks(made) == {}
    assert "too few questions" in made.alt


def test_zero_lies_on_the_axis_with_room_on_both_sides_and_a_margin_is_shaded() -> None:
    made = forest(pair(margin=0.1))
    low, high = made.figure.layout.xaxis.range
    assert low < -0.1 < 0 < 0.8 < high
    shaded = [one for one in made.figure.layout.shapes if one.type == "rect" and one.layer == "below"]
    assert [(shape.x0, shape.x1) for shape in shaded] == [(-0.1, 0.1)]


def test_a_tiny_difference_is_not_blown_up() -> None:
    low, high = forest(pair(difference=0.001, interval=(0.0005, 0.0015))).figure.layout.xaxis.range
    assert high - low >= 0.1 * 3  # a twentieth of the scale to each side


def test_wins_lie_right_losses_left_and_ties_across() -> None:
    made = charts.draw_wins([(50, 30, 20)], ["a"], say)
    bars = [bar for bar in made.figure.data if bar.type == "bar"]
    assert [(bar.base[0], bar.x[0]) for bar in bars] == [
        (-35, 20),
        (-15, 30),
        (15, 50),
    ]
    assert made.table.rows == (("a", 50, 30, 20, 100),)


def test_a_heat_map_has_mean_and_n_in_each_cell_and_hatches_what_is_empty() -> None:
    counted = Heat(("x", "y"), ("1", "2"), ("p", "q"), ((1.5, None), (0.0, -1.0)), ((3, 0), (2, 1)), ((1, 4), (0, 0)))
    made = charts.draw_heat(counted, RELEVANCE, say)
    full, empty = made.figure.data[:2]
    assert list(full.text) == ["1.50<br>n 3", "0.00<br>n 2", "−1.00<br>n 1"]
    assert (list(empty.text), empty.marker.pattern.shape) == (["–"], "/")
    assert "3 failed" not in made.alt
    assert made.table.rows[1] == ("1", "q", None, 0, 4)
    assert "4 failed or missing" in empty.customdata[0][2]


def test_a_heat_map_of_close_means_is_one_hue_so_that_none_looks_bad() -> None:
    counted = Heat(("x", "y"), ("1", "2"), ("p",), ((1.5,), (1.6,)), ((3,), (2,)), ((0,), (0,)))
    whole, near = (
        charts.draw_heat(counted, RELEVANCE, say, whole=one).figure.data[0].marker.color for one in (True, False)
    )
    assert near == (tint_blue(0.15), tint_blue(1.0))
    assert whole != near


def test_a_joint_table_has_counts_and_shares() -> None:
    made = charts.draw_joint(PAIRS, say)
    assert made.figure.data[0].text[0] == "5<br>13%"
    assert sum(int(row[2] or 0) for row in made.table.rows) == PAIRS.n == 38
    assert made.figure.data[0].customdata[5][:2] == [1, 2]


def test_where_judges_agree_a_cell_has_a_frame() -> None:
    shapes = charts.draw_confusion(PAIRS, say).figure.layout.shapes
    assert [round((shape.x0 + shape.x1) / 2, 6) for shape in shapes] == [0, 1, 2]
    assert [round((shape.y0 + shape.y1) / 2, 6) for shape in shapes] == [0, 1, 2]


def test_agreement_of_judges_says_each_pair_once() -> None:
    made = charts.draw_kappas([[None, 0.5], [0.5, None]], ["x", "y"], say)
    assert made.table.rows == (("x", "y", 0.5),)


def test_slopes_are_as_many_as_moves_and_their_numbers_never_share_a_place() -> None:
    made = charts.draw_slope(PAIRS, RELEVANCE, say)
    named = [trace for trace in made.figure.data if trace.customdata]
    numbers = [one for trace in named for one in zip(trace.x, trace.y, trace.text, strict=True)]
    assert sorted(int(text) for _, _, text in numbers) == [1, 2, 3, 5, 7, 20]
    assert len({round(y, 3) for _, y, _ in numbers}) == 6
    assert sum(int(row[2] or 0) for row in made.table.rows) == 38


def test_many_values_make_a_grid_instead_of_lines() -> None:
    values = tuple(str(at) for at in range(8))
    counted = Counted(("a", "b"), values, values, tuple(tuple(1 for _ in values) for _ in values))
    figure = charts.draw_slope(counted, RELEVANCE, say).figure
    assert {trace.type for trace in figure.data if trace.customdata} == {"bar"}


def test_dumbbells_keep_the_place_of_each_record_and_say_how_many_are_left() -> None:
    items = [f"q{at}" for at in range(70)]
    made = charts.draw_dumbbells(items, [0.0] * 70, [float(at % 3) for at in range(70)], ("a", "b"), RELEVANCE, say)
    places = [mark[0] for trace in made.figure.data if trace.name == "b" for mark in trace.customdata]
    assert len(places) == charts.RECORDS
    assert [at % 3 for at in places[:23]] == [2] * 23
    assert "10 records are in the table only" in made.alt
    assert made.table.rows[5] == ("q5", 0.0, 2.0, 2.0)


def test_lengths_have_a_mean_and_the_counts_of_each_range() -> None:
    counted = Lengths(
        "answer", "characters", 8, True, ("-1", "2"), ((1, 10), (11, 900)), ((1, 3), (4, 0)), (1.25, -1.0)
    )
    made = charts.draw_lengths(counted, RELEVANCE, say, unit="characters")
    assert list(made.figure.data[0].text) == ["1.25", "3", "1", "−1.00", "0", "4"]
    assert made.table.rows[0] == (1, 10, 1.25, 4, 1, 3)
    assert list(made.figure.layout.xaxis.ticktext) == ["1–10<br>n 4", "11–900<br>n 4"]


def test_effects_stand_one_factor_after_another() -> None:
    row = Row((("x", "1"),), "relevance", "j", 3, 0, 0, 0, 1.0, (("1", 3),))
    made = charts.draw_effects({"x": (row, row), "y": (row,)}, RELEVANCE, say)
    assert [one[0] for one in made.table.rows] == ["x · 1", "x · 1", "y · –"]
    assert [shape.type for shape in made.figure.layout.shapes].count("line") == 1


def test_leniency_names_judges() -> None:
    rows = [Row(A, "relevance", judge, 3, 0, 0, 0, 1.0, ()) for judge in ("gpt", "")]
    assert [one[0] for one in charts.draw_leniency(rows, RELEVANCE, say).table.rows] == ["gpt", "judge not named"]


def test_a_cost_whose_interval_holds_zero_is_open() -> None:
    cost = {"n_with": 5, "n_without": 9, "mean_with": 1.0, "mean_without": 1.5, "difference": -0.5}
    found = [SimpleNamespace(**cost, interval=span) for span in ((-0.8, -0.2), (-1.1, 0.1), None)]
    made = charts.draw_costs(found, ["a", "b", "c"], RELEVANCE, say)
    assert [marks(made)[at].marker.symbol for at in range(3)] == ["triangle-left", "circle-open", "x-thin"]
    assert "with 1.00 (n 5), without 1.50 (n 9)" in made.alt


@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=20), st.integers(10, 120))
def test_columns_fit_wherever_each_may_keep_a_few_characters(names: list[str], width: int) -> None:
    columns = rows.wrap_columns(*rows.split_names(names), width)
    assert all(len(column.cells) == len(names) for column in columns)
    widest = [max(len(line) for cell in column.cells for line in cell) for column in columns]
    assert sum(widest) + len(columns) <= max(width, (rows.LEAST + 1) * len(columns))


@given(st.text(max_size=200), st.integers(5, 60), st.integers(1, 4))
def test_a_wrapped_name_loses_nothing_unless_it_says_so(name: str, width: int, lines: int) -> None:
    made = wrap_name(name, width, lines)
    assert 1 <= len(made) <= lines
    assert all(len(line) <= width for line in made)
    kept, whole = (
        "".join("".join(text.split()).replace("·", "") for text in texts)
        for texts in (made, [name if name.split() else "–"])
    )
    assert kept == whole or made[-1].endswith("…")


def test_a_name_made_otherwise_stands_beside_the_marks() -> None:
    names = [*(f"x={x} · y=1 · z={z}" for x in "ab" for z in "12"), "another file"]
    names = rows.drop_shared_parts(names)
    assert names == ["x=a · z=1", "x=a · z=2", "x=b · z=1", "x=b · z=2", "another file"]
    columns = rows.wrap_columns(*rows.split_names(names), 60)
    assert [column.head for column in columns] == [("x",), ("z",)]
    assert [(column.cells[0], column.cells[-1]) for column in columns] == [(("a",), ("",)), (("1",), ("another file",))]


def test_a_picture_that_is_taken_away_says_what_it_shows_and_of_how_many() -> None:
    made = charts.draw_joint(PAIRS, say)
    assert made.figure.layout.legend.title.text.startswith("naive and advanced together, n 38<br>")
    assert made.figure.layout.template.layout.paper_bgcolor == "#ffffff"


def test_each_row_of_a_chart_s_table_knows_the_mark_it_is_of() -> None:
    made = charts.draw_joint(PAIRS, say)
    marks = {tuple(mark[:2]) for mark in made.figure.data[0].customdata}
    assert set(made.places) == marks
    assert len(made.places) == len(made.table.rows)
    slope = charts.draw_slope(PAIRS, RELEVANCE, say)
    assert [(row[0], row[1]) for row in slope.table.rows][:1] == [("−1", "−1")]
    assert slope.places[0] == (0, 0)


def test_factors_that_all_rows_share_are_left_out_of_labels() -> None:
    assert rows.drop_shared_parts(["x=1 · y=2", "x=1 · y=3"]) == ["y=2", "y=3"]
    assert rows.drop_shared_parts(["x=1", "x=1"]) == ["x=1", "x=1"]
    assert rows.drop_shared_parts(["a", "b · c"]) == ["a", "b · c"]


def test_strengths_are_shares_of_wins_with_a_line_at_one_half() -> None:
    made = charts.draw_strengths([0.7, 0.3], [(0.6, 0.8), (0.2, 0.45)], ["a", "b"], say)
    trace = made.figure.data[0]
    assert list(trace.x) == [70.0, 30.0]
    assert (trace.error_x.array[1], trace.error_x.arrayminus[1]) == pytest.approx((15, 10))
    assert made.figure.layout.shapes[0].x0 == 50
    assert made.table.rows == (("a", 0.7, 0.6, 0.8), ("b", 0.3, 0.2, 0.45))
    assert "a: 70 % (60 to 80 %)" in made.alt
