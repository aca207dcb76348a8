"""Tables of means and rates without rows: what they say, what can be computed of it, and what cannot be."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_files import Write, codes, load

from readback.checks.rules import build_finding
from readback.scores import summary, warnings
from readback.scores.reported.aggregates import list_aggregates
from readback.scores.reported.matching_rows import agrees, match_rows
from readback.scores.reported.unreachable_rates import find_nearby_fit, fit_count
from readback.scores.table import MISSING, NOT_APPLICABLE, SCORED
from readback.types import ScoreSource

# Published with ignaciolinari/beyond-the-cutoff (MIT), docs/reports: six conditions, judged by Qwen3 8B.
PUBLISHED = """condition,N,pass %,F,G,Cpl,Com,BERT F1,BLEU,CitCov,CitP,CitR,Grounded,gen s
hybrid_science_0p5b_rag_trained,72,24.1,.43,.44,.48,.76,.873,.135,.40,.35,.38,.41,3.3
rag_baseline_0p5b,72,22.8,.46,.45,.46,.72,.863,.106,.42,.37,.40,.43,3.2
hybrid_science_0p5b_instruction_only,72,19.7,.38,.38,.41,.70,.861,.093,.36,.31,.34,.37,3.1
lora_science_0p5b_rag_trained_ft_only,72,5.6,.29,n/a,.35,.69,.820,.013,–,–,–,–,2.4
lora_science_0p5b_ft_only,72,4.3,.33,n/a,.36,.74,.845,.052,–,–,–,–,2.4
base_baseline_0p5b,73,4.2,.29,n/a,.35,.70,.821,.018,–,–,–,–,2.5
"""


def test_five_of_the_six_published_rates_cannot_be(write: Write) -> None:
    table = load(write({"published.csv": PUBLISHED}))
    diagnostics = [
        diagnostic for diagnostic in warnings.find_warnings(table) if diagnostic.code == "scr-rate-unreachable"
    ]
    assert [(diagnostic.place.file, diagnostic.place.line) for diagnostic in diagnostics] == [
        ("published.csv", n) for n in (2, 3, 4, 6, 7)
    ]
    assert [diagnostic.values["fitting"] for diagnostic in diagnostics] == ["19/79", "18/79", "14/71", "3/70", "3/72"]
    assert diagnostics[0].values["nearest"] == "23.6% (17/72) and 25% (18/72)"
    assert {build_finding(diagnostic).severity for diagnostic in diagnostics} == {"warning"}
    assert codes(table) == []


def test_a_published_table_keeps_its_names_and_tells_what_does_not_apply_from_what_is_missing(write: Write) -> None:
    table = load(write({"published.csv": PUBLISHED}))
    assert len(table.reported) == 6 * 12
    assert len(table.columns) == 0
    by = {(dict(one.condition)["condition"], one.criterion): one for one in table.reported}
    closed = "base_baseline_0p5b"
    assert (by[closed, "G"].state, by[closed, "CitP"].state) == (NOT_APPLICABLE, MISSING)
    assert (by[closed, "BERT F1"].mean, by[closed, "BERT F1"].n, by[closed, "BERT F1"].whole) == (0.821, 73, None)
    assert all(math.isnan(one.mean) == (one.state != SCORED) for one in table.reported)


def test_a_rate_with_its_n_gets_an_interval_and_a_mean_without_its_spread_none(write: Write) -> None:
    shown = {
        (a.reported.place.line, a.reported.criterion): a for a in list_aggregates(load(write({"p.csv": PUBLISHED})))
    }
    low, high = shown[2, "pass %"].span or (0, 0)
    assert (round(low, 1), round(high, 1)) == (15.3, 34.6)
    assert shown[2, "pass %"].cannot == ("count",)
    assert shown[5, "pass %"].cannot == ()
    assert (shown[2, "F"].span, shown[2, "F"].cannot) == (None, ("spread", "interval"))
    assert shown[5, "G"].cannot == ()


def test_a_mean_with_n_and_spread_gets_a_t_interval(write: Write) -> None:
    body = "condition,n,clarity,clarity sd\na,25,3.0,1.0\nb,10,3.0,1.0\nc,25,3.0,\n"
    shown = list_aggregates(load(write({"p.csv": body})))
    assert [a.reported.criterion for a in shown] == ["clarity"] * 3
    low, high = shown[0].span or (0, 0)
    assert (round(low, 4), round(high, 4), shown[0].method) == (2.5872, 3.4128, "t")
    assert [a.cannot for a in shown] == [(), ("interval",), ("spread", "interval")]


@pytest.mark.parametrize(
    ("header", "cells", "whole"),
    [
        ("pass %", ("24.1", "5"), 100),
        ("pass", ("24.1%", "5 %"), 100),
        ("pass_rate", ("0.25", ".5"), 1),
        ("pass_rate", ("25.0", "50.5"), 100),
        ("accuracy", ("0.25", "1"), 1),
        ("passed", ("17", "30"), None),
        ("error rate", ("0.1", "0"), 1),
        ("error", ("0.1", "0"), None),
        ("win rate", ("0.5", "0.25"), None),
        ("coverage %", ("40.5", "30"), None),
        ("F", ("0.5", "0.25"), None),
        ("judge_verdict", ("0.5", "0.25"), 1),
    ],
)
def test_rates_are_told_by_header_and_content(
    write: Write, header: str, cells: tuple[str, str], whole: float | None
) -> None:
    body = f"condition,N,{header}\n" + "".join(f"c{at},40,{cell}\n" for at, cell in enumerate(cells))
    assert {one.whole for one in load(write({"p.csv": body})).reported} == {whole}


@given(st.integers(1, 400), st.data(), st.integers(0, 4))
def test_every_rate_that_is_k_of_n_is_reachable_however_it_is_rounded(n: int, data: st.DataObject, places: int) -> None:
    k = data.draw(st.integers(0, n))
    assert fit_count(round(k / n, places), n, 0.5 * 10**-places + 1e-12) is not None


@given(st.floats(0, 1), st.integers(1, 200))
def test_an_n_that_is_named_fits(rate: float, n: int) -> None:
    found = find_nearby_fit(rate, n, 0.0005)
    assert found is None or abs(found.count / found.n - rate) <= 0.0005


def test_a_rate_beside_counts_that_give_another_one_is_said_to_differ(write: Write) -> None:
    verdicts = {"pass": 17, "fail": 55, "unknown": 0, "pass_rate": 0.25}
    table = load(write({"r/metrics.json": {"judge_scores": {}, "judge_verdicts": verdicts}}), "r/metrics.json")
    diagnostics = warnings.find_warnings(table)
    assert [(n.code, n.values["stated"], n.values["computed"]) for n in diagnostics] == [
        ("scr-summary-differs", "0.25", "0.236111")
    ]


@pytest.mark.parametrize("kind", ["jsonl", "tsv"])
def test_aggregates_of_an_evaluation_are_held_against_the_rows_beside_them(write: Write, kind: str) -> None:
    files: dict[str, dict[str, Any]] = {
        "jsonl": {
            "x.rows.jsonl": [
                {"qid": "1", "is_aggregated": False, "metrics": {"relevance_score": 2, "token_usage": "{'a': 1}"}},
                {"qid": "2", "is_aggregated": False, "metrics": {"relevance_score": 1}},
            ],
            "x.aggregated.jsonl": [{"system_name": "S", "metrics": {"avg_relevance_score": 1.4}, "sample_count": 2}],
        },
        "tsv": {
            "x.rows.tsv": "qid\tis_aggregated\trelevance_score\n1\tFalse\t2\n2\tFalse\t1\nall\tTrue\t1.5\n",
            "x.aggregated.tsv": "system_name\tsample_count\tavg_relevance_score\nS\t2\t1.4\n",
        },
    }
    table = load(write(files[kind]))
    assert [(one.criterion, one.mean, one.n) for one in table.reported] == [("relevance_score", 1.4, 2)]
    assert [n.values["computed"] for n in warnings.find_warnings(table) if n.code == "scr-summary-differs"] == ["1.5"]
    assert list_aggregates(table) == ()


@pytest.mark.realdata
def test_all_published_means_of_the_factor_study_are_those_of_its_rows(shared: Path) -> None:
    names = ("factor_analysis_query_level_scores.csv", "factor_analysis_average_scores.csv")
    table = load(shared / "data" / "liverag-judge", *(ScoreSource(name) for name in names))
    pairs = [(one, row) for one, row in match_rows(table, summary.rows(table)) if row]
    assert len({one.condition for one, _ in pairs}) == 96
    assert sum(agrees(one, row) for one, row in pairs) == 2 * 96
    assert list_aggregates(table) == ()


@pytest.mark.parametrize(
    ("head", "conditions"),
    [
        ("condition,", [{"condition": "naive"}, {"condition": "advanced"}]),
        ("Condition,", [{"condition": "naive"}, {"condition": "advanced"}]),
        ("rag_prompt_level,", [{"rag_prompt_level": "naive"}, {"rag_prompt_level": "advanced"}]),
        ("system_name,", [{"condition": "naive"}, {"condition": "advanced"}]),
    ],
)
@pytest.mark.parametrize("name", ["m.csv", "m.aggregated.csv"])
def test_averages_of_several_conditions_belong_to_those_their_columns_name(
    write: Write, head: str, conditions: list[dict[str, str]], name: str
) -> None:
    rows = "naive,1.5,10\nadvanced,1.4,10\n"
    table = load(write({name: f"{head}avg_relevance_score,sample_count\n{rows}"}))
    assert [dict(one.condition) for one in table.reported] == conditions
    assert table.sources[0].columns["condition"] == (head.removesuffix(","),)


def test_what_rows_cost_is_summed_exactly_and_nothing_else_is(write: Write) -> None:
    rows = "".join(f"q{at},{at % 3},{cost},{at}\n" for at, cost in enumerate(["0.1"] * 3 + ["", "free", "1e-3"]))
    table = load(write({"s.csv": f"id,relevance_score,cost_usd,tokens\n{rows}"}))
    assert table.sources[0].columns["cost"] == ("cost_usd 0.301 (rows: 4)",)
    table = load(write({"t.csv": "id,relevance_score,tokens\nq1,1,5\n"}), "t.csv")
    assert "cost" not in table.sources[0].columns


@pytest.mark.realdata
def test_the_hyde_run_cost_what_its_aggregate_says(shared: Path) -> None:
    names = ("factor_analysis_query_level_scores.hyde.tsv", "factor_analysis_average_scores.hyde.tsv")
    table = load(shared / "data" / "liverag-judge", *(ScoreSource(name) for name in names))
    rows, stated = (source.columns["cost"] for source in table.sources)
    assert rows == ("cost_usd 5.03982 (rows: 100)",)
    assert stated == ("total_cost 5.0398200000000015 (rows: 1)",)  # the program's own sum of floats


@pytest.mark.realdata
def test_the_hyde_run_and_its_aggregate_belong_together(shared: Path) -> None:
    folder = shared / "data" / "liverag-judge"
    names = ("factor_analysis_query_level_scores.hyde.tsv", "factor_analysis_average_scores.hyde.tsv")
    assert len((folder / names[0]).read_bytes().splitlines()) == 301
    table = load(folder, *(ScoreSource(name) for name in names))
    assert table.sources[0].rows == 100
    assert all(score.rationale for score in table.scores)
    pairs = [(one, row) for one, row in match_rows(table, summary.rows(table)) if row]
    assert [(one.criterion, one.mean, one.n, agrees(one, row)) for one, row in pairs] == [
        ("relevance_score", 1.75, 100, True),
        ("faithfulness_score", 0.57, 100, True),
    ]
