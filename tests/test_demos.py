"""The built-in demo workspaces: complete, exact in every mode and adapter, and with the faults they mean to show."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
from counts import part
from same_keys import shared_keys

from readback import as_json, project_files, workspace
from readback.adapters import load_shipped
from readback.checks.run import engine
from readback.project_files import EXAMPLES
from readback.prompts.assemble import assemble
from readback.prompts.selections import list_selections
from readback.records.dataset import open_dataset
from readback.scores.loading import load
from readback.types import Selection, Workspace

DEMOS = sorted(project_files.demos())
FAULTS: dict[str, set[str]] = {
    "copied-prompts": set(),  # what differs is in the log of another tool, not in the study
    "six-conditions": {"dat-bad-line", "fmt-context-not-sent", "fmt-reference-cites-missing"},
    "six-conditions-mistakes": {
        "dat-bad-line",
        "fmt-context-not-sent",
        "fmt-markers",
        "fmt-reference-cites-missing",
        "fmt-system-mismatch",
        "fmt-system-text-in-user",
        "fmt-system-varies",
        "asm-system-folded",
    },
    "tri-section": {"asm-grouped-task-key", "asm-unknown-interface", "asm-system-folded"},
    "town-hall-albert": {"alb-unknown-key", "alb-template-missing", "alb-variable-no-data", "alb-limit-applied"},
}


def _everything(workspace: Workspace) -> list[Selection]:
    adapters = [None, *load_shipped(), *workspace.adapters]
    modes = [Selection(mode=mode, adapter=adapter) for mode in workspace.prompts for adapter in adapters]
    tasks = [Selection(task=task, adapter=adapter) for task in workspace.tasks for adapter in adapters]
    return [*list_selections(workspace), *modes, *tasks]


@pytest.mark.parametrize("name", DEMOS)
def test_segments_join_to_the_text_for_every_record_mode_and_adapter(name: str) -> None:
    opened = workspace.open(EXAMPLES / name)
    seen = 0
    for record in part(list(open_dataset(opened.root, opened.dataset).records()), 1):
        for choice in _everything(opened):
            answer = as_json.rendering_to_json(assemble(opened, record, choice), None, ())
            for message in json.loads(as_json.dumps(answer))["messages"]:
                assert message["text"] == "".join(segment["text"] for segment in message["segments"])
                seen += 1
    assert seen > 20


@pytest.mark.parametrize("name", DEMOS)
def test_the_deliberate_faults_are_found_and_explained(name: str) -> None:
    """And no two findings of a demo share a key."""
    audit = engine.check(workspace.open(EXAMPLES / name))
    assert FAULTS[name] <= set(audit.counts)
    assert shared_keys(audit.findings) == []


def test_the_right_conditions_of_the_six_have_no_leak_and_no_mismatch() -> None:
    audit = engine.check(workspace.open(EXAMPLES / "six-conditions-mistakes"))
    wrong = {one.place.condition for one in audit.findings if one.code == "fmt-system-text-in-user"}
    assert wrong == {"mistake 1: system text in the question", "mistake 2: system text in the stored prompt"}


def test_made_up_scores_are_called_synthetic() -> None:
    assert load(workspace.open(EXAMPLES / "six-conditions-mistakes")).synthetic


def test_the_generator_writes_what_is_kept(tmp_path: Path) -> None:
    maker = _maker()
    maker.EXAMPLES = tmp_path  # type: ignore[attr-defined]
    maker.main()
    written = sorted(tmp_path.rglob("*.*"))
    assert len(written) == 2 * 9
    for path in written:
        assert (EXAMPLES / path.relative_to(tmp_path)).read_bytes() == path.read_bytes(), path.name


def _maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_six_conditions", EXAMPLES / "make_six_conditions.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
