"""Results of the beyond-the-cutoff evaluation program: rows of a run, and the means it states."""

from __future__ import annotations

from typing import Any

import pytest
from score_files import TIDY, Write, load, states

from readback.types import Condition

RUN = {"model_label": "run", "prompt_mode": "rag"}
DETAILS = [
    {
        **RUN,
        "task_id": "t1",
        "judge_scores": {"factuality": 0.8, "grounding": 0.0},
        "judge_verdict": "pass",
        "citation_metrics": {"mean_coverage": 0.25},
        "judge_reasoning": "fine",
    },
    {**RUN, "task_id": "t2", "judge_scores": {}, "judge_verdict": None},
    {"model_label": "run", "task_id": "t3", "errors": {"generation": "x"}, "timestamp": "now"},
    {**RUN, "task_id": "t4", "judge_scores": {"factuality": "0.4", "grounding": 1}, "judge_verdict": "fail"},
]


def test_rows_without_judge_scores_are_failures_of_everything_the_judge_scored(write: Write) -> None:
    found = load(write({"run/details.jsonl": DETAILS}), "run/details.jsonl")
    by = {name: [(s.item, s.state) for s in found.scores if s.criterion == name] for name in found.criteria}
    lost = [("t2", "failed"), ("t3", "failed")]
    assert by["factuality"] == [("t1", "scored"), ("t4", "scored"), *lost]
    assert by["judge_verdict"] == [("t1", "scored"), ("t4", "scored"), *lost]
    assert by["citation_mean_coverage"] == [("t1", "scored")]
    assert {s.condition for s in found.scores} == {(("condition", "run"),)}


def test_grounding_without_documents_does_not_apply(write: Write) -> None:
    root = write({"details.jsonl": [{**row, "prompt_mode": "instruction"} for row in DETAILS[:1]]})
    assert {s.criterion: s.state for s in load(root).scores}["grounding"] == "not applicable"
    tidy = write({"s.csv": TIDY + "q1,closed,grounding,0,j,\n"})
    assert states(load(tidy, "s.csv", conditions=(Condition("closed", mode="instruction"),))) == ["not applicable"]


@pytest.mark.parametrize(
    ("metrics", "stated"),
    [
        ({"summary": {"model_label": "run", "factuality": 0.6, "error_rate": 0.1, "judge_name": "j"}, "examples": []},
         [("factuality", 0.6, None), ("error_rate", 0.1, None)]),
        ({"factuality": 0.6, "evaluation_time_seconds": 3, "total_examples": 4}, [("factuality", 0.6, None)]),
        ({"judge_scores": {"factuality": {"mean": 0.6, "std": 0.2, "min": 0.4, "max": 0.8, "n": 2}}},
         [("factuality", 0.6, 2)]),
    ],
)  # fmt: skip
def test_means_of_a_run_are_reported_and_set_beside_its_rows(write: Write, metrics: Any, stated: list[Any]) -> None:
    root = write({"run/details.jsonl": DETAILS, "run/metrics.json": metrics})
    found = load(root, "run/details.jsonl", "run/metrics.json")
    assert [(m.criterion, m.mean, m.n) for m in found.reported] == stated
    assert {dict(m.condition)["condition"] for m in found.reported} == {"run"}
