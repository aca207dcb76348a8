"""Score files are recognised by content, and missing, failed and inapplicable cells are never 0."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st
from score_files import TIDY, Write, codes, load, name_kind, states

from readback.readers.files.progress import Cancelled
from readback.scores import loading as scores
from readback.scores import warnings
from readback.scores.files.formats import FORMATS
from readback.scores.files.score_rows import FileSettings
from readback.scores.output import answer
from readback.scores.values.criteria import from_entry
from readback.types import Condition, Score, ScoreSource, Workspace


def test_a_tidy_row_becomes_a_score_with_its_place(write: Write) -> None:
    root = write({"s.csv": TIDY + "007,closed,relevance,2,j1,because\n"})
    place = load(root).scores[0].place
    assert load(root).scores[:] == (
        Score("007", (("condition", "closed"),), "relevance", "j1", 2.0, "scored", rationale="because", place=place),
    )
    assert (place.file, place.line) == ("s.csv", 2)


@pytest.mark.parametrize("item", ["item", "item_id", "id", "qid", "task_id", "question_id", "QID"])
@pytest.mark.parametrize(("criterion", "score"), [("criterion", "score"), ("metric", "value")])
def test_usual_names_of_columns_are_known(write: Write, item: str, criterion: str, score: str) -> None:
    root = write({"s.tsv": f"{item}\tcondition\t{criterion}\t{score}\nNA\tclosed\trelevance\t1\n"})
    assert [(s.item, s.criterion, s.value) for s in load(root).scores] == [("NA", "relevance", 1.0)]


def test_jsonl_rows_may_bring_columns_late_and_numbers_as_text(write: Write) -> None:
    rows = [
        {"item": 1, "condition": "a", "criterion": "relevance", "score": 1},
        {"item": 2, "condition": "a", "criterion": "relevance", "score": "2", "judge": "j"},
        {"item": 3, "condition": "a", "criterion": "relevance"},
    ]
    found = load(write({"s.jsonl": rows}))
    assert [(s.item, s.value, s.judge) for s in found.scores[:2]] == [("1", 1.0, ""), ("2", 2.0, "j")]
    assert states(found) == ["scored", "scored", "missing"]


def test_a_bad_line_is_a_note_and_the_rest_is_read(write: Write) -> None:
    root = write({"s.csv": TIDY + "q1,a,relevance,1,j,n\nq2,a,relevance\nq3,a,relevance,2,j,n\n"})
    assert [s.item for s in load(root).scores] == ["q1", "q3"]
    assert codes(load(root)) == ["dat-row-width"]


def test_a_packed_file_names_its_condition_without_its_endings(write: Write) -> None:
    packed = gzip.compress(b"qid,relevance_score\n1,2\n")
    assert load(write({"run one.csv.gz": packed})).scores[0].condition == (("condition", "run one"),)


@pytest.mark.parametrize(
    ("rows", "items", "said"),
    [
        ("q1,2\nq2,4\nTOTAL,6\nAverage score,3.0\n", "q1 q2", ["scr-summary-rows"]),
        ("q1,2\nq2,4\nmean,3\nstd,1.41\nmax,4\n", "q1 q2", ["scr-summary-rows"]),
        ("q1,2\nmean,3\nq2,4\n", "q1 q2", ["scr-summary-rows"]),
        ("q1,2\nq2,4\navg.,\n", "q1 q2", ["scr-summary-rows"]),  # it says nothing that could be wrong
        ("q1,1\nq2,0\nOVERALL,50%\n", "q1 q2", ["scr-summary-rows"]),
        ("q1,2\nq2,4\noverall,5\n", "q1 q2", ["scr-summary-rows", "scr-summary-differs"]),
        ("q1,2\nmean,4\nq2,4\n", "q1 q2 mean", []),
        ("abs,2\nmax,4\nmean,4\nmin,2\n", "abs max mean min", []),  # functions that were judged
        ("q1,2\nmean,2\n", "q1 mean", []),
        ("mean,2\n" * 60, "mean", []),
    ],
)
def test_rows_that_sum_up_the_others_are_no_items(write: Write, rows: str, items: str, said: list[str]) -> None:
    root = write({"s.csv": f"id,clear_score\n{rows}"})
    found = load(root)
    assert list(dict.fromkeys(score.item for score in found.scores)) == items.split()
    assert [code for code in dict.fromkeys(codes(found)) if code.startswith("scr-summary")] == said
    assert found.sources[0].rows + sum(found.sources[0].left_out.values()) == rows.count("\n")
    meant = load(root, ScoreSource("s.csv", all_items=True))
    assert (meant.sources[0].rows, meant.sources[0].left_out) == (rows.count("\n"), {})


def test_a_summary_is_of_the_condition_the_criterion_and_the_judge_that_it_names(write: Write) -> None:
    rows = [f"q{n},{arm},clear,{at + n},{judge}," for n in range(2) for at, arm in enumerate("ab") for judge in "jk"]
    rows += ["mean,a,clear,0.5,j,", "mean,b,clear,1.5,,", "mean,,,1.0,,", "mean,b,clear,0.5,j,", "mean,c,clear,9,j,"]
    found = load(write({"s.csv": TIDY + "\n".join(rows) + "\n"}))
    assert [
        (diagnostic.place.line, diagnostic.values["computed"])
        for diagnostic in found.diagnostics
        if "differs" in diagnostic.code
    ] == [(13, "1.5")]
    assert found.sources[0].left_out == {"rows that sum up others": 5}


def test_a_status_column_keeps_failures_apart(write: Write) -> None:
    root = write(
        {
            "s.csv": "item,condition,criterion,score,status\nq1,a,relevance,0,failed\nq2,a,relevance,0,ok\n"
            "q3,a,relevance,0,skipped\nq4,a,relevance,0,n/a\n"
        }
    )
    assert states(load(root)) == ["failed", "scored", "missing", "not applicable"]


def test_two_scores_for_the_same_thing_count_once_and_replicates_both(write: Write) -> None:
    root = write({"s.csv": TIDY + "q1,a,relevance,1,j,\nq1,a,relevance,2,j,\nq1,a,relevance,2,k,\n"})
    assert [(s.value, s.judge) for s in load(root).scores] == [(1.0, "j"), (2.0, "k")]
    assert codes(load(root)) == ["scr-duplicate-cell"]
    again = write({"s.csv": "item,condition,criterion,score,replicate\nq1,a,relevance,1,1\nq1,a,relevance,2,2\n"})
    assert [(s.value, s.run) for s in load(again).scores] == [(1.0, "1"), (2.0, "2")]


def test_an_alias_of_a_condition_is_called_by_its_name(write: Write) -> None:
    root = write({"s.csv": TIDY + "q1,base_baseline,relevance,1,j,\n"})
    found = load(root, "s.csv", conditions=(Condition("base_0p5b", aliases=("base_baseline",)),))
    assert found.scores[0].condition == (("condition", "base_0p5b"),)


def test_model_is_part_of_the_condition_only_where_it_differs_within_one(write: Write) -> None:
    head = "item,condition,model,criterion,score\n"
    same = load(write({"s.csv": head + "q1,a,m1,relevance,1\nq1,b,m2,relevance,1\n"}))
    assert same.columns.conditions == ((("condition", "a"),), (("condition", "b"),))
    differs = load(write({"s.csv": head + "q1,a,m1,relevance,1\nq1,a,m2,relevance,1\n"}))
    assert differs.columns.conditions == ((("condition", "a"), ("model", "m1")), (("condition", "a"), ("model", "m2")))


def wide(rows: int, *factors: str) -> str:
    """`rows` items under each of two conditions, with a topic that belongs to the item."""
    body = [
        f"{i},{condition},topic {i % 3},{i % 3 - 1},{i % 2},a note about {i},0.0{i}\n"
        for i in range(rows)
        for condition in "xy"
    ]
    head = "qid,reranker,topic,relevance_score,faithfulness_score,evaluation_notes,cost_usd\n"
    return head + "".join(body)


def test_factors_tell_rows_of_one_item_apart_and_attributes_of_the_item_do_not(write: Write) -> None:
    found = load(write({"s.csv": wide(9)}))
    assert found.columns.conditions == ((("reranker", "x"),), (("reranker", "y"),))
    assert found.criteria.keys() == {"relevance_score", "faithfulness_score"}
    assert found.sources[0].columns["unused"] == ("cost_usd", "topic")
    assert found.scores[0].rationale == "a note about 0"


def test_a_column_with_many_values_is_no_factor_unless_its_name_says_so(write: Write) -> None:
    rows = [(f"q{i % 4}", f"s{i}") for i in range(40)]
    for name, many in (("settings", 1), ("system_name", 40)):
        body = "".join(f"{item},{text},{n % 2}\n" for n, (item, text) in enumerate(rows))
        found = load(write({"s.csv": f"qid,{name},relevance_score\n{body}"}))
        assert len(found.columns.conditions) == many


def test_the_workspace_may_name_the_columns(write: Write) -> None:
    root = write({"s.csv": "query,passage,arm,size,great\nq,p,x,1,3\nq,p,y,2,\n"})
    source = ScoreSource("s.csv", item=("query", "passage"), condition=("arm",), criteria=("great",))
    found = load(root, source)
    assert [(s.item, s.condition, s.criterion, s.state) for s in found.scores] == [
        ("q | p", (("arm", "x"),), "great", "scored"),
        ("q | p", (("arm", "y"),), "great", "missing"),
    ]


def test_rows_of_means_among_the_items_are_left_out_and_counted(write: Write) -> None:
    root = write({"s.tsv": "qid\tis_aggregated\trelevance_score\n1\tFalse\t2\nall\tTrue\t1.5\n"})
    assert [s.item for s in load(root).scores] == ["1"]
    assert load(root).sources[0].left_out == {"rows of means": 1}


@pytest.mark.parametrize(
    ("rationale", "relevance", "faithfulness", "state"),
    [
        ("Failed to parse LLM response: x", "0", "0", "failed"),
        ("  JSON parsing error: x", "0", "0", "failed"),
        ("Missing required fields in LLM response", "0", "0", "failed"),
        ("Evaluation error: timeout", "0", "0", "failed"),
        ("Evaluation error: timeout", "1", "0", "scored"),
        ("The answer says: Evaluation error:", "0", "0", "scored"),
        ("", "0", "0", "scored"),
    ],
)
def test_zeros_that_a_failed_judge_wrote_are_failures(
    write: Write, rationale: str, relevance: str, faithfulness: str, state: str
) -> None:
    root = write(
        {
            "s.csv": "qid,relevance_score,faithfulness_score,evaluation_notes\n"
            f"1,{relevance},{faithfulness},{rationale}\n"
        }
    )
    assert states(load(root)) == [state, state]


def test_without_ids_the_line_stands_in_and_it_is_said(write: Write) -> None:
    found = load(write({"s.csv": "relevance_score\n1\n2\n"}))
    assert [s.item for s in found.scores] == ["line_2", "line_3"]
    assert codes(found) == ["dat-missing-id"]


def test_judges_may_be_columns_when_the_workspace_says_so(write: Write) -> None:
    root = write({"s.csv": "query,passage,j1,j2\nq,p,0,3\nq,r,5,1\n"})
    source = ScoreSource("s.csv", item=("query", "passage"), judges=("j1", "j2"), criterion="relevance")
    scale = from_entry("relevance", [0, 1, 2, 3])
    found = load(root, source, criteria={"relevance": scale})
    assert [(s.judge, s.state) for s in found.scores] == [
        ("j1", "scored"),
        ("j2", "scored"),
        ("j1", "failed"),
        ("j2", "scored"),
    ]
    assert codes(found) == ["jdg-out-of-range"]


def test_scores_under_metrics_are_read_and_text_is_never_evaluated(write: Write) -> None:
    row = {"qid": "7", "metrics": {"relevance_score": 2, "token_usage": "{'a': __import__('os')}"}}
    found = load(write({"x.rows.jsonl": [row]}))
    assert [(s.item, s.criterion, s.value) for s in found.scores] == [("7", "relevance_score", 2.0)]


NESTED = ({"relevance_score": 1}, {"factuality": 0.5, "grounding": "x"}, {"mean_coverage": 0.3}, [1])
PLAIN = (None, True, 0, -1, 2, 3.5, 1e308, 10**400, "", "x", "2", "\ud800", "a\0b", "N/A", "pass", "instruction")
NAMES = (
    *("item", "id", "qid", "task_id", "condition", "criterion", "metric", "score", "value", "judge", "note", "arm"),
    *("relevance_score", "avg_x_score", "metrics", "judge_scores", "judge_verdict", "citation_metrics", "errors"),
    *("run", "status", "is_aggregated", "topic", "pass", "grounding", "\ud800_score", "\ud801"),
)
ROWS = st.lists(st.dictionaries(st.sampled_from(NAMES), st.sampled_from((*PLAIN, *NESTED))), max_size=8)


@settings(max_examples=some(80), deadline=None)
@given(ROWS, st.sampled_from(["", "item", "arm"]))
def test_rows_of_anything_give_states_and_notes_and_never_an_exception(
    tmp_path: Path, rows: list[dict[str, Any]], named: str
) -> None:
    (tmp_path / "s.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    source = ScoreSource(
        "s.jsonl", condition=(named,) if named == "arm" else (), item=(named,) if named == "item" else ()
    )
    found = load(tmp_path, source)
    assert all(isinstance(diagnostic.code, str) for diagnostic in warnings.find_warnings(found))
    assert all(math.isfinite(s.value) == (s.state == "scored") for s in found.scores)
    said = answer.as_json(found, tell=lambda diagnostic: diagnostic.code)
    json.dumps(said, allow_nan=False, ensure_ascii=False).encode()  # nothing that cannot be sent


def test_what_holds_no_scores_is_said_not_to(write: Write) -> None:
    root = write({"s.csv": "id,name\n1,a\n", "empty.csv": "", "b.bin": b"\0\1\2"})
    assert codes(load(root, "s.csv")) == ["scr-no-scores"]
    assert len(load(root).scores) == 0
    assert len(codes(load(root, "gone.csv", "../out.csv"))) == 2
    assert name_kind(root / "s.csv") is None


def test_a_file_is_read_again_only_when_it_changed(write: Write) -> None:
    root = write({"s.csv": "qid,relevance_score\n1,2\n"})
    assert load(root).columns is load(root).columns
    before = load(root).columns
    write({"s.csv": "qid,relevance_score\n1,1\n2,1\n"})
    assert load(root).columns is not before


def test_reading_can_be_stopped(write: Write) -> None:
    root = write({"s.csv": "qid,relevance_score\n1,2\n"})
    with pytest.raises(Cancelled):
        scores.load(Workspace(root=root, name="x", scores=(ScoreSource("s.csv"),)), progress=lambda done, total: False)


@pytest.mark.realdata
def test_real_score_files_are_recognised_by_content(shared: Path) -> None:
    kinds = {
        "liverag-judge/factor_analysis_query_level_scores.csv": "wide",
        "liverag-judge/factor_analysis_average_scores.csv": "means",
        "liverag-judge/factor_analysis_query_level_scores.hyde.tsv": "wide",
        "liverag-judge/factor_analysis_average_scores.hyde.tsv": "means",
        "mtrag/mtrag_scores_long.csv": "tidy",
        "mtrag/mtrag_demo_60rows.jsonl": None,
        "prompt-formats/offline_dataset.jsonl": None,
        "llmjudge/five_judges_500items.csv": None,
    }
    assert {name: name_kind(shared / "data" / name) for name in kinds} == kinds


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("run details", {"task_id": "1", "judge_scores": {"tone": 3}}),
        ("run metadata", {"model_label": "a", "dataset": {}, "judge": {"prompt_path": "p"}}),
        ("evaluation rows", {"qid": 1, "metrics": {"tone_score": 3}}),
        ("AlpacaEval annotations", {"generator_1": "a", "generator_2": "b", "preference": 1, "instruction": "Why?"}),
        ("pairwise outcomes", {"Model_A ": "a", "model_b": "b", "outcome": "a"}),
    ],
)
def test_a_format_is_known_by_one_of_the_columns_that_mark_it(name: str, row: dict[str, Any]) -> None:
    score_format = next(one for one in FORMATS if one.name == name)
    of_any_file = FileSettings(ScoreSource("s"), {}, {}, {})
    assert score_format.recognise([row], of_any_file)
    assert score_format.fits([row], of_any_file)
    without = {column: value for column, value in row.items() if column.strip().lower() not in score_format.marks}
    assert without != row
    assert not score_format.fits([without], of_any_file)


@pytest.mark.parametrize(
    ("name", "file", "content", "is_asked"),
    [
        ("run metrics", "m.json", b"{}", True),
        ("run metrics", "m.json.gz", b"", True),
        ("means", "m.csv", b"model,accuracy\na,0.5\n", False),
        ("verification results", "v.csv", b"row_index,question_id,verify_result\n", True),
        ("verification results", "v.csv", b"item,score\n1,2\n", False),
        ("verification results", "c.jsonld", b'{"@context": {}, "@type": "DataFeed"}', True),
        ("verification results", "v.json", '{"question_id": "1"}'.encode("utf-16"), True),
        ("grades of a log", "s.csv", b"item,score\n1,2\n", False),
        ("wide", "s.csv", b"item,tone_score\n1,2\n", False),
    ],
)
def test_a_format_that_reads_a_file_as_a_whole_is_asked_by_ending_and_signs(
    tmp_path: Path, name: str, file: str, content: bytes, is_asked: bool
) -> None:
    (tmp_path / file).write_bytes(content)
    score_format = next(one for one in FORMATS if one.name == name)
    assert score_format.may_open(tmp_path / file) is is_asked
