"""A judge is called by the model that judges; the rubric it judges by is another fact, and is compared as one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from run_files import Run
from score_files import Write

from readback import workspace
from readback.scores import loading
from readback.scores.comparing.compare import compare, list_absent
from readback.scores.table import ScoreTable

SIX = (
    ("base_baseline_0p5b", "base_baseline", "instruction"),
    ("rag_baseline_0p5b", "rag_baseline", "rag"),
    ("lora_science_0p5b_ft_only", "ft_only_instruction", "instruction"),
    ("hybrid_science_0p5b_instruction_only", "ft_rag_instruction", "rag"),
    ("lora_science_0p5b_rag_trained_ft_only", "ft_only_rag_trained", "instruction"),
    ("hybrid_science_0p5b_rag_trained", "ft_rag_trained", "rag"),
)
RAW = ("factuality", "completeness", "communication")
RUBRIC = """name: scientific_default_{mode}
prompt: "{mode}: {{{{QUESTION}}}} {{{{ASSISTANT_RESPONSE}}}}"
criteria:
  - {{id: factuality, weight: 0.5}}
  - {{id: grounding, weight: {grounding}}}
  - {{id: completeness, weight: 0.3}}
  - {{id: communication, weight: 0.2}}
"""
RUBRICS = {
    "configs/judges/rag.yaml": RUBRIC.format(mode="rag", grounding=0.3),
    "configs/judges/instruction.yaml": RUBRIC.format(mode="instruction", grounding=0),
}
INFERENCE = "provider: ollama\nmodel: {}\ntemperature: 0.6\n"
COMPARISONS = {
    "models": {name: {"result_dir": f"evaluation/results/{label}"} for label, name, _ in SIX},
    "within_group_comparisons": {
        "rag_group": {
            "judge": "rag",
            "comparable_metrics": [*RAW, "grounding", "weighted_total"],
            "comparisons": [{"model_a": "rag_baseline", "model_b": "ft_rag_trained"}],
        }
    },
    "cross_group_comparisons": {
        "comparable_metrics": list(RAW),
        "NOT_comparable": ["grounding", "weighted_total"],
        "comparisons": [
            {"model_a": "rag_baseline", "model_b": "ft_only_instruction", "metrics_to_compare": list(RAW)},
            {"model_a": "ft_only_rag_trained", "model_b": "ft_rag_trained", "metrics_to_compare": [*RAW, "grounding"]},
        ],
    },
}


def plan(inference: bool = True) -> dict[str, Any]:
    """The files of a study with six runs, judged by one model with two rubrics."""
    defaults = {"output_dir": "../../evaluation/results", "judge_config": "../judges/rag.yaml"}
    if inference:
        defaults["judge_inference"] = "../judges/thinking.yaml"
    runs = [
        {"label": label, "prompt_mode": mode, "judge_config": f"../judges/{mode}.yaml"} for label, _, mode in SIX
    ]  # fmt: skip
    return {
        **RUBRICS,
        "configs/judges/thinking.yaml": INFERENCE.format("qwen3:8b"),
        "configs/evaluation/experiment.yaml": {"defaults": defaults, "runs": runs},
        "configs/evaluation/comparisons.yaml": COMPARISONS,
    }


def results(*, kinds: tuple[str, ...] = ("details.jsonl", "metrics.json", "metadata.jsonl")) -> dict[str, Any]:
    made = {
        path: body for label, _, mode in SIX for path, body in Run(label, mode).files("evaluation/results/").items()
    }
    return {path: body for path, body in made.items() if path.endswith(kinds)}


def opened(root: Path) -> ScoreTable:
    return loading.load(workspace.open(root))


def outcome(table: ScoreTable) -> dict[tuple[str, str, str], tuple[str, ...]]:
    """Each planned comparison: (a, b, criterion) to the codes that forbid it, none where it was made."""
    found = compare(table, table.planned)
    made = {(one.a[0][1], one.b[0][1], one.criterion): () for one in found.comparisons if one.planned}
    return made | {
        (one.a[0][1], one.b[0][1], one.criterion): tuple(diagnostic.code for diagnostic in one.why)
        for one in found.blocked
        if one.planned
    }


@pytest.mark.parametrize(
    ("inference", "kinds"),
    [
        (True, ("details.jsonl", "metrics.json", "metadata.jsonl")),
        (True, ("details.jsonl",)),  # only the plan says which model judged
        (False, ("details.jsonl", "metrics.json")),  # only the summary does
        (False, ("details.jsonl", "metadata.jsonl")),
    ],
)
def test_a_study_judged_by_one_model_with_two_rubrics_is_compared_as_it_was_planned(
    write: Write, inference: bool, kinds: tuple[str, ...]
) -> None:
    metrics = results(kinds=kinds)
    for path, body in metrics.items():
        if path.endswith("metrics.json"):
            body |= {"judge_model": "qwen3:8b", "judge_name": "a rubric"}
    table = opened(write({**plan(inference), **metrics}))
    assert set(table.columns.judges) == {"qwen3:8b", "computed"}
    found = outcome(table)
    closed, book, both = "lora_science_0p5b_ft_only", "rag_baseline_0p5b", "hybrid_science_0p5b_rag_trained"
    for name in RAW:
        assert found[book, closed, name] == ()
        assert found["lora_science_0p5b_rag_trained_ft_only", both, name] == ()
    assert found["lora_science_0p5b_rag_trained_ft_only", both, "grounding"] == ("scr-not-comparable",)
    assert [found[book, both, name] for name in (*RAW, "grounding", "overall")] == [()] * 5
    assert list_absent(table, table.planned) == ()


def test_two_models_that_judged_are_two_judges_whatever_their_rubric(write: Write) -> None:
    files = results()
    for path in files:
        if path.endswith("metadata.jsonl") and "rag_baseline" in path:
            files[path] = json.dumps(Run("rag_baseline_0p5b").metadata("llama3.1:8b")) + "\n"
    table = opened(write({**plan(), **files}))
    found = outcome(table)
    book, both = "rag_baseline_0p5b", "hybrid_science_0p5b_rag_trained"
    assert {found[book, both, name] for name in (*RAW, "grounding", "overall")} == {("scr-judge-differs",)}
    assert found["lora_science_0p5b_rag_trained_ft_only", both, "factuality"] == ()


def test_one_model_with_two_prompts_for_runs_of_one_kind_is_said(write: Write) -> None:
    one, other = Run("one").files(), Run("other").files()
    said = {**Run("other").metadata(), "judge": {"prompt_sha256": "a" * 64, "parameters": {"model": "qwen3:8b"}}}
    table = opened(write({**one, **other, "other/metadata.jsonl": json.dumps(said) + "\n"}))
    blocked = {
        (b.criterion, diagnostic.code) for b in compare(table).blocked for diagnostic in b.why if b.judge == "qwen3:8b"
    }
    assert ("factuality", "scr-prompt-differs") in blocked
    assert {code for _, code in blocked} == {"scr-prompt-differs"}


JUDGES = """judges:
  open-judge: {prompts: configs/judges/rag.yaml%s}
  closed-judge: {prompts: configs/judges/instruction.yaml%s}
conditions:
  - {name: book, mode: rag, judge: open-judge}
  - {name: closed, mode: instruction, judge: closed-judge}
scores:
  - {path: book.csv, label: book}
  - {path: closed.csv, label: closed}
comparisons: [{a: closed, b: book, criteria: [factuality, grounding, clear]%s}]
"""
WIDE = "id,factuality,grounding,clear_score\n" + "".join(f"q{i},0.{i % 9},0.5,{i % 3}\n" for i in range(20))


def two(write: Write, open_model: str, closed_model: str, more: str = "", body: str = WIDE) -> ScoreTable:
    settings = [f", settings: {{model: {name}}}" if name else "" for name in (open_model, closed_model)]
    yml = JUDGES % (*settings, more)
    return opened(write({"readback.yml": yml, **RUBRICS, "book.csv": body, "closed.csv": body}))


def test_judges_of_the_workspace_are_called_by_the_model_their_settings_name(write: Write) -> None:
    table = two(write, "m", "m")
    assert table.columns.judges == ("m",)
    assert [one.rubric for one in table.about if one.rubric] == ["open-judge", "closed-judge"]
    found = outcome(table)
    assert found["closed", "book", "factuality"] == ()
    assert found["closed", "book", "grounding"] == ("scr-not-comparable",)
    assert found["closed", "book", "clear_score"] == ("scr-prompt-differs",)


@pytest.mark.parametrize(("one", "other"), [("m", "n"), ("", ""), ("m", "")])
def test_judges_of_other_models_or_of_none_that_is_known_stay_two(write: Write, one: str, other: str) -> None:
    table = two(write, one, other)
    assert table.columns.judges == (one or "open-judge", other or "closed-judge")
    assert outcome(table)["closed", "book", "factuality"] == ("scr-judge-differs",)


def test_a_name_that_the_score_file_states_stays(write: Write) -> None:
    body = WIDE.replace("id,", "judge,id,").replace("\nq", "\nopen-judge,q")
    table = two(write, "m", "m", body=body)
    assert table.columns.judges == ("open-judge",)


def test_a_plan_may_name_the_judge_by_its_rubric(write: Write) -> None:
    assert outcome(two(write, "m", "m", ", judge: open-judge"))["closed", "book", "factuality"] == ()
    table = two(write, "m", "m", ", judge: nobody")
    assert outcome(table) == {}
    assert [name for _, name in list_absent(table, table.planned)] == ["nobody"]


def test_one_model_that_judged_a_condition_by_two_rubrics_stays_two_judges(write: Write) -> None:
    yml = """judges:
  mild: {prompts: configs/judges/rag.yaml, settings: {model: m}}
  strict: {prompts: configs/judges/instruction.yaml, settings: {model: m}}
conditions: [{name: book, mode: rag, judge: mild}]
"""
    first = {"a/details.jsonl": Run("book").rows(), "b/details.jsonl": Run("book").rows()}
    said = {f"{folder}/metrics.json": {**Run("book").metrics(), "judge_model": "m", "judge_name": name}
            for folder, name in (("a", "mild"), ("b", "strict"))}  # fmt: skip
    scores = "scores: [a/details.jsonl, a/metrics.json, b/details.jsonl, b/metrics.json]\n"
    table = opened(write({"readback.yml": yml + scores, **RUBRICS, **first, **said}))
    assert set(table.columns.judges) == {"mild", "strict", "computed"}
    assert len([one for one in table.scores if one.criterion == "factuality"]) == 40


def test_the_workspaces_facts_name_model_rubric_and_prompt(write: Write) -> None:
    opened = workspace.open(write({**plan(), **results()}))
    one = next(loading.of_workspace(opened))
    assert (one.judge, one.judge_model, one.rubric) == ("qwen3:8b", "qwen3:8b", "instruction")
    assert one.judge_prompt == loading.prompt_of(opened.judges["instruction"])
