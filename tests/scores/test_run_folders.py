"""A tree of results as the beyond-the-cutoff evaluation program writes it: found, read, and held against itself."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from run_files import Run
from score_files import Write, load

from readback import workspace
from readback.checks.run import engine
from readback.scores import loading, summary, warnings
from readback.scores.comparing.compare import compare
from readback.scores.reported.aggregates import list_aggregates
from readback.scores.rubrics import of_judge
from readback.scores.table import NOT_APPLICABLE, PassRule, ScoreTable

PLANTED = Run("open", failed=(3,), texts=(4,), verdicts=(5, 6), totals=(7,))
CLOSED = Run("closed", mode="instruction", wrong={"completeness": 0.05})
RUBRIC = """name: mine
prompt: |
  {{QUESTION}} {{ASSISTANT_RESPONSE}}
  Set verdict = "pass" when overall score ≥ 0.65 and
  all scores ≥ 0.4; otherwise "fail".
criteria:
  - {id: factuality, weight: 0.4}
  - {id: grounding, weight: 0.3}
  - {id: completeness, weight: 0.2}
  - {id: communication, weight: 0.1}
"""


def opened(root: Path) -> ScoreTable:
    return loading.load(workspace.open(root))


def found(table: ScoreTable) -> Counter[str]:
    return Counter(diagnostic.code for diagnostic in warnings.find_warnings(table))


def test_runs_are_found_without_being_named_and_their_faults_counted(write: Write) -> None:
    root = write({**PLANTED.files("evaluation/results/"), **CLOSED.files("evaluation/results/")})
    table = opened(root)
    assert {s.what for s in table.sources} == {"run details", "run metadata", "run metrics, shape C"}
    assert {s.rows for s in table.sources if s.what == "run details"} == {20}
    assert sum(s.cells for s in table.sources) == len(table.columns)
    codes = found(table)
    assert codes["scr-verdict-differs"] == len(PLANTED.verdicts)
    assert codes["scr-overall-differs"] == len(PLANTED.totals)
    assert codes["jdg-score-text"] == len(PLANTED.texts)
    # the mean that is stated wrongly and the number in quotes; and the failure counted as not passed
    assert codes["scr-summary-differs"] == 2
    assert codes["scr-summary-counts-failures"] == 1
    rows = {(dict(r.condition)["condition"], r.criterion): r for r in summary.rows(table)}
    assert (rows["open", "factuality"].n, rows["open", "factuality"].failed) == (19, 1)
    assert (rows["closed", "grounding"].n, rows["closed", "grounding"].not_applicable) == (0, 20)
    assert rows["closed", "citation_metrics.recall"].not_applicable == 20


def test_nothing_is_found_where_nothing_is_wrong(write: Write) -> None:
    clean = {**Run("a").files(), **Run("b", mode="instruction").files()}
    codes = found(opened(write(clean)))
    assert {
        code for code in codes if code.startswith(("scr-summary", "scr-verdict", "scr-overall", "scr-rate"))
    } == set()


def test_what_explains_a_difference_is_said(write: Write) -> None:
    table = opened(write(Run("a", truths=(2,), failed=(1,)).files()))
    said = {
        diagnostic.values["criterion"]: diagnostic.values.get("because", diagnostic.values.get("sentence"))
        for diagnostic in warnings.find_warnings(table)
        if diagnostic.code in ("scr-summary-differs", "scr-summary-counts-failures")
    }
    assert "true as 1" in said["factuality"]
    assert "1 row without a score" in said["judge_verdict"]


def test_the_last_line_of_the_metadata_says_how_a_run_was_made(write: Write) -> None:
    about = next(one for one in opened(write(Run("a").files())).about if one.dataset)
    assert (about.judge, about.judge_model, about.model) == ("qwen3:8b", "qwen3:8b", "qwen2.5:0.5b")
    assert about.rubric == "scientific_default_rag"
    assert (about.judge_prompt, about.dataset, about.records) == ("e" * 64, "d" * 64, "eval_dataset.jsonl")
    assert about.place.line == 2


@pytest.mark.parametrize("folder", ["evaluation/results/", "evaluation/results/interleaved/"])
def test_a_plan_finds_its_results_its_answers_and_what_was_sent(write: Write, folder: str) -> None:
    run = Run("closed", mode="instruction")
    plan = {
        "defaults": {"output_dir": "../evaluation/results", "judge_config": "rag.yaml", "dataset": "../data.jsonl"},
        "runs": [{"label": "closed", "model_config": "base.yaml", "prompt_mode": "instruction"}],
    }
    records = [{"task_id": f"t{at}", "instruction": f"Question {at}?", "rag": {"prompt": "x"}} for at in range(20)]
    root = write(
        {
            **run.files(folder),
            "configs/plan.yaml": plan,
            "configs/base.yaml": {"provider": "ollama", "model": "qwen"},
            "configs/rag.yaml": RUBRIC,
            "data.jsonl": records,
            "evaluation/responses/closed.jsonl": run.responses(),
        }
    )
    opened = workspace.open(root)
    assert sorted(s.path for s in opened.scores) == [f"{folder}closed/{name}" for name in
                                             ("details.jsonl", "metadata.jsonl", "metrics.json")]  # fmt: skip
    assert opened.conditions[0].answers == "evaluation/responses/closed.jsonl"
    table = loading.load(opened)
    assert any(one.weights.get("factuality") == 0.4 and one.passes == PassRule(0.65, every=0.4) for one in table.about)
    audit = engine.check(opened)
    assert [f for f in audit.findings if f.code == "fmt-assembly-differs"] == []
    assert {row.observed for row in audit.conditions} == {(20, 20)}


def test_a_report_of_runs_is_no_plan(write: Write) -> None:
    root = write({**Run("a").files(), "comparison_report.json": {"runs": [{"label": "a", "summary": {}}]}})
    (one,) = workspace.open(root).conditions
    assert (one.name, one.mode, one.place.file) == ("a", None, "a/details.jsonl")


def test_runs_without_a_plan_are_the_conditions_as_their_own_files_describe_them(write: Write) -> None:
    pairs = {"models": {"book": {"result_dir": "x/open"}, "none": {"result_dir": "x/closed"}},
             "cross_group_comparisons": {"comparisons": [
                 {"model_a": "none", "model_b": "book", "metrics_to_compare": ["factuality"]}]}}  # fmt: skip
    root = write({**PLANTED.files("x/"), **CLOSED.files("x/"), "judges/scientific_default_rag.yaml": RUBRIC,
                  "comparisons.yaml": pairs, "other.csv": "id,condition,clarity_score\nq1,elsewhere,1\n"})  # fmt: skip
    opened = workspace.open(root)
    closed, book = opened.conditions
    assert (closed.name, book.name, book.aliases) == ("closed", "open", ("book",))
    assert (closed.judge, book.judge, book.answers) == (None, "scientific_default_rag", "x/open/details.jsonl")
    assert dict(book.settings) == {
        "found_in": "x/open", "model": "qwen2.5:0.5b", "judge_model": "qwen3:8b", "mode": "rag",
    }  # fmt: skip
    table = loading.load(opened)
    assert [n.code for n in table.diagnostics if n.code == "scr-unknown-condition"] == []
    (made,) = [one for one in compare(table, table.planned).comparisons if one.planned]
    assert (made.a, made.b, made.judge) == ((("condition", "closed"),), (("condition", "open"),), "qwen3:8b")
    assert [f.code for f in engine.check(opened).findings if f.code.startswith(("dat-unknown", "fmt-"))] == []


def test_runs_without_a_plan_use_the_modes_that_the_dataset_brings(write: Write) -> None:
    record = {"instruction": "Question 0?", "rag": {"prompt": "Question: x\n\nAnswer:", "contexts": ["x"]}}
    records = [{**record, "task_id": f"t{at}"} for at in range(20)]
    opened = workspace.open(write({**PLANTED.files(), **CLOSED.files(), "data.jsonl": records}))
    assert [(one.name, one.mode) for one in opened.conditions] == [("closed", "instruction"), ("open", "rag")]


def test_two_runs_in_one_folder_are_no_folder_of_a_run(write: Write) -> None:
    rows = {f"x/{name}.jsonl": Run(name).rows() for name in "ab"}
    assert workspace.open(write(rows)).conditions == ()


def test_the_rule_of_a_rubric_is_read_from_its_prompt(write: Write) -> None:
    opened = workspace.open(write({"judges/rag.yaml": RUBRIC}))
    assert of_judge(opened.judges["rag"]).passes == PassRule(0.65, every=0.4)


@pytest.mark.realdata
def test_the_published_rubrics_state_their_weights_and_rules(shared: Path) -> None:
    opened = workspace.open(shared / "data" / "prompt-formats")
    rag, instruction = of_judge(opened.judges["rag"]), of_judge(opened.judges["instruction"])
    assert rag.passes == PassRule(0.65, every=0.4)
    assert instruction.passes == PassRule(0.65, {"factuality": 0.4})
    assert dict(instruction.weights) == {"factuality": 0.5, "grounding": 0, "completeness": 0.3, "communication": 0.2}


SUMMARY = {"model_label": "r", "judge_name": "j", "prompt_mode": "instruction", "examples_evaluated": 10,
           "examples_with_errors": 1, "error_rate": 0.1, "factuality": 0.5, "grounding": 0.0,
           "citation_mean_coverage": 0.0, "bleu": 0.1, "bertscore": {"precision": 0.8, "recall": 0.7, "f1": 0.75},
           "dataset": "/home/somebody/x.jsonl", "evaluated_task_ids": ["1", "2"]}  # fmt: skip
SHAPES = {
    "A": {"summary": SUMMARY, "examples": []},
    "B": {**SUMMARY, "evaluation_time_seconds": 3.5, "total_examples": 10},
    "D": {"model_label": "r", "dimensions": {"factuality": 7.5, "grounding": 6}, "overall": 7},
}


@pytest.mark.parametrize("shape", ["A", "B"])
def test_a_summary_gives_every_number_under_a_dotted_name_and_says_no_n(write: Write, shape: str) -> None:
    table = load(write({"r/metrics.json": SHAPES[shape]}), "r/metrics.json")
    by = {one.criterion: one for one in table.reported}
    assert {"factuality", "bleu", "bertscore.f1", "bertscore.precision", "error_rate"} <= by.keys()
    assert (by["factuality"].n, by["factuality"].judge, by["bleu"].judge) == (None, "j", "computed")
    assert (by["error_rate"].n, by["error_rate"].count, by["error_rate"].whole) == (10, 1, 1.0)
    assert {name for name, one in by.items() if one.state == NOT_APPLICABLE} == {"grounding", "citation_mean_coverage"}
    assert (table.about[0].mode, table.about[0].records, table.about[0].items) == ("instruction", "x.jsonl", ("1", "2"))
    shown = {one.reported.criterion: one for one in list_aggregates(table)}
    assert shown["factuality"].cannot == ("n", "spread", "interval")
    assert shown["error_rate"].method == "wilson"


def test_a_mean_has_the_spread_that_is_written_beside_it_and_what_is_no_mean_has_none(write: Write) -> None:
    spread = {"mean_words": 2.0, "std_words": 0.5, "min_words": 1, "max_words": 3, "std_bleu": 0.2}
    table = load(write({"r/metrics.json": {**SUMMARY, **spread}}), "r/metrics.json")
    by = {one.criterion: (one.mean, one.sd, one.low, one.high) for one in table.reported}
    assert by["mean_words"] == (2.0, 0.5, 1.0, 3.0)
    assert by["bleu"] == (0.1, None, None, None)


def test_means_on_another_scale_are_said_to_be(write: Write) -> None:
    table = load(write({"r/metrics.json": SHAPES["D"]}), "r/metrics.json")
    assert {one.criterion: one.mean for one in table.reported} == {"factuality": 7.5, "grounding": 6, "overall": 7}
    told = [(n.values["criterion"], n.severity) for n in table.diagnostics if n.code == "scr-scale-unknown"]
    assert told == [("factuality", "info"), ("grounding", "info"), ("overall", "info")]


def test_a_file_with_nan_for_a_mean_is_told_and_counts_as_no_number(write: Write) -> None:
    scores = [{"factuality": 0.5}, {"factuality": math.nan}]
    rows = [{"task_id": str(at), "judge_scores": one} for at, one in enumerate(scores)]
    body = "\n".join(map(json.dumps, rows))
    metrics = json.dumps({"judge_scores": {"factuality": {"mean": math.nan, "n": 2}}})
    names = ("r/details.jsonl", "r/metrics.json")
    table = load(write(dict(zip(names, (body, metrics), strict=True))), *names)
    diagnostic = next(n for n in warnings.find_warnings(table) if n.code == "scr-summary-differs")
    assert (diagnostic.values["stated"], diagnostic.values["computed"]) == ("NaN", "0.5")
    assert "NaN" in diagnostic.values["because"]


@pytest.mark.parametrize(
    ("row", "states"),
    [
        ({"judge_scores": {}, "judge_verdict": "pass"}, {"judge_verdict": "scored"}),
        ({"errors": {"judge": "x"}}, {"judge_verdict": "failed"}),
        ({"judge_scores": {"clarity": True}, "judge_verdict": "?"}, {"clarity": "failed", "judge_verdict": "missing"}),
        (
            {"judge_scores": {"grounding": 0}, "citation_metrics": {"mode": "instruction_only", "recall": 0}},
            {"grounding": "not applicable", "citation_metrics.recall": "not applicable"},
        ),
    ],
)
def test_no_row_of_details_is_lost(write: Write, row: dict[str, Any], states: dict[str, str]) -> None:
    other = {"task_id": "0", "model_label": "r", "judge_scores": {"clarity": 3}}
    rows = [{"task_id": "1", "model_label": "r", **row}] if "judge_scores" not in row or "grounding" in str(row) else [
        {"task_id": "1", "model_label": "r", **row}, other]  # fmt: skip
    body = [*rows, {"task_id": "9", "judge_verdict": None, "judge_scores": {}, "model_label": "r"}]
    table = load(write({"r/details.jsonl": body}), "r/details.jsonl")
    assert states.items() <= {s.criterion: s.state for s in table.scores if s.item == "1"}.items()
