"""Numbers of scores: n, what is not scored and why, the mean, the distribution, and what is not claimed."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st
from score_files import TIDY, Write, load

from readback.scores import loading as scores
from readback.scores import summary, warnings
from readback.scores.output import answer
from readback.scores.summary_row import Row
from readback.scores.values.criteria import from_entry
from readback.types import ScoreSource, Workspace

LIVERAG = "data/liverag-judge/factor_analysis_query_level_scores.csv"


def rows(root: Path, by: str | None = None, **more: Any) -> dict[Any, Row]:
    found = summary.rows(load(root, **more), by)
    return {(dict(r.condition).get("condition") or r.condition, r.criterion, r.judge): r for r in found}


def test_missing_counts_items_the_same_judge_scored_elsewhere(write: Write) -> None:
    body = "q1,a,relevance,2,j,\nq2,a,relevance,1,j,\nq1,b,relevance,-1,j,\nq3,b,relevance,,j,\nq9,b,relevance,0,k,\n"
    found = rows(write({"s.csv": TIDY + body}))
    a, b, other = (found[c, "relevance", j] for c, j in (("a", "j"), ("b", "j"), ("b", "k")))
    assert (a.n, a.missing, a.mean) == (2, 1, 1.5)
    assert (b.n, b.missing, b.mean) == (1, 2, -1.0)  # q2 has no row, q3 an empty cell
    assert (other.n, other.missing, other.mean) == (1, 0, 0.0)


def test_failures_are_counted_and_in_no_mean(write: Write) -> None:
    found = rows(write({"s.csv": TIDY + "q1,a,relevance,2,j,\nq2,a,relevance,9,j,\nq3,a,relevance,N/A,j,\n"}))
    row = found["a", "relevance", "j"]
    assert (row.n, row.failed, row.missing, row.not_applicable, row.mean) == (1, 1, 0, 1, 2.0)


def test_nothing_scored_has_no_mean(write: Write) -> None:
    row = rows(write({"s.csv": TIDY + "q1,a,relevance,,j,\nq1,b,relevance,1,j,\n"}))["a", "relevance", "j"]
    assert (row.n, row.missing, row.mean) == (0, 1, None)


def test_a_distribution_shows_the_whole_scale(write: Write) -> None:
    row = rows(write({"s.csv": TIDY + "q1,a,relevance,2,j,\nq2,a,relevance,2,j,\n"}))["a", "relevance", "j"]
    assert row.distribution == (("-1", 0), ("0", 0), ("1", 0), ("2", 2))


def test_measured_values_fall_into_the_same_ranges_under_every_condition(write: Write) -> None:
    body = "".join(f"q{i},{'ab'[i % 2]},rouge,{i / 97},j,\n" for i in range(98))
    found = rows(write({"s.csv": TIDY + body}))
    a, b = (found[c, "rouge", "j"].distribution for c in "ab")
    assert [value for value, _ in a] == [value for value, _ in b]
    assert a[0][0] == "0 to 0.1"
    assert (sum(n for _, n in a), sum(n for _, n in b)) == (49, 49)


def test_main_effects_take_all_conditions_with_a_value_together(write: Write) -> None:
    head = "qid,reranker,depth,relevance_score\n"
    body = "1,x,5,2\n1,x,9,1\n1,y,5,0\n2,x,5,2\n2,x,9,1\n2,y,5,-1\n2,y,9,1\n"
    table = load(write({"s.csv": head + body}))
    effects = summary.main_effects(table)
    assert set(effects) == {"reranker", "depth"}
    assert [(r.condition, r.n, r.missing, r.mean) for r in effects["reranker"]] == [
        ((("reranker", "x"),), 4, 0, 1.5),
        ((("reranker", "y"),), 3, 1, 0.0),
    ]


def test_what_is_not_there_is_named_with_what_is(write: Write) -> None:
    table = load(write({"s.csv": TIDY + "q1,a,relevance,1,j,\n"}))
    for wrong in ({"by": "reranker"}, {"criterion": "clarity"}, {"judge": "k"}):
        with pytest.raises(LookupError, match=r"there are: (condition|relevance|j)"):
            summary.rows(table, **wrong)
    assert len(summary.rows(table, criterion="relevance", judge="j")) == 1


def test_no_scores_have_no_rows_and_no_notes(tmp_path: Path) -> None:
    table = scores.load(Workspace(root=tmp_path, name="x"))
    assert (summary.rows(table), warnings.find_warnings(table)) == ((), ())
    assert answer.as_json(table, tell=lambda diagnostic: diagnostic.code)["rows"] == []


def test_a_stated_mean_is_compared_at_the_precision_it_is_printed_with(write: Write) -> None:
    items = "".join(f"q{i},x,{i % 3}\n" for i in range(7)) + "q0,y,1\n"
    root = write({"rows.csv": "qid,arm,relevance_score\n" + items, "means.csv": "arm,relevance_score\nx,0.86\ny,2\n"})
    found = [n for n in warnings.find_warnings(load(root)) if n.code == "scr-summary-differs"]
    assert [(n.values["condition"], n.values["stated"], n.values["computed"]) for n in found] == [("y", "2", "1")]


def test_the_answer_for_scripts_says_what_is_not_computed(write: Write) -> None:
    table = load(write({"s.csv": TIDY + "q1,closed,relevance,1,,\n"}))
    said = json.loads(json.dumps(answer.as_json(table, tell=lambda diagnostic: diagnostic.code)))
    assert said["rows"][0] == {
        "condition": {"condition": "closed"}, "criterion": "relevance", "judge": None,
        "n": 1, "failed": 0, "missing": 0, "not_applicable": 0, "not_read": 0, "in_question": 0, "mean": 1.0,
            "interval": None, "method": None,
        "interval_clustered": None, "method_clustered": None, "interval_used": None, "interval_on_scale": None,
        "clusters": None, "design_effect": None,
        "distribution": {"-1": 0, "0": 0, "1": 1, "2": 0}, "share_of_one": 1.0,
    }  # fmt: skip
    assert (said["comparisons"], said["blocked"]) == ([], [])
    assert "comparisons_skipped" not in said


CELLS = st.sampled_from(["-1", "0", "1", "2", "7", "", "N/A", "x"])


@settings(max_examples=some(40), deadline=None)
@given(st.dictionaries(st.tuples(st.sampled_from("abc"), st.integers(0, 5)), CELLS, min_size=1))
def test_every_item_is_in_exactly_one_count(tmp_path: Path, cells: dict[tuple[str, int], str]) -> None:
    body = "".join(f"q{item},{condition},relevance,{cell},j,\n" for (condition, item), cell in cells.items())
    (tmp_path / "s.csv").write_text(TIDY + body)
    found = load(tmp_path, "s.csv", criteria={"relevance": from_entry("relevance", [-1, 0, 1, 2])})
    items = {item for _, item in cells}
    for row in summary.rows(found):
        assert row.all + row.not_applicable == len(items)
        own = [
            float(v)
            for (c, _), v in cells.items()
            if (("condition", c),) == row.condition and v in ["-1", "0", "1", "2"]
        ]
        assert row.n == len(own)
        assert row.mean is None if not own else math.isclose(row.mean or 0.0, sum(own) / len(own), abs_tol=1e-12)
        assert sum(n for _, n in row.distribution) == row.n


# -- real files ----------------------------------------------------------------------------------------------


@pytest.mark.realdata
def test_the_published_factor_study_is_reproduced(shared: Path) -> None:
    table = scores.load(Workspace(root=shared, name="x", scores=(ScoreSource(LIVERAG),)))
    found = {(frozenset(r.condition), r.criterion): r for r in summary.rows(table)}
    assert (len(table.columns.conditions), table.sources[0].rows) == (96, 9589)
    assert Counter(r.missing for r in found.values()) == {0: 172, 1: 18, 2: 2}  # 11 cells for each of two criteria
    with (shared / "data/liverag-judge/factor_analysis_average_scores.csv").open() as file:
        published = list(csv.DictReader(file))
    assert len(published) == 96
    for line in published:
        means = {name: line.pop(name) for name in ("relevance_score", "faithfulness_score")}
        for criterion, mean in means.items():
            assert found[frozenset(line.items()), criterion].mean == pytest.approx(float(mean), abs=1e-12)
    both = Workspace(
        root=shared, name="x", scores=(*map(ScoreSource, (LIVERAG, LIVERAG.replace("query_level", "average"))),)
    )
    assert [n.code for n in warnings.find_warnings(scores.load(both))] == []


@pytest.mark.realdata
def test_the_factor_study_has_its_known_distributions_and_main_effects(shared: Path) -> None:
    table = scores.load(Workspace(root=shared, name="x", scores=(ScoreSource(LIVERAG),)))
    total: dict[str, Counter[str]] = {}
    for row in summary.rows(table):
        total.setdefault(row.criterion, Counter()).update(dict(row.distribution))
    assert total["relevance_score"] == {"2": 6922, "1": 1830, "0": 176, "-1": 661}
    assert total["faithfulness_score"] == {"1": 5727, "0": 3417, "-1": 445}
    means = {
        (value, row.criterion): round(row.mean or 0, 4)
        for factor in ("query_expansion_mode", "rag_prompt_level", "reranker")
        for row in summary.rows(table, factor)
        for _, value in row.condition
    }
    for value, relevance, faithfulness in (
        ("none", 1.6712, 0.5737), ("variants", 1.5710, 0.5325), ("decomposition", 1.4544, 0.5462),
        ("naive", 1.5885, 0.5260), ("advanced", 1.5428, 0.5757), ("logits", 1.5656, 0.5508),
    ):  # fmt: skip
        assert means[value, "relevance_score"] == pytest.approx(relevance, abs=6e-5)
        assert means[value, "faithfulness_score"] == pytest.approx(faithfulness, abs=6e-5)
    assert "reranker" not in table.varying


@pytest.mark.realdata
def test_notes_over_several_lines_and_their_judge_are_read(shared: Path) -> None:
    source = ScoreSource("data/liverag-judge/factor_analysis_query_level_scores.hyde.tsv")
    table = scores.load(Workspace(root=shared, name="x", scores=(source,)))
    assert [(r.n, r.judge, r.mean) for r in summary.rows(table)] == [
        (100, "llm_evaluator", 1.75),
        (100, "llm_evaluator", 0.57),
    ]
    assert "\n" in table.scores[0].rationale


@pytest.mark.realdata
def test_scales_differ_by_metric_in_one_tidy_file(shared: Path) -> None:
    table = scores.load(Workspace(root=shared, name="x", scores=(ScoreSource("data/mtrag/mtrag_scores_long.csv"),)))
    assert (len(table.scores), Counter(s.state for s in table.scores)) == (10426, {"scored": 10426})
    scales = {name: c.values or (c.low, c.high) for name, c in table.criteria.items()}
    assert scales["win-rate"] == (0.0, 50.0, 100.0)
    assert scales["faithfulness"] == scales["completeness"] == (1.0, 2.0, 3.0, 4.0)
    assert scales["RougeL"] == (0.0, 1.0)
    assert sum(row.missing for row in summary.rows(table)) == 1775


@pytest.mark.realdata
def test_five_judges_are_columns_and_one_value_is_off_the_scale(shared: Path) -> None:
    judges = ("h2oloo-fewself", "willia-umbrela1", "RMITIR-GPT4o", "RMITIR-llama70B", "TREMA-4prompts")
    source = ScoreSource("data/llmjudge/five_judges_500items.csv", ("query", "passage"), (), judges, "relevance")
    criteria: Any = {"relevance": from_entry("relevance", [0, 1, 2, 3])}
    table = scores.load(Workspace(root=shared, name="x", scores=(source,), criteria=criteria))
    assert {r.judge: (r.n, r.failed) for r in summary.rows(table)} == {
        **dict.fromkeys(judges, (500, 0)), "RMITIR-llama70B": (499, 1),
    }  # fmt: skip
