"""Healthy projects laid out as public ones are: what `check` says of them at warning or above was judged."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from support.further_healthy_projects import FURTHER_PROJECTS, write_further_project
from support.healthy_projects import PROJECTS, write_project

from readback import workspace
from readback.checks.run import engine

# What is worth a repair, by project: the rule and how often it speaks; anything else is a false alarm.
NOTHING, UNREAD = {("error", "dat-nothing-read"): 1}, {("warning", "dat-unread"): 1}
JUDGED: dict[str, dict[tuple[str, str], int]] = {
    # Judges' prompts that nothing here reads, beside rows that are read.
    "arena": UNREAD,
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


# The same of the folders that no rule was repaired by when they were written.
FURTHER_JUDGED: dict[str, dict[tuple[str, str], int]] = {
    "python_prompts": {("warning", "jdg-format-field"): 1},  # a constant whose {text} the program fills, and no column
    "helm_tables": NOTHING,  # a table of scores whose columns somebody has to confirm
    "hosted_tuning": {("error", "trn-leak"): 4},  # its longer conversations do ask what the validation rows ask
}


@pytest.mark.parametrize("name", FURTHER_PROJECTS)
def test_a_further_healthy_project_has_the_errors_and_warnings_that_were_judged_and_no_others(
    name: str, tmp_path: Path
) -> None:
    root = write_further_project(name, tmp_path)
    try:
        opened = workspace.open(root)
    except workspace.NothingRead:
        assert FURTHER_JUDGED.get(name) in (None, NOTHING)
        return
    findings = engine.check(opened).findings
    loud = Counter((one.severity, one.code) for one in findings if one.severity != "info")
    assert loud == FURTHER_JUDGED.get(name, {}), [
        f"{one.place.file}:{one.place.line} {one.message}" for one in findings
    ]


def test_of_several_datasets_the_one_that_the_templates_read_is_taken(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.jsonl").write_text('{"pair": "x"}\n{"pair": "y"}\n')
    (tmp_path / "data" / "b.csv").write_text("id,question\n1,Why?\n2,When?\n")
    (tmp_path / "ask.jinja").write_text("Say {{ question }}\n")
    opened = workspace.open(tmp_path)
    assert opened.dataset is not None
    assert opened.dataset.path == "data/b.csv"


@pytest.mark.parametrize(
    ("rows", "written", "expected"),
    [
        ([{"id": "1", "question": "Why?"}, {"id": "2", "question": "When?"}], False, {"info"}),
        ([{"id": "1", "question": "Why?"}, {"id": "2", "question": "When?", "context": "So."}], False, {"error"}),
        ([{"id": "1", "question": "Why?"}, {"id": "2", "question": "When?"}], True, {"error"}),
    ],
    ids=["no record has retrieved text", "one record lacks it", "readback.yml names both"],
)
def test_retrieved_text_is_filled_in_later_unless_somebody_says_otherwise(
    rows: list[dict[str, str]], written: bool, expected: set[str], tmp_path: Path
) -> None:
    (tmp_path / "answer.txt").write_text("Read this:\n{context}\n\nQuestion: {question}\n")
    (tmp_path / "q.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    if written:
        (tmp_path / "readback.yml").write_text("dataset: q.jsonl\nprompts: [answer.txt]\n")
    findings = engine.check(workspace.open(tmp_path)).findings
    assert {one.severity for one in findings if one.code == "jdg-format-field"} == expected
