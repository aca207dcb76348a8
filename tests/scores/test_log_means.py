"""Means that a log itself states are held against its rows; other numbers of it are told and not compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import cli, workspace
from readback.scores.loading import load
from readback.scores.output import answer_sections
from readback.scores.reported.contradictions import find_contradictions
from readback.scores.summary import rows

Write = Callable[[Mapping[str, Any]], Path]


def make_log(values: list[list[Any]], metrics: Mapping[str, Any], reducer: str | None = None) -> str:
    """Return an Inspect log with the grades of each sample by epoch, and what the run says of them."""
    samples = [
        {
            "id": f"q{number}",
            "epoch": epoch,
            "input": "Why?",
            "target": "a",
            "messages": [{"role": "user", "content": "Why?"}],
            "scores": {} if value is None else {"right": {"value": value}},
            "events": [],
        }
        for number, grades in enumerate(values, 1)
        for epoch, value in enumerate(grades, 1)
    ]
    block = {"name": "right", "scorer": "right", "reducer": reducer, "scored_samples": len(values),
             "metrics": {name: {"name": name, "value": value} for name, value in metrics.items()}}  # fmt: skip
    return json.dumps(
        {
            "version": 2,
            "status": "success",
            "eval": {"task": "t", "model": "m", "dataset": {}, "config": {}},
            "plan": {},
            "results": {"total_samples": len(samples), "scores": [block]},
            "samples": samples,
        }
    )


@pytest.mark.parametrize(
    ("values", "metrics", "reducer", "same", "others", "codes"),
    [
        ([["C"], ["I"]], {"accuracy": 0.5, "stderr": 0.5}, None, (1, 1), ["stderr"], []),
        ([["C"], ["I"]], {"accuracy": 0.75}, None, (0, 1), [], ["scr-summary-differs"]),
        ([[1], [0], [0]], {"mean": 1 / 3}, None, (1, 1), [], []),
        ([["C", "I"], ["C", "C"]], {"accuracy": 0.75}, "mean", (1, 1), [], []),
        ([["C", "I"], ["C", "C"]], {"accuracy": 0.7}, "mean", (0, 1), [], ["scr-summary-differs"]),
        ([["C", "I"], ["C", "C"]], {"accuracy": 1.0}, "max", (0, 0), ["accuracy (max)"], []),
        ([["C", float("nan")], ["I", "C"]], {"accuracy": 0.75}, "mean", (0, 0), ["accuracy (mean)"], []),
    ],
)
def test_what_a_log_states_is_held_against_its_rows(
    write: Write,
    values: list[list[Any]],
    metrics: Mapping[str, Any],
    reducer: str | None,
    same: tuple[int, int],
    others: list[str],
    codes: list[str],
) -> None:
    table = load(workspace.open(write({"log.json": make_log(values, metrics, reducer)})))
    beside = answer_sections.beside_rows(table)
    assert (beside["agree"], beside["means"]) == same
    assert [kind["name"] for kind in beside["not_recomputed"]] == others
    assert [each.code for each in find_contradictions(table, rows(table))] == codes


def test_the_command_line_says_both(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write({"log.json": make_log([["C"], ["I"]], {"accuracy": 0.5, "stderr": 0.5})})
    cli.main(["scores", str(folder)])
    out = capsys.readouterr().out
    assert "reported means that agree with the rows beside them: 1 of 1" in out
    assert "no plain means of rows, and so were not computed again: stderr (1)" in out


@pytest.mark.realdata
def test_results_of_lm_eval_are_held_against_the_samples_beside_them(shared: Path) -> None:
    found = 0
    for folder in sorted((shared / "vectors/ecosystem/lm-eval").glob("*/output")):
        table = load(workspace.open(folder))
        beside = answer_sections.beside_rows(table)
        assert beside["agree"] == beside["means"], folder
        found += beside["means"]
    assert found > 5
