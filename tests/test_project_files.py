"""The files around the code: the changelog, continuous integration and pre-commit say what is so."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

import readback
from readback.project_files import PROJECT

KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
MAKE = re.compile(r"\bmake ([a-z-]+)")


def loaded(name: str) -> Any:
    return yaml.safe_load((PROJECT / name).read_text("utf-8"))


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (PROJECT / "Makefile").read_text("utf-8"), re.MULTILINE))


def test_the_changelog_is_one_by_keep_a_changelog() -> None:
    text = (PROJECT / "CHANGELOG.md").read_text("utf-8")
    versions = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert versions[0] == "[Unreleased]"
    dated = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})", version) for version in versions[1:]]
    found = [(tuple(map(int, one[1].split("."))), date.fromisoformat(one[2])) for one in dated if one]
    assert len(found) == len(dated) >= 1
    assert found == sorted(found, reverse=True)
    assert readback.__version__ in {one[1] for one in dated if one}
    for part in text.split("\n## ")[1:]:
        kinds = re.findall(r"^### (.*)$", part, re.MULTILINE)
        assert kinds == [kind for kind in KINDS if kind in kinds]  # each once, and in one order
        assert all(re.search(r"^\* \S", kind, re.MULTILINE) for kind in part.split("\n### ")[1:])


@pytest.mark.parametrize("name", [".github/workflows/ci.yml", ".ci/run"])
def test_continuous_integration_runs_targets_that_there_are(name: str) -> None:
    asked = MAKE.findall("\n".join(line for line in (PROJECT / name).read_text("utf-8").split("\n") if "#" not in line))
    assert {"setup", "check", "test"} <= set(asked) <= targets()


def test_the_workflow_runs_them_as_steps_of_its_jobs() -> None:
    jobs = loaded(".github/workflows/ci.yml")["jobs"]
    commands = {
        name: [step["run"] for step in job["steps"] if step.get("run", "").startswith("make ")]
        for name, job in jobs.items()
    }
    setup = "make setup PYTHON=python"
    assert commands == {"check": [setup, "make check", "make audit PYTHON=python"], "test": [setup, "make test"]}
    assert all(job["timeout-minutes"] for job in jobs.values())


def test_what_pre_commit_runs_here_is_what_make_check_runs() -> None:
    hooks = [hook for repo in loaded(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    recipe = (PROJECT / "Makefile").read_text("utf-8").partition("\ncheck:")[2].partition("\n\n")[0]
    assert [hook["name"] for hook in hooks] == ["ruff check", "ruff format", "mypy"]
    for hook in hooks:
        assert hook["entry"].startswith(f".venv/bin/{hook['name']}")
        assert f"$(BIN)/{hook['name']}" in recipe
        assert hook["language"] == "system"


@pytest.mark.parametrize(
    "path", sorted((PROJECT / "src").rglob("readback/cli/[a-z]*.py")), ids=lambda path: Path(path).stem
)
def test_no_command_offers_what_is_not_there(path: Path) -> None:
    assert not re.search(r"not (yet )?(built|implemented|supported) yet|coming soon|\bTODO\b", path.read_text("utf-8"))
