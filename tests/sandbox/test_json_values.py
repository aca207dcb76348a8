"""A workspace as JSON and back: the same value, so that a child works on what its caller holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readback import project_files, workspace
from readback.sandbox.json_values import freeze, thaw
from readback.types import Diagnostic, Location

Write = Callable[[Mapping[str, Any]], Path]
DEMOS = list(project_files.demos().values())


@pytest.mark.parametrize("path", DEMOS, ids=lambda path: path.name)
def test_a_workspace_comes_back_as_it_was(path: Path) -> None:
    opened = workspace.open(path)
    assert thaw(json.loads(json.dumps(freeze(opened)))) == opened


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["prompt-formats", "albert", "modelfiles", "judge-prompts", "training", "mtrag"])
def test_a_real_workspace_comes_back_as_it_was(shared: Path, name: str) -> None:
    opened = workspace.open(shared / "data" / name)
    assert thaw(json.loads(json.dumps(freeze(opened)))) == opened


def test_lone_surrogates_and_odd_names_travel_too(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": {"modes": [{"mode": "é", "template": "{{ q }}"}]}}))
    odd = replace(
        opened, diagnostics=(Diagnostic("dat-bom", {"x\ud800": [1, None, 1.5]}, Location(file="a\udfff"), "\0"),)
    )
    assert thaw(json.loads(json.dumps(freeze(odd)))) == odd
