"""Every file of a folder is used, or listed as not used with a reason; and one list of findings for everybody."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from counts import many
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import readback
from readback import project_files, workspace
from readback.checks import rules, workspace_check
from readback.project_files import EXAMPLES
from readback.records.dataset import open_dataset
from readback.workspace.left_out import count_files

Write = Callable[[dict[str, Any]], Path]
FOLDERS = ("", "a/", "archive/", ".git/", "a/b/c/d/", "a/b/c/d/e/", "judges/")
CONTENTS: dict[str, str] = {
    "d.jsonl": '{"id": "1", "question": "Why?"}\n',
    "broken.jsonl": '{"id": "1", "question": "Why?"}\nnot json\n',
    "t.jsonl": '{"prompt": "a", "completion": "b"}\n',
    "s.csv": "item,condition,criterion,score\n1,a,facts,1\n2,a,facts,oops\n",
    "plan.yaml": "defaults: {dataset: d.jsonl}\nruns: [{label: one, prompt_mode: instruction}]\n",
    "other.yaml": "runs: [{label: two, model_config: m.yaml}]\n",
    "m.yaml": "provider: x\nmodel: m\nmodel_type: base\n",
    "bad.yaml": "runs: [\n",
    "prompt_config.yml": "prompts:\n  - {mode: simple, template: t.jinja}\n",
    "t.jinja": "{{ query }}",
    "Modelfile.tutor": "FROM x\nSYSTEM You are brief.\n",
    "tutor.ipynb": '{"cells": [{"cell_type": "code", "source": "SYSTEM = \'You are kind.\'"}]}',
    "train.py": "SYSTEM = 'You are kind.'\n",
    "setup.py": "print('hello')\n",
    "rubric.yaml": "name: r\nprompt: '{{QUESTION}}'\ncriteria: [{id: facts, weight: 1}]\n",
    "README.md": "# Hello\n",
    "empty.jsonl": "",
    "empty.txt": "",
    ".env": "KEY=1\n",
    "p.png": "\x89PNG\0",
    "readback.yml": "dataset: d.jsonl\nprompts: [prompt_config.yml]\n",
}
ODD = ("link", "dangling", "folder", "fifo", "letters")


def there(root: Path) -> int:
    """What `find ! -type d` counts."""
    return sum(
        len(names) + sum(Path(folder, one).is_symlink() for one in folders) for folder, folders, names in os.walk(root)
    )


def fill(root: Path, names: list[str], odd: list[str]) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CONTENTS[path.name])
    for one in odd:
        match one:
            case "link":
                (root / "out.jsonl").symlink_to(__file__)
            case "dangling":
                (root / "gone.yaml").symlink_to("nowhere")
            case "folder":
                (root / "up").symlink_to("..")
            case "fifo":
                os.mkfifo(root / "pipe.jsonl")
            case "letters":
                Path(os.fsdecode(os.fsencode(root) + b"/b\xff.jsonl")).write_text("{}\n")


NAMES = st.lists(
    st.builds(str.__add__, st.sampled_from(FOLDERS), st.sampled_from(list(CONTENTS))), max_size=9, unique=True
)


@pytest.mark.long
@given(NAMES, st.lists(st.sampled_from(ODD), max_size=3, unique=True))
@settings(max_examples=many(4_000), deadline=None, suppress_health_check=list(HealthCheck))
def test_law_every_file_is_used_or_listed_with_a_reason(names: list[str], odd: list[str]) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        fill(root, names, odd)
        try:
            found = workspace.open(root)
        except workspace.NothingRead:
            return
        assert there(root) == sum(count_files(found.recognised))
        assert all(one.detail for one in found.recognised if one.count > 1)
        assert all(one.used or one.detail for one in found.recognised)
        single = [one.path for one in found.recognised if one.count == 1 and one.what != "not recognised"]
        assert len(single) == len({*single})
        assert all(os.path.lexists(root / one) for one in single)


@pytest.mark.long
@given(NAMES, st.lists(st.sampled_from(ODD), max_size=2, unique=True))
@settings(max_examples=many(1_000), deadline=None, suppress_health_check=list(HealthCheck))
def test_law_what_loading_found_is_in_check_and_what_check_says_of_files_is_found_on_loading(
    names: list[str], odd: list[str]
) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        fill(root, names, odd)
        try:
            found = workspace.open(root)
        except workspace.NothingRead:
            return
        noticed = Counter(one.key for one in workspace_check.list_findings(found, open_dataset(root, found.dataset)))
        everything = readback.open(root).audit().findings
        checked = Counter(one.key for one in everything)
        assert not noticed - checked
        of_files = Counter(
            one.key
            for one in everything
            if rules.RULES()[one.code].on == ("load",) and one.place.index is None and one.place.mode is None
            and one.place.condition is None and one.place.judge is None
        )  # fmt: skip
        assert not of_files - noticed


def test_files_that_are_not_used_stand_together_by_reason(write: Write) -> None:
    many_others = {f"docs/{n}.md": "x" for n in range(9)}
    root = write(
        {"d.jsonl": CONTENTS["d.jsonl"], ".hidden/x": "x", "e.txt": "", "a/b/c/d/e/f.jsonl": "x", **many_others}
    )
    rows = {one.detail: one for one in workspace.open(root).recognised if not one.used}
    assert {why: one.count for why, one in rows.items()} == {
        "not of a kind that Readback knows": 9,
        "hidden files and folders are left out": 1,
        "empty": 1,
        "it lies more than 4 folders deep, where no file is looked for": 1,
    }
    assert rows["not of a kind that Readback knows"].path.endswith("docs/5.md and 3 more")
    assert json.loads(json.dumps(readback.open(root).files()[0]["used"])) is True


def test_a_file_that_another_one_is_made_of_is_used(write: Write) -> None:
    files = {name: CONTENTS[name] for name in ("prompt_config.yml", "t.jinja", "d.jsonl")}
    assert all(one.used for one in workspace.open(write(files)).recognised)
    (write({}) / "readback.yml").write_text(CONTENTS["readback.yml"])
    assert all(one.used for one in workspace.open(write({})).recognised)


@pytest.mark.parametrize("demo", sorted(project_files.demos()))
def test_every_file_of_a_demo_is_used(demo: str) -> None:
    found = workspace.open(EXAMPLES / demo)
    assert there(EXAMPLES / demo) == sum(count_files(found.recognised))
    # What lies in the folder of another tool's project beside a study is that project's.
    assert [one.path for one in found.recognised if not one.used and not one.path.startswith("promptfoo/")] == []
