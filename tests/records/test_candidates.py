"""Several plans or datasets in one folder: one is proposed, the others are named, and another one can be chosen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import readback
from readback import cli, workspace
from readback.types import Diagnostic, Workspace

Write = Callable[[dict[str, Any]], Path]
Output = pytest.CaptureFixture[str]
MODEL = {"provider": "x", "model": "m", "model_type": "base"}
SMALL = "runs: [{label: small, model_config: m.yaml}]\n"
LARGE = "runs: [{label: one, model_config: m.yaml}, {label: two, model_config: n.yaml, judge_config: gone.yaml}]\n"
STUDIES = {"a.yaml": SMALL, "b.yaml": LARGE, "archive/a.yaml": LARGE.replace("n.yaml", "../n.yaml"),
           "m.yaml": MODEL, "n.yaml": MODEL}  # fmt: skip
QA = [{"id": "1", "question": "Why?"}]


def said(found: Workspace) -> list[Diagnostic]:
    return [diagnostic for diagnostic in found.diagnostics if diagnostic.code == "dat-several-files"]


def test_b7_the_plan_of_which_more_is_there_is_proposed_and_the_others_are_named(write: Write) -> None:
    found = workspace.open(write(STUDIES))
    assert [one.name for one in found.conditions] == ["one", "two"]
    (diagnostic,) = said(found)
    assert diagnostic.values["taken"] == "b.yaml"
    assert diagnostic.values["others"] == ["a.yaml", "1 in an archive"]
    assert diagnostic.severity is None
    assert found.alternatives["plan"] == ("b.yaml", "a.yaml", "archive/a.yaml")


def test_b7_archived_plans_come_last_and_are_for_information(write: Write) -> None:
    found = workspace.open(write({"z/plan.yaml": SMALL, "archive/a.yaml": LARGE}))
    assert [one.name for one in found.conditions] == ["small"]
    assert [diagnostic.severity for diagnostic in said(found)] == ["info"]


@pytest.mark.parametrize("chosen", ["a.yaml", "archive/a.yaml"])
def test_b7_another_plan_can_be_chosen_by_every_door(write: Write, chosen: str, capsys: Output) -> None:
    root = write(STUDIES)
    names = {"a.yaml": ["small"], "archive/a.yaml": ["one", "two"]}[chosen]
    found = workspace.open(root, chosen={"plan": chosen})
    assert names == [one.name for one in found.conditions]
    assert said(found) == []
    assert found.chosen == {"plan": chosen}
    assert readback.open(root, plan=chosen).conditions == tuple(names)
    cli.main(["check", str(root), "--plan", chosen, "--format", "json"])
    told = json.loads(capsys.readouterr().out)
    assert names == [row["name"] for row in told["conditions"]]
    assert "dat-several-files" not in told["counts"]
    (root / "readback.yml").write_text(f"plan: {chosen}\n")
    assert names == [one.name for one in workspace.open(root).conditions]
    assert [one.name for one in workspace.open(root, chosen={"plan": "b.yaml"}).conditions] == ["one", "two"]


def test_b7_a_choice_that_is_not_there_is_a_finding(write: Write) -> None:
    found = workspace.open(write(STUDIES), chosen={"plan": "gone.yaml"})
    assert "dat-file-missing" in [diagnostic.code for diagnostic in found.diagnostics]


def test_b7_of_several_datasets_the_others_are_named_and_one_can_be_chosen(write: Write, capsys: Output) -> None:
    root = write({"old/a.jsonl": QA, "b.jsonl": QA, "c.jsonl": [{"id": "9", "question": "Who?"}]})
    found = workspace.open(root)
    assert found.dataset
    assert found.dataset.path == "b.jsonl"
    assert [diagnostic.values["others"] for diagnostic in said(found)] == [["c.jsonl", "1 in an archive"]]
    chosen = workspace.open(root, chosen={"dataset": "c.jsonl"})
    assert chosen.dataset
    assert (chosen.dataset.path, said(chosen)) == ("c.jsonl", [])
    assert readback.open(root, dataset="old/a.jsonl").workspace.dataset.path == "old/a.jsonl"
    (root / "b.jsonl").write_text("{}\n{}\n{}\n")
    for name, count in (("b.jsonl", 3), ("c.jsonl", 1)):
        cli.main(["check", str(root), "--dataset", name, "--format", "json"])
        assert count == json.loads(capsys.readouterr().out)["records"]["read"]


def test_b7_beside_a_configuration_none_of_several_datasets_is_taken_and_it_is_a_finding(write: Write) -> None:
    root = write({"p.yml": "prompts: [{mode: a, template: t.jinja}]\n", "t.jinja": "x", "a.jsonl": QA, "b.jsonl": QA})
    found = workspace.open(root)
    assert found.dataset is None
    assert [(diagnostic.values["taken"], diagnostic.values["others"]) for diagnostic in said(found)] == [
        ("", ["a.jsonl", "b.jsonl"])
    ]
    chosen = workspace.open(root, chosen={"dataset": "b.jsonl"})
    assert chosen.dataset
    assert chosen.dataset.path == "b.jsonl"


def test_b7_a_plan_whose_dataset_is_missing_names_the_datasets_that_are_there(write: Write) -> None:
    plan = "defaults: {dataset: gone.jsonl}\nruns: [{label: a}]\n"
    root = write({"p.yaml": plan, "a.jsonl": QA, "b.jsonl": QA})
    assert [diagnostic.values["others"] for diagnostic in said(workspace.open(root))] == [["a.jsonl", "b.jsonl"]]
    chosen = workspace.open(root, chosen={"dataset": "b.jsonl"})
    assert chosen.dataset
    assert (chosen.dataset.path, [diagnostic.code for diagnostic in chosen.diagnostics]) == ("b.jsonl", [])


def test_b7_a_chosen_dataset_keeps_what_the_workspace_file_says_of_fields(write: Write) -> None:
    root = write({"readback.yml": "dataset: {path: a.jsonl, id: key}\n", "a.jsonl": QA, "b.jsonl": [{"key": "k"}]})
    found = workspace.open(root, chosen={"dataset": "b.jsonl"})
    assert found.dataset
    assert (found.dataset.path, found.dataset.id) == ("b.jsonl", "key")
    (root / "readback.yml").write_text("name: x\n")
    found = workspace.open(root, chosen={"dataset": "b.jsonl"})
    assert found.dataset
    assert found.dataset.path == "b.jsonl"


def test_b7_whoever_follows_a_link_can_choose_only_what_is_offered(write: Write) -> None:
    root = write({**STUDIES, "a.jsonl": QA, "b.jsonl": QA, "note.csv": "id,email\n1,x@example.org\n", ".env": "K=1\n"})
    asked = {"plan": "m.yaml", "dataset": ".env", "training": "m=a.jsonl"}
    found = workspace.open(root, chosen=asked, offered=True)
    assert [one.name for one in found.conditions] == ["one", "two"]
    assert found.dataset is None
    assert dict(found.chosen) == {"training": ""}
    assert workspace.open(root, chosen={"plan": "a.yaml"}, offered=True).chosen == {"plan": "a.yaml"}
    (root / "readback.yml").write_text("dataset: a.jsonl\n")
    found = workspace.open(root, chosen={"dataset": "b.jsonl"}, offered=True)
    assert found.dataset
    assert (found.dataset.path, found.chosen) == ("a.jsonl", {})


def test_b7_of_several_files_of_user_instructions_the_others_are_named(write: Write) -> None:
    found = workspace.open(write({"a.yml": {"parsing": "Be brief."}, "b.yml": {"parsing": "Be kind."}}))
    assert [(diagnostic.values["taken"], diagnostic.values["others"]) for diagnostic in said(found)] == [
        ("a.yml", ["b.yml"])
    ]


def test_what_can_be_read_is_proposed_before_what_cannot(write: Write) -> None:
    found = workspace.open(write({"a.parquet": b"PAR1 and no more", "b.jsonl": QA, "p.jinja": "{{ question }}"}))
    assert found.dataset is not None
    assert found.dataset.path == "b.jsonl"
    (diagnostic,) = said(found)
    assert diagnostic.values["others"] == ["a.parquet"]
