"""Healthy projects laid out as public ones are: what `check` says of them at warning or above was judged."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support.healthy_projects import PROJECTS, write_project

from readback import workspace
from readback.checks import engine

# What is worth a repair, by project: the rule and how often it speaks; anything else is a false alarm.
NOTHING, UNREAD = {("error", "dat-nothing-read"): 1}, {("warning", "dat-unread"): 1}
JUDGED: dict[str, dict[tuple[str, str], int]] = {
    # A project of a tool whose files are not read yet: whoever opens it must not think that all is well.
    "promptfoo": NOTHING,
    "langchain": NOTHING,
    "harness_tasks": NOTHING,
    # Judges' prompts that nothing here reads, beside rows that are read.
    "arena": UNREAD,
    "registered_evals": UNREAD,
    "cited_answers": {("warning", "fmt-citation-style"): 2},  # [2, 3] counts as no citation in any metric
}


@pytest.mark.parametrize("name", PROJECTS)
def test_a_healthy_project_has_the_errors_and_warnings_that_were_judged_and_no_others(
    name: str, tmp_path: Path
) -> None:
    root = write_project(name, tmp_path)
    try:
        opened = workspace.open(root)
    except workspace.NothingRead:
        return  # nothing in it is of a kind that is read: nothing is said of it
    findings = engine.check(opened).findings
    loud = Counter((one.severity, one.code) for one in findings if one.severity != "info")
    assert loud == JUDGED.get(name, {}), [f"{one.place.file}:{one.place.line} {one.message}" for one in findings]
