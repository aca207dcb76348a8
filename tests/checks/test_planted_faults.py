"""Faults that a script plants into good projects are found, and the good projects have none."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from counts import many

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
QUICK = ("text decoded wrongly on the way (mojibake)", "a score off its scale", "a JSONL line cut off",
         "SYSTEM of a Modelfile edited after training")  # fmt: skip


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return runpy.run_path(str(BENCHMARKS / "planted_faults.py"))


@pytest.mark.parametrize("name", ["town", "training", "evaluation"])
def test_a_project_that_faults_are_planted_into_has_none(script: dict[str, Any], tmp_path: Path, name: str) -> None:
    found = script["run"](tmp_path, script["PROJECTS"][name]())
    assert [one.message for one in found if one.severity != "info"] == []


@pytest.mark.long
def test_planted_faults_are_found_at_their_place(script: dict[str, Any]) -> None:
    kinds = [one for one in script["FAULTS"] if one.name in QUICK or many(100) > 1]
    assert len(kinds) >= len(QUICK)
    outcomes = list(script["planted"](kinds, max(len(QUICK), many(100)), seed=12))
    missed = [(one.fault.name, [new.message for new in one.new]) for one in outcomes if not one.found]
    assert missed == [] or len(missed) <= many(100) // 20


def test_the_kinds_of_faults_are_told_apart_by_their_names(script: dict[str, Any]) -> None:
    kinds = [one.name for one in script["FAULTS"]]
    assert len(kinds) == len(set(kinds)) >= 25
    assert {one.project for one in script["FAULTS"]} == set(script["PROJECTS"])
