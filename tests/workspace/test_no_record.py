"""Where a dataset is missing there is no record, and nothing is said about one."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from looking import drawn, page, words

import readback
from readback import cli, workspace
from readback.checks.run import engine
from readback.readers.files.cache_folder import DiskFull
from readback.records import dataset_index
from readback.records.dataset import open_dataset

Output = pytest.CaptureFixture[str]
Write = Callable[[dict[str, Any]], Path]
PLAN = "defaults: {%s}\nruns:\n  - {label: a, prompt_mode: instruction}\n  - {label: b, prompt_mode: rag}\n"
JUDGE = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{question} {answer} {documents}"\n'
MISSING = (
    {"p.yaml": PLAN % "dataset: data/gone.jsonl"},
    {"c/p.yaml": PLAN % "dataset: ../data/gone.jsonl"},
    {"p.yaml": PLAN % "dataset: /etc/hostname"},
    {"p.yaml": PLAN % "dataset: ../outside.jsonl"},
    {
        "readback.yml": "dataset: gone.jsonl\nprompts: [builtin:prompt-formats]\njudges: {j: {prompts: j.py}}\n",
        "j.py": JUDGE,
    },
)


@pytest.mark.parametrize("files", MISSING)
def test_b5_a_missing_dataset_has_no_record_and_no_finding_about_one(write: Write, files: dict[str, str]) -> None:
    root = write(files)
    opened = workspace.open(root)
    assert len(open_dataset(opened.root, opened.dataset)) == 0
    audit = engine.check(opened)
    assert [one for one in audit.findings if one.place.index is not None or one.place.record is not None] == []
    assert audit.counts.get("dat-file-missing", 0) + audit.counts.get("dat-path-outside", 0) == 1
    assert not {"fmt-empty-instruction", "fmt-reference-missing", "jdg-value-missing"} & audit.counts.keys()
    assert audit.variables == ()


def test_b5_without_any_dataset_nothing_is_said_about_a_record(write: Write, capsys: Output) -> None:
    root = write({"p.yaml": PLAN % "limit: 3", "rubric.yaml": "prompt: '{{QUESTION}} {{CONTEXTS}}'\ncriteria: []\n"})
    audit = engine.check(workspace.open(root))
    assert [one.code for one in audit.findings if one.place.index is not None] == []
    assert not {"fmt-empty-instruction", "fmt-stored-prompt-missing"} & audit.counts.keys()
    cli.main(["check", str(root)])
    said = capsys.readouterr().out
    assert "record 0" not in said
    assert "1 records" not in said


def test_b5_to_render_without_the_dataset_says_what_is_missing(write: Write, capsys: Output) -> None:
    assert cli.main(["render", str(write({"p.yaml": PLAN % "dataset: d/gone.jsonl"})), "--condition", "a"]) == 2
    assert "there is no record: the dataset 'd/gone.jsonl' does not exist" in capsys.readouterr().err


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache whose disk takes no more than the beginning of a file."""
    folder = tmp_path_factory.mktemp("full")
    monkeypatch.setenv("READBACK_CACHE", str(folder))

    def no_room(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("readback.records.index_pass.write", no_room)
    return folder


def test_b5_a_full_cache_disk_is_named_by_every_command(write: Write, full: Path, capsys: Output) -> None:
    root = write(
        {"readback.yml": "dataset: d.jsonl\nmodes: [{mode: m, template: '{{ q }}'}]\n", "d.jsonl": [{"q": "x"}]}
    )
    for command in (
        ["check"],
        ["render"],
        ["diff", "--a", "mode=m", "--b", "index=0"],
        ["search", "x"],
    ):
        assert cli.main([command[0], str(root), *command[1:]]) == 2, command
        out, err = capsys.readouterr()
        assert out == ""
        assert f"the disk of {full} is full (no space left on device)" in err
        assert "Traceback" not in err
    with pytest.raises(DiskFull, match="READBACK_CACHE"):
        readback.open(root).findings()


@pytest.mark.parametrize("name", ["overview", "messages", "compare", "findings", "open"])
def test_b5_a_full_cache_disk_is_named_by_every_page(serving: Any, full: Path, name: str) -> None:
    serving({"readback.yml": "dataset: d.jsonl\nmodes: [{mode: m, template: '{{ q }}'}]\n", "d.jsonl": [{"q": "x"}]})
    test = page(name)
    assert not test.exception
    assert [f"the disk of {full} is full" in one.value for one in test.code] == [True]
    assert "The server's disk is full, so the data cannot be kept." in words(test)
    assert "0 records" not in words(test)


def test_b5_a_page_goes_on_once_there_is_room_again(serving: Any, full: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serving({"readback.yml": "dataset: d.jsonl\nmodes: [{mode: m, template: '{{ q }}'}]\n", "d.jsonl": [{"q": "x"}]})
    test = page("results", view="rows")
    assert "The server's disk is full" in words(test)
    monkeypatch.setattr("readback.records.index_pass.write", dataset_index.write)
    assert "The server's disk is full" not in words(drawn(test.run()))


def test_b5_a_file_that_may_not_grow_is_no_fault_of_the_dataset(
    write: Write, full: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    def too_large(*_: Any) -> None:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))

    monkeypatch.setattr("readback.records.index_pass.write", too_large)
    assert cli.main(["check", str(write({"readback.yml": "dataset: d.jsonl\n", "d.jsonl": [{"q": "x"}]}))]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"a file in {full} may not become as large as an index of the files has to be (file too large)" in err
    assert "ulimit -f" in err


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """What is named for the cache, and is a file; so is the place that is tried without it."""
    place = tmp_path / "Cache"
    place.write_text("")
    monkeypatch.setattr("readback.readers.files.cache_folder._list_places", lambda: iter((place, place)))
    return place


def test_b5_without_a_folder_for_the_cache_every_command_says_which_were_tried(
    write: Write, nowhere: Path, capsys: Output
) -> None:
    modes = "modes: [{mode: m, template: '{{ q }}'}]\n"
    with_data = write({"readback.yml": f"dataset: d.jsonl\n{modes}", "d.jsonl": [{"q": "x"}]})
    for command in (["check"], ["render"], ["search", "x"], ["export", "--as", "messages-jsonl"]):
        assert cli.main([command[0], str(with_data), *command[1:]]) == 2, command
        out, err = capsys.readouterr()
        assert out == ""
        assert f"no folder to keep indexes of the files in: {nowhere} (not a directory), {nowhere} (not a dir" in err
        assert "let READBACK_CACHE name a folder that can be written to" in err
        assert "Traceback" not in err


def test_b5_without_a_folder_for_the_cache_a_page_says_so(serving: Any, nowhere: Path) -> None:
    serving({"readback.yml": "dataset: d.jsonl\nmodes: [{mode: m, template: '{{ q }}'}]\n", "d.jsonl": [{"q": "x"}]})
    test = page("prompts")
    assert not test.exception
    assert "The server has no folder to keep the data in." in words(test)
    assert [f"{nowhere} (not a directory)" in one.value for one in test.code] == [True]


@pytest.mark.parametrize("name", ["messages", "compare"])
def test_b5_a_page_says_which_dataset_is_not_there(serving: Any, name: str) -> None:
    serving({"p.yaml": PLAN % "dataset: d/gone.jsonl"})
    said = words(page(name))
    assert "The dataset d/gone.jsonl was not found, so there is no record to show." in said
    assert "0 records" not in said


def test_b5_the_conditions_stand_on_overview_without_a_record(serving: Any) -> None:
    serving({"p.yaml": PLAN % "dataset: d/gone.jsonl"})
    said = words(page())
    assert "a instruction" in said
    assert "b rag" in said
    assert "No dataset, 2 conditions." in said
