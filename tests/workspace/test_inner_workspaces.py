"""Folders with a readback.yml of their own inside a folder that is opened: nothing of them is read there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readback import workspace
from readback.ui.common.state import open_workspaces
from readback.workspace.inner_workspaces import list_workspaces

FILES = {"readback.yml": "dataset: data.jsonl\n", "data.jsonl": '{"id": "1", "question": "Why?"}\n',
         "scores.csv": "id,condition,score\n1,a,3\n"}  # fmt: skip


def write_study(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def test_files_of_inner_workspaces_are_left_out_with_a_reason_and_one_finding(tmp_path: Path) -> None:
    for name in ("one", "two", "two/three"):
        write_study(tmp_path / name)
    (tmp_path / "own.jsonl").write_text('{"id": "7", "question": "Who?"}\n', "utf-8")
    opened = workspace.open(tmp_path)
    found = [diagnostic for diagnostic in opened.diagnostics if diagnostic.code == "dat-workspace-inside"]
    assert [(dict(diagnostic.values)) for diagnostic in found] == [
        {"count": 2, "names": ["one", "two"], "first": "one"}
    ]
    assert opened.dataset is not None
    assert opened.dataset.path == "own.jsonl"
    assert "own.jsonl" in {file.path for file in opened.recognised if file.used}


def test_a_folder_of_workspaces_alone_is_served_as_these(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    studies = [write_study(tmp_path / "studies" / name) for name in ("b", "a")]
    other = write_study(tmp_path / "a")
    (tmp_path / "studies" / ".cache").mkdir()
    monkeypatch.setenv("READBACK_WORKSPACE", os.pathsep.join([str(tmp_path / "studies"), str(other)]))
    assert dict(open_workspaces.configured()) == {"a": studies[1], "b": studies[0], "a-2": other}


@pytest.mark.parametrize(
    ("beside", "names"),
    [
        ({}, ["a", "b"]),
        ({"notes.txt": "Two studies.\n"}, ["a", "b"]),
        ({"own.jsonl": FILES["data.jsonl"]}, ["", "a", "b"]),
        ({"readback.yml": "dataset: a/data.jsonl\n"}, [""]),
    ],
)
def test_a_folder_stands_for_the_workspaces_in_it(tmp_path: Path, beside: dict[str, str], names: list[str]) -> None:
    for name in ("a", "b"):
        write_study(tmp_path / name)
    for name, text in beside.items():
        (tmp_path / name).write_text(text, "utf-8")
    assert list_workspaces(tmp_path) == [tmp_path / name for name in names]


def test_a_folder_that_cannot_be_listed_is_itself(tmp_path: Path) -> None:
    assert list_workspaces(tmp_path / "nowhere") == [tmp_path / "nowhere"]


def test_a_link_to_a_workspace_is_not_offered(tmp_path: Path) -> None:
    outside = write_study(tmp_path / "secret")
    served = tmp_path / "served"
    write_study(served / "a")
    (served / "b").symlink_to(outside)
    assert list_workspaces(served) == [served / "a"]


def test_of_many_inner_workspaces_the_first_are_named(tmp_path: Path) -> None:
    for number in range(40):
        write_study(tmp_path / f"s{number:02}")
    found = [each for each in workspace.open(tmp_path).diagnostics if each.code == "dat-workspace-inside"]
    assert [(each.values["count"], len(each.values["names"]), each.values["names"][-1]) for each in found] == [
        (40, 13, "28 more")
    ]
