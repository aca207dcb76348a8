"""Counting for charts, and tables as CSV and Markdown: exact, nothing lost, fast on a million cells."""

from __future__ import annotations

import csv
import io
from array import array
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_time import spent
from score_files import TIDY, Write, load

from readback.as_csv import format_csv
from readback.scores import counts
from readback.scores.plain_table import PlainTable, format_markdown
from readback.scores.slices import lengths
from readback.scores.table import Columns, ScoreTable
from readback.scores.values.criteria import load_shipped_criteria
from readback.types import Criterion

RELEVANCE, FAITHFULNESS = load_shipped_criteria()["relevance"], load_shipped_criteria()["faithfulness"]


def test_two_criteria_are_paired_by_item_and_condition_and_what_has_no_partner_is_counted(write: Write) -> None:
    body = (
        "q1,a,relevance,2,j,\nq1,a,faithfulness,1,j,\nq1,b,relevance,2,j,\nq1,b,faithfulness,0,j,\n"
        "q2,a,relevance,-1,j,\nq3,a,faithfulness,,j,\nq3,a,relevance,1,j,\nq4,a,faithfulness,1,j,\n"
    )
    made = counts.joint(load(write({"s.csv": TIDY + body})), "relevance", "faithfulness", "j")
    assert (made.rows, made.columns) == (("-1", "0", "1", "2"), ("-1", "0", "1"))
    assert made.counts == ((0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 1, 1))
    assert made.left_out == 3  # q2 and q3 have no faithfulness, q4 no relevance


def test_cells_of_two_factors_have_means_and_what_is_not_scored(write: Write) -> None:
    body = "item,x,y,relevance_score\n1,a,p,2\n2,a,p,1\n1,a,q,\n1,b,q,-1\n"
    table = load(write({"s.csv": body}))
    made = counts.heat(table, "x", "y", table.columns.criteria[0], table.columns.judges[0])
    assert made.means == ((1.5, None), (None, -1.0))
    assert made.counts == ((2, 0), (0, 1))
    assert made.unscored == ((0, 1), (0, 0))


@given(st.lists(st.tuples(st.sampled_from(RELEVANCE.values), st.sampled_from(RELEVANCE.values)), max_size=60))
def test_moves_count_every_pair_once(pairs: list[tuple[float, float]]) -> None:
    a, b = (np.array([pair[at] for pair in pairs], float) for at in (0, 1))
    made = counts.transitions(a, b, RELEVANCE)
    expected = Counter((f"{x:g}", f"{y:g}") for x, y in pairs)
    assert {
        (r, c): made.counts[i][j]
        for i, r in enumerate(made.rows)
        for j, c in enumerate(made.columns)
        if made.counts[i][j]
    } == expected
    assert made.n == len(pairs)


def test_a_measured_criterion_moves_between_equal_ranges_of_its_scale() -> None:
    values = np.linspace(0, 10, 50)
    made = counts.transitions(values, values, Criterion("x", "numeric", (), 0, 10))
    assert made.rows == ("0 to 2", "2 to 4", "4 to 6", "6 to 8", "8 to 10")
    assert made.n == 50
    assert all(n == 0 for i, row in enumerate(made.counts) for j, n in enumerate(row) if i != j)


def test_means_of_several_scores_count_at_the_nearest_value() -> None:
    made = counts.transitions(np.array([1.9, -0.6]), np.array([0.4, 2.0]), RELEVANCE)
    assert made.counts[3][1] == 1
    assert made.counts[0][3] == 1


def ranged(values: Any, long: Any) -> lengths.Lengths:
    empty = lengths.Lengths("prompt", "characters")
    return lengths.count_ranges(empty, np.asarray(long, np.int64), np.asarray(values, float), RELEVANCE)


@given(st.lists(st.tuples(st.sampled_from(RELEVANCE.values), st.integers(0, 5000)), min_size=1, max_size=80))
def test_ranges_of_length_hold_every_score_once_and_do_not_overlap(pairs: list[tuple[float, int]]) -> None:
    made = ranged([value for value, _ in pairs], [length for _, length in pairs])
    assert sum(map(sum, made.counts)) == len(pairs)
    ends = [end for pair in made.ranges for end in pair]
    assert ends == sorted(ends)
    assert len(made.ranges) <= lengths.BINS
    for (low, high), n, mean in zip(made.ranges, map(sum, made.counts), made.means, strict=True):
        inside = [value for value, length in pairs if low <= length <= high]
        assert len(inside) == n
        assert mean == pytest.approx(sum(inside) / len(inside))


def million() -> ScoreTable:
    """Half a million items × two criteria, six conditions of two factors."""
    n, rng = 1_000_000, np.random.default_rng(1)
    item = np.repeat(np.arange(n // 12), 12)[:n]
    condition, criterion = np.arange(n) // 2 % 6, np.arange(n) % 2
    item = np.resize(item, n)
    keys = tuple((("x", str(at % 3)), ("y", str(at // 3))) for at in range(6))
    zero, none = array("i", bytes(4 * n)), array("i", [-1]) * n

    def codes(values: np.ndarray) -> array[int]:
        return array("i", values.astype(np.int32).tobytes())

    values = array("d", rng.integers(-1, 2, n).astype(float).tobytes())
    columns = Columns(
        codes(item), codes(condition), codes(criterion), zero, none, none, none, zero, zero, values, bytearray(n),
        tuple(map(str, range(n // 12 + 1))), keys, ("relevance", "faithfulness"), ("j",), (), (), (),
        ("s.csv",), {}, {},
    )  # fmt: skip
    return ScoreTable(columns, {"relevance": RELEVANCE, "faithfulness": FAITHFULNESS})


def test_a_million_cells_are_counted_in_half_a_second() -> None:
    table, rng = million(), np.random.default_rng(2)
    values = np.asarray(table.columns.value)
    length = rng.integers(100, 9000, len(values))
    made: dict[str, Callable[[], object]] = {
        "joint": lambda: counts.joint(table, "relevance", "faithfulness", "j"),
        "heat": lambda: counts.heat(table, "x", "y", "relevance", "j"),
        "moves": lambda: counts.transitions(values, values, RELEVANCE),
        "length": lambda: ranged(values, length),
    }
    for name, count in made.items():
        took = []
        for _ in range(3):  # the best of three: other work on the machine is not ours
            start = spent()
            count()
            took.append(spent() - start)
        assert min(took) < 0.5, name


TABLE = PlainTable(("name", "n", "mean"), (("a|b\n<i>x</i>", 3, 1.23456), ("=1+1", 2, None), ("007", 1, -0.5)))


def test_csv_keeps_numbers_exact_and_lets_no_spreadsheet_compute_a_text() -> None:
    rows = list(csv.reader(io.StringIO(format_csv(*TABLE))))
    assert rows == [["name", "n", "mean"], ["a|b\n<i>x</i>", "3", "1.23456"], ["'=1+1", "2", ""], ["007", "1", "-0.5"]]


def test_markdown_shows_the_same_words_one_line_a_row() -> None:
    assert format_markdown(TABLE).splitlines() == [
        "| name | n | mean |",
        "| --- | ---: | ---: |",
        "| a\\|b \\<i\\>x\\</i\\> | 3 | 1.2346 |",
        "| \\=1+1 | 2 | – |",
        "| 007 | 1 | −0.5 |",
    ]


@given(
    st.lists(
        st.tuples(st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False) | st.none()), max_size=8
    )
)
def test_a_table_keeps_its_rows_whatever_the_texts(rows: list[tuple[str, int, float | None]]) -> None:
    table = PlainTable(("a", "b", "c"), tuple(rows))
    assert len(format_markdown(table).split("\n")) == len(rows) + 3


@pytest.mark.realdata
def test_liverag_pairs_relevance_with_faithfulness(shared: Path) -> None:
    from readback.scores import loading
    from readback.types import ScoreSource, Workspace

    root = shared / "data/liverag-judge"
    source = ScoreSource("factor_analysis_query_level_scores.csv")
    table = loading.load(Workspace(root=root, name="x", scores=(source,)))
    judge = table.columns.judges[0]
    made = counts.joint(table, "relevance_score", "faithfulness_score", judge)
    assert (made.n, made.left_out) == (9589, 0)
    assert [sum(row) for row in made.counts] == [661, 176, 1830, 6922]
    assert [sum(column) for column in zip(*made.counts, strict=True)] == [445, 3417, 5727]
    heat = counts.heat(table, "query_expansion_mode", "rag_prompt_level", "relevance_score", judge)
    assert sum(map(sum, heat.counts)) == 9589
