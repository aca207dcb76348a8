"""Broken score files of every kind: what cannot be used is said, and nothing is lost without a word."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
import verification_files as v
from run_files import Run
from score_files import Write, codes, load, states

from readback.scores import summary
from readback.scores.files import intake
from readback.scores.table import FAILED, ScoreTable
from readback.words import t

BAD_LINE, WRONG, NONE = "dat-bad-line", "dat-wrong-value", "scr-no-scores"


def read(write: Write, name: str, body: Any) -> ScoreTable:
    return load(write({name: body}), name)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("r.jsonl", [{"qid": "1", "metrics": {"relevance_score": "good"}}, {"qid": "2", "metrics": None}]),
        ("r.tsv", "qid\tis_aggregated\trelevance_score\n1\tTrue\t2\n"),  # means only
        ("m.json", {"total_examples": None, "evaluation_time_seconds": "x", "factuality": None}),
        ("m.json", {"judge_scores": {}, "judge_verdicts": [1]}),
        ("v.json", v.whole([])),
    ],
)
def test_a_file_of_a_known_kind_that_gives_nothing_is_said(write: Write, name: str, body: Any) -> None:
    table = read(write, name, body)
    assert (len(table.columns), len(table.reported)) == (0, 0)
    assert [diagnostic.code for diagnostic in table.diagnostics] == [NONE]
    assert len(table.sources) == 1  # with the account of its rows


@pytest.mark.parametrize("several", [1, 60])
def test_a_run_of_which_every_record_failed_is_read_and_not_taken_for_something_else(
    write: Write, several: int
) -> None:
    """Also where the rows looked at first all failed, and the judge came to later ones."""
    failed = [{"task_id": f"f{at}", "model_label": "r", "errors": {"judge": "timeout"}} for at in range(several)]
    table = read(write, "details.jsonl", failed)
    assert (table.sources[0].what, table.sources[0].rows) == ("run details", several)
    assert Counter(states(table)) == {"failed": several}
    table = read(write, "d2.jsonl", [*failed, *Run("r", n=3).rows()])
    assert table.sources[0].rows == several + 3
    found = {row.criterion: (row.n, row.failed) for row in summary.rows(table)}
    assert found["factuality"] == (3, several)


def test_saved_responses_with_errors_are_no_details(write: Write) -> None:
    row = {"task_id": "1", "model_label": "r", "prompt_text": "x", "response": "", "errors": {"model": "timeout"}}
    assert codes(read(write, "responses.jsonl", [row])) == [NONE]


def test_parts_of_details_of_a_wrong_kind_are_said(write: Write) -> None:
    good, *_ = Run("r", n=1).rows()
    rows = [{**good, "task_id": "1", "citation_metrics": 5}, {**good, "task_id": "2", "reference_metrics": [1]},
            {**good, "task_id": "3", "judge_scores": [0.5]},
            {**good, "task_id": "4", "judge_scores": None}]  # fmt: skip
    table = read(write, "d.jsonl", rows)
    found = [(n.values["where"], n.values["value"], n.place.line) for n in table.diagnostics if n.code == WRONG]
    assert found == [("citation_metrics", "a number", 1), ("reference_metrics", "a list", 2),
                     ("judge_scores", "a list", 3)]  # fmt: skip
    assert [s.state for s in table.scores if s.criterion == "factuality"] == ["scored", "scored", "failed", "failed"]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"judge_scores": {"f": {"mean": "0.5", "n": 3}}, "judge_verdicts": {}}, ["f"]),
        ({"judge_scores": {"f": {"mean": [1], "n": 3}}, "judge_verdicts": {}}, ["f"]),
        ({"judge_scores": {"f": {"mean": None, "n": 0}}, "judge_verdicts": {}}, []),  # as the program writes nothing
        ({"judge_scores": {}, "judge_verdicts": {"pass": 2, "fail": 1, "pass_rate": 2.0}}, []),  # its counts say so
        ({"judge_scores": {}, "judge_verdicts": {"pass_rate": -0.1}}, ["judge_verdict"]),
    ],
)
def test_means_and_rates_that_cannot_be_any_are_said(write: Write, body: Any, where: list[str]) -> None:
    table = read(write, "r/metrics.json", body)
    assert [diagnostic.values["where"] for diagnostic in table.diagnostics if diagnostic.code == WRONG] == where


@pytest.mark.parametrize(
    "text",
    [
        '{"summary": {"factuality": NaN, "examples_evaluated": 3}, "examples": []}',
        '{"judge_scores": {"factuality": {"mean": NaN, "n": 3}}, "judge_verdicts": {}}',
    ],
)
def test_a_mean_that_is_no_number_is_said_once(write: Write, text: str) -> None:
    root = write({"metrics.json": text})
    table = load(root)
    assert [(n.place.file, n.values["field"], n.values["value"]) for n in table.diagnostics if n.code == "dat-nan"] == [
        ("metrics.json", "factuality", "NaN")
    ]
    assert [one.state for one in table.reported] == [FAILED]


def test_a_cell_of_a_table_of_means_that_is_no_number_is_said_with_its_line(write: Write) -> None:
    table = read(write, "m.csv", "condition,n,avg_clear\na,14,1e308\nb,14,2\nc,14,n/a\nd,14,good\ne,14,\nf,14,3\n")
    noted = [(n.place.line, n.values["where"], n.values["value"]) for n in table.diagnostics if n.code == WRONG]
    assert noted == [(2, "clear", "1e308"), (5, "clear", "good")]


def test_names_that_nothing_can_send_are_spelled_out_in_a_table_of_means(write: Write) -> None:
    table = read(write, "m.jsonl", '{}\n{"condition": true, "\\ud800_score": null}\n')
    assert table.sources[0].columns["score"] == ("\\ud800_score",)


def test_a_table_of_means_with_a_rate_above_all_says_so(write: Write) -> None:
    table = read(write, "m.csv", "condition,n,pass %\na,72,25%\nb,,120%\n")
    assert [(n.values["value"], n.place.line) for n in table.diagnostics if n.code == WRONG] == [("120", 3)]


def test_what_is_no_result_in_an_object_of_results_by_id_is_counted(write: Write) -> None:
    body = {"a": v.flat("q1"), "b": 5, "c": None, "d": {"x": 1}, "e": v.flat("q2"), "f": [v.flat()]}
    table = read(write, "v.json", body)
    (source,) = table.sources
    assert (source.rows, source.refused) == (2, 4)
    assert codes(table).count(BAD_LINE) == 4
    envelope = {**v.whole([v.row()]), "exported_by": "somebody", "more": {"x": 1}}
    assert read(write, "w.json", envelope).sources[0].refused == 0


@pytest.mark.parametrize("cut", [2, 7, 40])
def test_verification_results_that_end_early_keep_what_came_before(write: Write, cut: int) -> None:
    text = v.lines([v.row("q1"), v.row("q2")])
    table = read(write, "v.json", text[:-cut])
    assert table.sources[0].rows >= 1
    assert table.sources[0].refused >= 1
    assert BAD_LINE in codes(table)


def test_costs_that_are_no_amount_add_nothing(write: Write) -> None:
    said: list[Any] = [[1], True, 10**30, {"a": 1}, None, "free", "1e400", 1e400, 0.25, "0.5"]
    rows = [{"id": f"q{at}", "relevance_score": 1, "cost_usd": cost} for at, cost in enumerate(said)]
    table = read(write, "s.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    assert table.sources[0].columns["cost"] == ("cost_usd 0.75 (rows: 2)",)


@pytest.mark.parametrize(
    "line",
    [
        {"model_label": "a", "judge": {"prompt_sha256": 5, "parameters": [1]}, "dataset": {"path": 5, "sha256": [1]}},
        {"model_label": None, "judge": {"parameters": {"model": 7}}, "dataset": {}, "inference": 5, "metrics": [1]},
        {"model_label": {"x": 1}, "judge": {"parameters": {"model": ["m"]}}, "dataset": {"sha256": None}},
    ],
)
def test_metadata_of_odd_kinds_says_what_it_can(write: Write, line: Any) -> None:
    files = {"r/metadata.jsonl": [line], "r/details.jsonl": Run("r", n=2).rows()}
    table = load(write(files), *files)
    assert [source.rows for source in table.sources] == [0, 2]
    assert all(one.dataset is None or isinstance(one.dataset, str) for one in table.about)


def test_every_role_that_a_reader_gives_a_column_has_a_word_on_the_page(write: Write) -> None:
    replies = [{"id": str(at), "judge": "j", "raw_reply": '{"relevance_score": 2}'} for at in range(3)]
    rows = [{"id": "q1", "relevance_score": 1, "cost_usd": 0.5, "text": "x"}]
    files = {"r.jsonl": replies, "s.jsonl": rows, "d.jsonl": Run("r", n=1).rows()}
    table = load(write(files), *files)
    assert {"reply", "read", "cost"} <= {role for source in table.sources for role in source.columns}
    assert all(t(f"scores.role_{role}") for source in table.sources for role in source.columns)


def test_notes_of_details_beyond_the_room_for_them_stay_in_the_file_and_no_row_is_left_out(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "TEXT", 200)
    table = read(write, "d.jsonl", Run("r", n=5).rows())
    (source,) = table.sources
    assert (source.rows, dict(source.left_out)) == (5, {})
    assert source.texts_left + len(table.columns.texts) == source.cells
    assert source.texts_left > 0
