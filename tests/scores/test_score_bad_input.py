"""Whatever is wrong in score files is a finding with its place; the rest is loaded and the counts add up."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from score_files import TIDY, Write, codes, load, states

from readback.scores import summary, warnings
from readback.scores.comparing.compare import compare
from readback.scores.table import ScoreTable
from readback.scores.values.criteria import from_entry, scale_text
from readback.types import Condition, Diagnostic, Location, ScoreSource

FOUR = {"clear": from_entry("clear", [1, 2, 3, 4])}


def rows_of(*scores: str) -> str:
    """A tidy file with these scores, of items q1, q2, …"""
    return TIDY + "".join(f"q{n},a,clear,{score},j,\n" for n, score in enumerate(scores, 1))


def said(table: ScoreTable) -> list[tuple[str, str | None, int | None]]:
    """What was seen while loading; that there are few rows is found when they are counted."""
    return [(diagnostic.code, diagnostic.place.file, diagnostic.place.line) for diagnostic in table.diagnostics]


def adds_up(table: ScoreTable, rows: int) -> None:
    """Every row of the only file, and every cell of it, is accounted for."""
    (source,) = table.sources
    assert source.rows + sum(source.left_out.values()) + source.refused == rows
    assert source.cells - source.doubled == len(table.columns)
    counted = Counter(states(table))
    found = summary.rows(table)
    assert sum(row.n for row in found) == counted["scored"]
    assert sum(row.failed for row in found) == counted["failed"]
    assert sum(row.not_applicable for row in found) == counted["not applicable"]


def test_values_of_another_scale_are_found_where_they_stand(write: Write) -> None:
    found = load(write({"s.csv": rows_of("3", "0.8", "85", "4")}), criteria=FOUR)
    assert said(found) == [
        ("jdg-out-of-range", "s.csv", 3), ("jdg-out-of-range", "s.csv", 4)
    ]  # fmt: skip
    assert states(found) == ["scored", "failed", "failed", "scored"]
    adds_up(found, 4)


def test_a_scale_worked_out_from_mixed_values_says_so_and_names_the_file(write: Write) -> None:
    found = load(write({"s.csv": rows_of("3", "0.8", "85", "4")}))
    assert [(diagnostic.code, diagnostic.place.file) for diagnostic in found.diagnostics] == [
        ("scr-scale-unknown", "s.csv")
    ]


def test_nan_in_a_cell_and_infinity_are_no_scores(write: Write) -> None:
    found = load(write({"s.csv": rows_of("1", "NaN", "Infinity", "nan", "1e400", "2")}), criteria=FOUR)
    assert states(found) == ["scored", "failed", "failed", "failed", "failed", "scored"]
    assert said(found)[:3] == [
        ("dat-nan", "s.csv", 3),
        ("jdg-out-of-range", "s.csv", 4),
        ("jdg-out-of-range", "s.csv", 6),
    ]
    assert found.diagnostics[0].values["value"] == "NaN (and in 1 more cells)"
    adds_up(found, 6)


def test_nan_and_infinity_in_json_are_said_once_each(write: Write) -> None:
    text = "".join(
        f'{{"item": "q{n}", "condition": "a", "clear_score": {v}}}\n' for n, v in enumerate(("1", "NaN", "-Infinity"))
    )
    found = load(write({"s.jsonl": text}), criteria=FOUR)
    assert states(found) == ["scored", "failed", "failed"]
    assert [(diagnostic.code, diagnostic.place.line) for diagnostic in found.diagnostics] == [
        ("dat-nan", 2),
        ("dat-nan", 3),
    ]
    adds_up(found, 3)


def test_a_score_in_quotes_is_accepted_and_said_once_for_the_file(write: Write) -> None:
    given = ("1", '"2"', '" 3 "', "4")
    text = "".join(f'{{"item": "q{n}", "condition": "a", "clear_score": {v}}}\n' for n, v in enumerate(given))
    found = load(write({"s.jsonl": text}), criteria=FOUR)
    assert [score.value for score in found.scores] == [1.0, 2.0, 3.0, 4.0]
    (diagnostic,) = found.diagnostics
    assert (diagnostic.code, diagnostic.place.line, diagnostic.values["count"], diagnostic.values["value"]) == (
        "jdg-score-text",
        2,
        2,
        "2",
    )
    quoted = load(write({"s.csv": 'item,condition,clear_score\nq1,a,"2"\n'}), "s.csv", criteria=FOUR)
    assert (codes(quoted), quoted.scores[0].value) == ([], 2.0)


@pytest.mark.parametrize(("scale", "expected"), [("binary", "scored"), ([1, 2, 3, 4], "failed")])
def test_truth_values_are_scores_on_a_scale_of_two_values_only(write: Write, scale: Any, expected: str) -> None:
    criteria = {"clear": from_entry("clear", scale)}
    assert states(load(write({"s.csv": rows_of("true", "FALSE")}), criteria=criteria)) == [expected] * 2
    rows = [{"item": n, "condition": "a", "clear": value} for n, value in enumerate((True, False))]
    (write({"s.csv": ""}) / "s.csv").unlink()
    assert states(load(write({"s.jsonl": rows}), criteria=criteria)) == [expected] * 2


def test_a_doubled_id_is_counted_and_its_place_told(write: Write) -> None:
    found = load(write({"s.csv": rows_of("1", "2") + "q1,a,clear,3,j,\n"}), criteria=FOUR)
    assert said(found) == [("scr-duplicate-cell", "s.csv", 4)]
    assert (found.sources[0].cells, found.sources[0].doubled, found.scores[0].value) == (3, 1, 1.0)
    adds_up(found, 3)


def test_ids_are_texts(write: Write) -> None:
    ids = ("007", "7", "NA", "1E5", "100000", "None", " 7")
    body = "".join(f"{item},a,clear,1,j,\n" for item in ids)
    assert load(write({"s.csv": TIDY + body}), criteria=FOUR).columns.items == ids


def test_scores_of_a_condition_nobody_defined_are_kept_and_said_once(write: Write) -> None:
    body = "q1,open,clear,1,j,\nq1,Open,clear,1,j,\nq2,Open,clear,2,j,\nq1,base,clear,1,j,\n"
    defined = (Condition("open"), Condition("closed", aliases=("base",)))
    found = load(write({"s.csv": TIDY + body}), criteria=FOUR, conditions=defined)
    (diagnostic,) = found.diagnostics
    assert (diagnostic.code, diagnostic.place.file, diagnostic.place.line) == ("scr-unknown-condition", "s.csv", 3)
    assert (diagnostic.values["name"], diagnostic.values["count"], diagnostic.values["nearest"]) == ("Open", 2, "open")
    assert len(found.columns) == 4
    assert codes(load(write({"s.csv": TIDY + body}), criteria=FOUR)) == []  # nothing is defined


def test_a_ragged_row_is_refused_and_the_rest_read(write: Write) -> None:
    found = load(write({"s.csv": rows_of("1", "2,3", "4")}), criteria=FOUR)
    assert said(found) == [("dat-row-width", "s.csv", 3)]
    assert [score.item for score in found.scores] == ["q1", "q3"]
    assert found.sources[0].refused == 1
    adds_up(found, 3)


def test_lines_that_are_no_json_and_rows_of_means_are_in_the_account(write: Write) -> None:
    rows = [json.dumps({"qid": n, "relevance_score": 1, "is_aggregated": n == 2}) for n in range(3)]
    found = load(write({"s.jsonl": "\n".join([*rows, "{", "[1]", ""])}))
    source = found.sources[0]
    assert (source.rows, dict(source.left_out), source.refused) == (2, {"rows of means": 1}, 2)
    adds_up(found, 5)


def test_means_that_contradict_their_rows_are_found(write: Write) -> None:
    root = write(
        {
            "rows.csv": "qid,condition,relevance_score\nq1,a,2\nq2,a,1\nq1,b,2\nq2,b,2\n",
            "means.csv": "condition,relevance_score,count\na,1.9,2\nb,2.0,2\n",
        }
    )
    differs = [
        diagnostic for diagnostic in warnings.find_warnings(load(root)) if diagnostic.code == "scr-summary-differs"
    ]
    assert [
        (diagnostic.place.file, diagnostic.values["stated"], diagnostic.values["computed"]) for diagnostic in differs
    ] == [("means.csv", "1.9", "1.5")]


CLUSTERED = "item,condition,criterion,score,{}\nq1,a,clear,1,d1\nq2,a,clear,2,\nq3,a,clear,2,d1\n"


@pytest.mark.parametrize(
    ("column", "named", "found"),
    [
        ("cluster", None, [("q2", 3)]),
        ("document", "document", [("q2", 3)]),
        ("Document", "document", [("q2", 3)]),
        ("document", "other", [("every row", None)]),
    ],
)
def test_a_row_without_its_cluster_is_found(write: Write, column: str, named: str | None, found: list[Any]) -> None:
    source = ScoreSource("s.csv", cluster=named, condition=("condition",))
    table = load(write({"s.csv": CLUSTERED.format(column)}), source, criteria=FOUR)
    diagnostics = [diagnostic for diagnostic in table.diagnostics if diagnostic.code == "scr-cluster-missing"]
    assert [(diagnostic.values["item"], diagnostic.place.line) for diagnostic in diagnostics] == found
    assert [score.cluster for score in table.scores] == (
        ["d1", None, "d1"] if column != "document" or named != "other" else [None] * 3
    )


def test_a_column_of_clusters_without_any_is_said_once(write: Write) -> None:
    body = "item,condition,criterion,score,cluster\nq1,a,clear,1,\nq2,a,clear,2,\n"
    found = load(write({"s.csv": body}), criteria=FOUR)
    assert said(found) == [("scr-cluster-missing", "s.csv", None)]


def test_a_part_of_the_id_may_be_the_cluster(write: Write) -> None:
    source = ScoreSource("s.csv", item=("query", "passage"), cluster="query", criterion="clear", condition=("arm",))
    found = load(write({"s.csv": "query,passage,arm,score\n1,2,x,3\n"}), source, criteria=FOUR)
    assert [(score.item, score.cluster) for score in found.scores] == [("1 | 2", "1")]


def test_notes_of_one_kind_are_bounded_and_counted(write: Write) -> None:
    found = load(write({"s.csv": rows_of(*["9"] * 1_200)}), criteria=FOUR)
    counts: Counter[str] = Counter(diagnostic.code for diagnostic in found.diagnostics)
    assert counts == {"jdg-out-of-range": 1_000, "dat-many-faults": 1}
    (more,) = (diagnostic for diagnostic in found.diagnostics if diagnostic.code == "dat-many-faults")
    assert isinstance(more, Diagnostic)
    assert more.values == {"code": "jdg-out-of-range", "count": 1_200, "told": 1_000, "rest": 200}
    assert more.place == Location(file="s.csv")
    adds_up(found, 1_200)


def test_rows_without_an_id_are_called_by_their_line_and_never_paired(write: Write) -> None:
    found = load(write({"s.csv": TIDY + "q1,a,clear,3,j,\n,a,clear,4,j,\n,b,clear,1,j,\nq1,b,clear,2,j,\n"}))
    assert said(found)[:2] == [("dat-missing-id", "s.csv", 3), ("dat-missing-id", "s.csv", 4)]
    assert found.columns.items == ("q1", "line_3", "line_4")
    (pair,) = compare(found).comparisons
    assert (pair.n_shared, pair.only_a, pair.only_b) == (1, 1, 1)


def test_a_part_of_an_id_may_be_empty_but_not_all_of_it(write: Write) -> None:
    root = write({"s.csv": "query,passage,clear_score\nq,,1\n,p,1\n,,2\n"})
    found = load(root, ScoreSource("s.csv", item=("query", "passage")))
    assert found.columns.items == ("q | ", " | p", "line_4")
    assert [diagnostic.place.line for diagnostic in found.diagnostics if diagnostic.code == "dat-missing-id"] == [4]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("9" * 400, "9" * 40),
        ("1e999", "1e999"),
        ("-1E80", "-1E80"),
        ("yes", "yes"),
        ("TRUE", "true"),
        ("False", "false"),
    ],
)
def test_what_is_no_score_is_told_as_it_is_written(write: Write, written: str, shown: str) -> None:
    found = load(write({"s.csv": rows_of("3", written)}), criteria=FOUR)
    (diagnostic,) = found.diagnostics
    assert (diagnostic.code, diagnostic.place.line, diagnostic.values["value"]) == ("jdg-out-of-range", 3, shown)
    assert states(found) == ["scored", "failed"]


def test_there_is_one_zero(write: Write) -> None:
    found = load(write({"s.csv": rows_of("-0", "0", "-0.0", "1")}))
    assert [str(value) for value in found.columns.value] == ["0.0", "0.0", "0.0", "1.0"]
    assert scale_text(found.criteria["clear"]) == "0 or 1"


def test_the_largest_scores_can_still_be_counted_with(write: Write) -> None:
    some = ["1e69", "-1e69", "9e69", "5e69", "0", "3e69", "2e69"]
    text = "".join(
        f"q{n},{c},clear,{score},j,\n" for c in "ab" for n, score in enumerate(some if c == "a" else some[::-1])
    )
    found = load(write({"s.csv": TIDY + text}))
    with np.errstate(all="raise"):
        rows = summary.rows(found)
        (pair,) = compare(found).comparisons
    assert all(row.interval and all(map(math.isfinite, row.interval)) for row in rows)
    assert pair.interval is not None
    assert all(map(math.isfinite, pair.interval))


def test_a_column_that_says_how_the_model_was_run_is_not_called_unused(write: Write) -> None:
    rows = "".join(f"q{n},{c},{m},clear,3\n" for n in range(3) for c, m in (("ft", "instruction"), ("rag", "rag")))
    (source,) = load(write({"s.csv": "item,condition,mode,criterion,score\n" + rows})).sources
    assert (source.columns["mode"], source.columns["unused"]) == (("mode",), ())
