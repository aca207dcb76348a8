"""Folders and files without readback.yml: what they are taken for, and that nothing makes opening them fail."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hub_entry import cache_entry

from readback import workspace
from readback.types import Workspace
from readback.workspace.left_out import PART_OF_OTHER

Write = Callable[[dict[str, Any]], Path]
ALBERT = "prompts:\n  - {mode: simple, template: t.jinja}\n"
RUBRIC = {"name": "r", "prompt": "{{QUESTION}} {{ASSISTANT_RESPONSE}}", "criteria": [{"id": "facts", "weight": 1}]}
ALWAYS = ("prompt_config.yml", "readback.yml")  # read by their names
QA = [{"id": "1", "question": "Why?"}]
FORMATS = [{"task_id": "1", "instruction": "Why?", "rag": {"prompt": "P", "contexts": []}}]


def used(found: Workspace) -> dict[str, str]:
    return {r.path: r.what for r in found.recognised if r.used and r.what != PART_OF_OTHER}


def codes(found: Workspace) -> list[str]:
    return [n.code for n in found.diagnostics]


@pytest.mark.parametrize(
    ("expected", "files"),
    [
        ({"prompt_config.yml": "prompt configuration"}, {"prompt_config.yml": ALBERT, "t.jinja": "{{query}}"}),
        (
            {"prompt_config.yml": "prompt configuration", "d.csv": "dataset"},
            {"prompt_config.yml": ALBERT, "t.jinja": "{{query}}", "d.csv": "id,question\n1,Why?\n"},
        ),
        (
            {"prompt_config.yml": "prompt configuration", "d.jsonl": "dataset"},
            {"prompt_config.yml": ALBERT, "t.jinja": "x", "d.jsonl": QA, "more/e.jsonl": QA},
        ),
        (
            {"prompt_config.yml": "prompt configuration", "in/d.jsonl": "dataset"},
            {"prompt_config.yml": ALBERT, "t.jinja": "x", "in/d.jsonl": QA},
        ),
        (
            {"prompt_config.yml": "prompt configuration"},
            {"prompt_config.yml": ALBERT, "t.jinja": "x", "d.jsonl": QA, "e.jsonl": QA},
        ),
        ({"c/mine.yml": "prompt configuration"}, {"c/mine.yml": ALBERT, "c/t.jinja": "x"}),
        ({"d.jsonl": "dataset"}, {"d.jsonl": QA, "LICENSE": "MIT", "x.png": b"\x89PNG\0"}),
        ({"a.jsonl": "dataset"}, {"a.jsonl": QA, "b.jsonl": QA}),
        ({"d.jsonl": "dataset"}, {"d.jsonl": QA, "train.jsonl": [{"messages": [{"role": "user", "content": "x"}]}]}),
        ({"s.csv": "scores"}, {"s.csv": "item,condition,criterion,score\n1,a,facts,1\n2,a,facts,0\n"}),
        (
            {"d.jsonl": "dataset", "s.csv": "scores"},
            {"d.jsonl": QA, "s.csv": "item,condition,criterion,score\n1,a,facts,1\n2,a,facts,0\n"},
        ),
        ({"judges/r.yaml": "judge prompt", "d.jsonl": "dataset"}, {"judges/r.yaml": RUBRIC, "d.jsonl": QA}),
        ({"Modelfile": "Modelfile"}, {"Modelfile": "FROM x\n"}),
        ({"i.yml": "user instructions"}, {"i.yml": {"parsing": "Be brief.", "generation": None}}),
    ],
)
def test_a_folder_is_taken_for_what_its_files_are(
    write: Write, expected: dict[str, str], files: dict[str, Any]
) -> None:
    assert expected == used(workspace.open(write(files)))


def test_prompt_config_yml_comes_before_prompt_config_yaml_and_a_plan(write: Write) -> None:
    two = ALBERT.replace("simple", "other")
    files = {"prompt_config.yaml": two, "prompt_config.yml": ALBERT, "t.jinja": "x", "p.yaml": "runs: [{label: a}]\n"}
    found = workspace.open(write(files))
    assert list(found.prompts) == ["simple"]
    assert {"prompt_config.yaml", "p.yaml"} == {r.path for r in found.recognised if not r.used}


def test_of_several_plans_the_one_nearest_the_top_is_used(write: Write) -> None:
    plans = {f"{name}.yaml": f"runs: [{{label: {name[-1]}}}]\n" for name in ("deep/a", "c", "b")}
    found = workspace.open(write(plans))
    assert [c.name for c in found.conditions] == ["b"]
    assert [r.used for r in found.recognised if r.path != "b.yaml"] == [False, False]


def test_of_several_datasets_none_is_taken_for_a_configuration_and_it_is_said(write: Write) -> None:
    files = {"prompt_config.yml": ALBERT, "t.jinja": "x", "a.jsonl": QA, "b.jsonl": QA}
    found = workspace.open(write(files))
    assert found.dataset is None
    assert [r.detail for r in found.recognised if r.what == "dataset"] == ["one of 2; name one in readback.yml"] * 2


@pytest.mark.parametrize(
    ("expected", "name", "content"),
    [
        ("prompts", "scripts_prompt_config.yml", ALBERT),
        ("conditions", "study.yaml", "runs: [{label: a}]\n"),
        ("dataset", "rows.csv", "id,question\n1,Why?\n"),
        ("dataset", "rows.tsv", "id\tquestion\n1\tWhy?\n"),
        ("dataset", "rows.json", [{"id": 1, "question": "Why?"}]),
        ("dataset", "train.jsonl", [{"messages": [{"role": "user", "content": "x"}]}]),
        ("dataset", "saved.jsonl", [{"task_id": "1", "response": "x", "prompt_text": "y"}]),
        ("scores", "s.csv", "item,condition,criterion,score\n1,a,facts,1\n2,a,facts,0\n"),
        ("models", "Modelfile.tuned", "FROM x\nSYSTEM y\n"),
        ("models", "m.yaml", {"provider": "x", "model": "m", "model_type": "base"}),
        ("judges", "rubric.yaml", RUBRIC),
        ("judges", "p.py", 'SYSTEM_PROMPT = "s"\nEVALUATION_PROMPT_TEMPLATE = "{question} {answer}"\n'),
        ("judges", "j.jsonl", [{"name": "a", "system_prompt": "s", "prompt_template": "{question}"}]),
        ("instructions", "preset.json", {"id": "1", "name": "p", "config": {"prompt_config": {"parsing": "x"}}}),
        ("prompts", "other.yml", "modes: [{mode: a, template: x}]\n"),
        ("adapters", "gateway.yml", "name: gateway\nsystem_prompt: false\n"),
    ],
)
def test_a_single_file_opens_by_its_content(write: Write, expected: str, name: str, content: Any) -> None:
    found = workspace.open(write({name: content, "t.jinja": "x"}) / name)
    assert getattr(found, expected)
    assert name == found.file
    assert found.root.name == (found.root / name).parent.name


def test_a_dataset_beside_an_opened_configuration_is_used_when_it_is_the_only_one(write: Write) -> None:
    root = write({"x.yml": ALBERT, "t.jinja": "x", "d.csv": "question\nWhy?\n", "sub/e.jsonl": QA})
    found = workspace.open(root / "x.yml")
    assert found.dataset is not None
    assert found.dataset.path == "d.csv"
    (root / "e.jsonl").write_text('{"question": "Who?"}\n')
    assert workspace.open(root / "x.yml").dataset is None


def test_rows_of_the_prompt_formats_bring_their_modes(write: Write) -> None:
    root = write({"d.jsonl": FORMATS, "q/d.jsonl": QA})
    assert list(workspace.open(root / "d.jsonl").prompts) == ["instruction", "rag", "hybrid", "standard"]
    assert list(workspace.open(root / "q").prompts) == []


def test_a_click_that_maps_a_field_reaches_a_dataset_that_was_found(write: Write) -> None:
    root = write({"prompt_config.yml": ALBERT, "t.jinja": "{{query}}", "d.csv": "id,question\n1,Why?\n"})
    found = workspace.open(root, fields={"query": "question"})
    assert found.dataset is not None
    assert found.dataset.fields == {"query": "question"}


def test_a_broken_first_line_does_not_hide_a_dataset(write: Write) -> None:
    found = workspace.open(write({"d.jsonl": '{"id": "1", "quest\n{"id": "2", "question": "Why?"}\n'}))
    assert used(found) == {"d.jsonl": "dataset"}


@pytest.mark.parametrize(
    ("reason", "files", "name"),
    [
        ("no such file", {}, "gone"),
        ("nothing in this folder", {"LICENSE": "MIT", "x.png": b"\x89PNG\0"}, ""),
        ("nothing in this folder", {}, ""),
        ("not a file that Readback knows", {"x.png": b"\x89PNG\0\0"}, "x.png"),
        ("not a file that Readback knows", {"x.log": "hello"}, "x.log"),
        ("not a file that Readback knows", {"package.json": {"name": "x", "version": "1"}}, "package.json"),
        ("dat-encoding binary", {"x.yml": b"prompts: \0\xff\xfe\0\n"}, "x.yml"),
        ("dat-too-large", {"x.yml": "# x\n" * 400_000}, "x.yml"),
    ],
)
def test_nothing_read_says_why(write: Write, reason: str, files: dict[str, Any], name: str) -> None:
    root = write(files)
    with pytest.raises(workspace.NothingRead, match=reason):
        workspace.open(root / name)


@pytest.mark.parametrize(
    ("expected", "files"),
    [
        ("dat-bad-line", {"x.yml": "prompts: [a\n"}),
        ("dat-bad-line", {"x.json": '{"prompts": '}),
        ("dat-encoding", {"x.yml": b"name: \xe9\n"}),
        ("alb-not-a-mapping", {"prompt_config.yml": "- a\n"}),
        ("alb-not-a-mapping", {"prompt_config.yml": ""}),
        ("alb-not-albert", {"prompt_config.yml": "jobs: 3\n"}),
        ("dat-bad-line", {"readback.yml": "name: [a\n"}),
    ],
)
def test_a_broken_configuration_is_a_finding_with_a_place(write: Write, expected: str, files: dict[str, Any]) -> None:
    root = write(files)
    (name,) = files
    for found in (workspace.open(root / name), *([workspace.open(root)] if name in ALWAYS else [])):
        assert expected in codes(found)
        assert name == next(n.place.file for n in found.diagnostics if n.code == expected)


def test_a_broken_plan_in_a_folder_is_a_finding(write: Write) -> None:
    found = workspace.open(write({"plan.yaml": "runs:\n  - {label: a\n"}))
    assert [(n.code, n.severity, n.place.file) for n in found.diagnostics] == [
        ("dat-bad-line", "warning", "plan.yaml"),
        ("dat-nothing-read", None, "plan.yaml"),
    ]


def test_a_hostile_folder_opens_all_the_same(write: Write, tmp_path_factory: Any) -> None:
    root = write(
        {
            "d.jsonl": QA,
            "line\nbreak.yml": "runs: [{label: a}]\n",
            "bomb.yml": "prompts: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]\n",
            "deep.yml": "prompts: " + "[" * 5000,
            "huge.yml": "prompts:\n" + "# x\n" * 400_000,
            "latin.yml": b"prompts: \xe9\n",
            "nul.jsonl": b"\0" * 5000,
            "Modelfile.empty": "",
            "s.csv": b"\xff\xfe\0\0",
            "dir.jsonl/x": "y",
        }
    )
    os.mkfifo(root / "pipe.jsonl")
    os.mkfifo(root / "Modelfile.pipe")
    (root / "self").symlink_to(root)
    (root / "loop.yml").symlink_to("loop.yml")
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.jsonl").write_text('{"id": "secret", "question": "Why?"}\n')
    (root / "out.jsonl").symlink_to(outside / "x.jsonl")
    (Path(os.fsdecode(os.fsencode(root) + b"/b\xff.jsonl"))).write_text("{}\n")
    found = workspace.open(root)
    assert [c.name for c in found.conditions] == ["a"]
    assert "line\nbreak.yml" in used(found)
    lying_about = [
        n for n in found.diagnostics if n.flagged in ("pipe.jsonl", "loop.yml", "out.jsonl", "Modelfile.pipe")
    ]
    assert [n.severity for n in lying_about] == ["info"] * 4


def test_a_folder_of_very_many_files_opens_in_bounded_time(tmp_path: Path) -> None:
    for i in range(2500):
        (tmp_path / f"{i:05d}.txt").touch()
    (tmp_path / "00000.jsonl").write_text('{"id": 1, "question": "Why?"}\n')
    found = workspace.open(tmp_path)
    assert used(found) == {"00000.jsonl": "dataset"}
    assert codes(found) == ["dat-limit", "asm-nothing-to-send"]


def test_a_hugging_face_cache_entry_opens_by_its_own_folder(tmp_path: Path) -> None:
    entry = cache_entry(tmp_path)
    found = workspace.open(entry)
    assert found.root.name == "aaa"
    assert used(found) == {"data/rows.jsonl": "dataset"}
    assert found == workspace.open(entry / "snapshots" / "aaa")


def test_an_opened_link_is_followed(write: Write, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.jsonl").write_text('{"id": "1", "question": "Why?"}\n')
    root = write({"a": ""})
    (root / "link.jsonl").symlink_to(outside / "x.jsonl")
    assert outside == workspace.open(root / "link.jsonl").root


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("expected", "path"),
    [
        ({"prompt_config.yml": "prompt configuration"}, "albert"),
        ({"scripts_prompt_config.yml": "prompt configuration"}, "albert/scripts_prompt_config.yml"),
        (
            {"factor_analysis_query_level_scores.csv": "scores"},
            "liverag-judge/factor_analysis_query_level_scores.csv",
        ),
        ({"mtrag_scores_long.csv": "scores"}, "mtrag/mtrag_scores_long.csv"),
        ({"judge_prompts.jsonl": "judge prompt"}, "judge-prompts"),
        ({"offline_dataset.jsonl": "dataset"}, "prompt-formats/offline_dataset.jsonl"),
    ],
)
def test_real_files_are_recognised(shared: Path, expected: dict[str, str], path: str) -> None:
    assert expected == used(workspace.open(shared / "data" / path))


@pytest.mark.parametrize(
    "text",
    [
        "model: meta/x\ndataset: foo\nlearning_rate: 1e-4\nnum_epochs: 3\noptimizer: adamw\n",
        "model: x\nlr: 2e-5\nepochs: 1\nwarmup: 5\n",
        "scores: 3\nmodel: x\nbatch: 0o17\nbeta: 1e-3\nseed: 7\nrank: 8\n",
    ],
)
def test_how_a_file_that_is_not_used_writes_its_values_is_no_finding(write: Write, text: str) -> None:
    rows = '{"id": "1", "question": "Why?"}\n'
    opened = workspace.open(write({"train.yaml": text, "d.jsonl": rows, "p.jinja": "{{ question }}"}))
    (unused,) = [one for one in opened.recognised if one.path == "train.yaml"]
    assert not unused.used
    assert "could not be read" not in unused.detail
    assert [one for one in opened.diagnostics if one.place.file == "train.yaml"] == []


def test_a_link_that_leads_out_of_the_folder_is_no_prompt(write: Write, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "t.jinja").write_text("secret {{ question }}")
    (outside / "p.py").write_text('PROMPT = "secret {question}"\n')
    root = write({"d.jsonl": '{"id": "1", "question": "Why?"}\n', "own.jinja": "Answer {{ question }}"})
    links = {"a.jinja": "t.jinja", "a.txt": "t.jinja", "chat_template.jinja": "t.jinja", "prompts.py": "p.py"}
    for name, target in links.items():
        (root / name).symlink_to(outside / target)
    found = workspace.open(root)
    assert [prompt.template for prompt in found.prompts.values()] == ["Answer {{ question }}"]
    assert "secret" not in repr(found)
    outside_links = {n.flagged: n.severity for n in found.diagnostics if n.code == "dat-path-outside"}
    assert outside_links == dict.fromkeys(links, "info")
