"""What judging cost: by condition and judge, of rows and of replies; and what a run is called by its own means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import looking
import pytest
from score_files import Write, load

from readback import cli
from readback.scores import expenses
from readback.types import ScoreSource

HEAD = "qid,condition,judge,relevance_score,cost_usd,token_usage,cached_tokens,max_tokens\n"
ROWS = (
    "1,a,x,2,0.1,\"{'input_tokens': 10, 'output_tokens': 2}\",1,4096\n"
    "2,a,x,1,0.2,\"{'input_tokens': 20, 'output_tokens': 3}\",,4096\n"
    "1,b,x,0,,\"{'input_tokens': 5, 'total': __import__('os')}\",2,4096\n"
    "1,a,y,2,1,no usage,3,4096\n"
)
SUMMED = [
    ({"condition": "a"}, "x", 2, {"cost_usd": 0.3}, {"input_tokens": 30, "output_tokens": 5, "cached_tokens": 1}),
    ({"condition": "b"}, "x", 1, {}, {"input_tokens": 5, "cached_tokens": 2}),
    ({"condition": "a"}, "y", 1, {"cost_usd": 1.0}, {"cached_tokens": 3}),
]


def summed(table: Any) -> list[tuple[Any, ...]]:
    return [tuple(one.values()) for one in expenses.as_json(table)]


def test_b18_cost_and_tokens_are_summed_by_condition_and_judge(write: Write) -> None:
    found = summed(load(write({"s.csv": HEAD + ROWS})))
    assert sorted(found, key=str) == sorted(SUMMED, key=str)


def test_b18_replies_cost_too(write: Write) -> None:
    rows = [
        {"qid": str(n), "condition": "a", "judge": "x", "reply": '{"relevance_score": 1}', "cost_usd": 0.25,
         "usage": {"prompt_tokens": 7, "completion_tokens": n, "prompt_tokens_details": {"cached_tokens": 1}}}
        for n in (1, 2)
    ]  # fmt: skip
    table = load(write({"replies.jsonl": rows}))
    assert table.sources[0].what == "judges' replies"
    assert summed(table) == [
        ({"condition": "a"}, "x", 2, {"cost_usd": 0.5}, {"prompt_tokens": 14, "completion_tokens": 3})
    ]


def test_b18_the_command_line_and_the_page_show_it(
    write: Write, serving: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = serving({"s.csv": HEAD + ROWS, "readback.yml": "scores: [s.csv]\n"})
    cli.main(["scores", str(folder), "--format", "json"])
    assert len(json.loads(capsys.readouterr().out)["costs"]) == 3
    cli.main(["scores", str(folder)])
    assert "a by x: cost_usd 0.3, input_tokens 30, output_tokens 5, cached_tokens 1; 2 rows" in capsys.readouterr().out
    said = looking.words(looking.scores())
    assert "What the judging cost" in said
    assert "input_tokens" in said


def test_b18_scores_without_costs_say_nothing_of_them(write: Write) -> None:
    assert load(write({"s.csv": "qid,condition,relevance_score\n1,a,2\n"})).expenses == ()


MEANS = "system_name\tsample_count\tavg_relevance_score\n%s\t2\t1.5\n"
RUN = "qid\trelevance_score\tcost_usd\n1\t2\t0.1\n2\t1\t0.1\n"


def conditions(table: Any) -> set[tuple[tuple[str, str], ...]]:
    return {*table.columns.conditions, *(one.condition for one in table.reported)}


def test_b18_a_run_is_called_by_the_system_name_of_its_means(write: Write) -> None:
    table = load(write({"x.rows.tsv": RUN, "x.aggregated.tsv": MEANS % "AnovaRAG"}))
    assert conditions(table) == {(("condition", "AnovaRAG"),)}
    assert [one.condition for one in table.expenses] == [(("condition", "AnovaRAG"),)]


def test_b18_means_alone_are_called_by_their_system_name(write: Write) -> None:
    assert conditions(load(write({"x.aggregated.tsv": MEANS % "AnovaRAG"}))) == {(("condition", "AnovaRAG"),)}


def test_b18_two_runs_of_one_system_keep_the_names_of_their_files(write: Write) -> None:
    files = {f"{run}/{run}.{kind}.tsv": text for run in ("x", "y")
             for kind, text in (("rows", RUN), ("aggregated", MEANS % "AnovaRAG"))}  # fmt: skip
    assert {dict(one)["condition"] for one in conditions(load(write(files), *files))} == {"x", "y"}


def test_b18_a_label_of_the_workspace_goes_before_the_system_name(write: Write) -> None:
    folder = write({"x.rows.tsv": RUN, "x.aggregated.tsv": MEANS % "AnovaRAG"})
    sources = (ScoreSource("x.rows.tsv", label="mine"), ScoreSource("x.aggregated.tsv", label="mine"))
    assert conditions(load(folder, *sources)) == {(("condition", "mine"),)}
    assert conditions(load(folder, sources[0], "x.aggregated.tsv")) == {(("condition", "mine"),)}


@pytest.mark.realdata
def test_b18_the_hyde_run_has_its_name_its_cost_and_its_tokens(shared: Path) -> None:
    names = ("factor_analysis_query_level_scores.hyde.tsv", "factor_analysis_average_scores.hyde.tsv")
    table = load(shared / "data" / "liverag-judge", *(ScoreSource(name) for name in names))
    assert conditions(table) == {(("condition", "AnovaRAGLite"),)}
    ((condition, judge, rows, cost, tokens),) = summed(table)
    assert (condition, judge, rows, cost) == (
        {"condition": "AnovaRAGLite"},
        "llm_evaluator",
        100,
        {"cost_usd": 5.03982},
    )
    assert tokens["input_tokens"] + tokens["output_tokens"] == tokens["total_tokens"] > 100_000
