"""A dataset that is written to, cut or taken away while it is checked: nothing half-true is told."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from counts import part

from readback import cli, workspace
from readback.checks.run import audit_run, engine, finding_search
from readback.checks.summary import Audit, Progress
from readback.exporting import chunk
from readback.exporting.export import export_to_file
from readback.project_files import EXAMPLES
from readback.prompts import children, selections
from readback.readers.files import cache_folder
from readback.records.dataset import DatasetChanged, open_dataset
from readback.requests import observer

RECORDS = 1_100  # two ranges
ROW = '{"id": "%d", "q": "Why?"}\n'


def shorter(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def longer(path: Path) -> None:
    with path.open("a") as file:
        file.write(ROW % RECORDS)


def written_over(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"\0" * path.stat().st_size)


def another_folder(path: Path) -> None:
    if path.is_file():
        path.unlink()
        path.mkdir()


CHANGES = [shorter, longer, written_over, another_folder, Path.unlink]


@pytest.fixture
def folder(write: Callable[[dict[str, Any]], Path]) -> Path:
    modes = "modes: [{mode: m, template: '{{ q }}{{ gone }}'}]\n"
    return write({"readback.yml": f"dataset: d.jsonl\n{modes}", "d.jsonl": "".join(ROW % n for n in range(RECORDS))})


@pytest.mark.parametrize("change", CHANGES)
def test_a_dataset_that_changes_between_two_ranges_is_said_and_no_answer_given(
    folder: Path, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = engine.stream

    def meanwhile(*args: Any, **more: Any) -> Iterator[Any]:
        for step in steps(*args, **more):
            if isinstance(step, Progress) and step.done == 1:
                change(folder / "d.jsonl")
            yield step

    monkeypatch.setattr(engine, "stream", meanwhile)
    assert cli.main(["check", str(folder), "--format", "json", "-j", "1"]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == (
        "",
        "readback: d.jsonl was changed while it was looked through; run the command again\n",
    )


@pytest.mark.parametrize("change", [shorter, written_over])
def test_a_dataset_that_changes_while_its_last_records_are_read_is_said(
    folder: Path, change: Callable[[Path], None]
) -> None:
    def meanwhile(done: int, total: int) -> None:
        if total and done == total:
            change(folder / "d.jsonl")

    with pytest.raises(DatasetChanged, match=r"d\.jsonl was changed while it was looked through"):
        engine.check(workspace.open(folder), engine.CheckOptions(jobs=1, progress=meanwhile))


def test_an_export_of_a_dataset_that_changes_is_not_there(folder: Path, tmp_path: Path) -> None:
    opened = workspace.open(folder)

    def meanwhile(done: int, total: int) -> None:
        if total and done == total:
            written_over(folder / "d.jsonl")

    with pytest.raises(DatasetChanged):
        export_to_file(
            opened,
            selections.list_selections(opened),
            "messages-jsonl",
            tmp_path / "out.jsonl",
            progress=meanwhile,
            jobs=1,
        )
    assert not (tmp_path / "out.jsonl").exists()


def cleared(done: int, total: int) -> None:
    """Somebody clears the cache when the first records were looked at."""
    if done and not (asked := cache_folder.cache_folder()).with_name("cleared").exists():
        asked.with_name("cleared").touch()
        assert cli.main(["cache", "--clear"]) == 0


@pytest.mark.parametrize(
    ("name", "jobs"),
    part([(name, jobs) for jobs in (2, 1) for name in ("six-conditions-mistakes", "tri-section")][::-1], 3),
)
def test_a_check_whose_cache_is_cleared_meanwhile_has_the_same_answer(
    name: str, jobs: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(children, "MAX_RECORDS", 3)
    opened = workspace.open(EXAMPLES / name)  # with logs, and with answers that judges look at
    undisturbed = engine.check(opened, engine.CheckOptions(jobs=jobs))
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "another cache"))
    assert engine.check(opened, engine.CheckOptions(jobs=jobs, progress=cleared)) == undisturbed
    assert (tmp_path / "another cache" / "cleared").exists()


@pytest.mark.parametrize("searched", [False, True])
def test_an_export_or_a_search_whose_cache_is_cleared_meanwhile_is_the_same(
    searched: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened = workspace.open(EXAMPLES / "six-conditions")
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "another cache"))
    data, choices = open_dataset(opened.root, opened.dataset), selections.list_selections(opened)
    judged = next(choice for choice in choices if choice.judge and choice.condition)
    # what a judge looks at has an index of its own, and so have the logs, which a search for findings reads
    asked = (
        (finding_search.WORK, opened, data, [judged], None)
        if searched
        else (chunk.WORK, opened, data, choices, {"form": "messages-jsonl", "requests": []})
    )
    index = partial(observer.prepare_logs, opened, data)
    index()
    undisturbed = list(children.drive(*asked, jobs=1, most=3, index=index))
    frames = children.drive(*asked, jobs=1, most=3, index=index if searched else None)
    first = next(frames)
    cleared(1, len(data))
    assert [first, *frames] == undisturbed


RULED = """\
dataset: d.jsonl
modes: [{mode: m, template: '{{ q }}'}]
models: {one: {type: base, training: {messages: train.jsonl}}}
conditions: [{name: c, mode: m, model: one, answers: a.jsonl}]
judges: {j: {prompts: {user: judge.txt}}}
sent: [sent.jsonl]
"""
JUDGED = {
    "readback.yml": RULED,
    "judge.txt": "Grade {answer} to {question}.",
    "d.jsonl": "".join(ROW % n for n in range(40)),
    "a.jsonl": "".join(ROW.replace("q", "response") % n for n in range(40)),
    "train.jsonl": '{"messages": [{"role": "user", "content": "Why?"}]}\n',
    "sent.jsonl": '{"id": "7", "condition": "c", "messages": [{"role": "user", "content": "Why?"}]}\n',
}


@pytest.mark.long
@pytest.mark.parametrize("jobs", part([2, 1], 1))
@pytest.mark.parametrize(
    ("name", "change"),
    part(
        [
            ("train.jsonl", longer),
            ("a.jsonl", longer),
            ("sent.jsonl", longer),
            ("a.jsonl", written_over),
            ("sent.jsonl", shorter),
            ("a.jsonl", another_folder),
            ("a.jsonl", shorter),
            ("sent.jsonl", written_over),
            ("sent.jsonl", another_folder),
        ],
        6,
    ),
)
def test_another_file_that_changes_is_named_but_logs_and_answers_may_grow(
    write: Callable[[dict[str, Any]], Path],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    change: Callable[[Path], None],
    jobs: int,
) -> None:
    monkeypatch.setattr(children, "MAX_RECORDS", 3)
    opened = workspace.open(write(JUDGED))
    assert any(choice.judge for choice in selections.list_selections(opened))
    before = engine.check(opened, engine.CheckOptions(jobs=jobs))
    assert sum(row.observed[1] for row in before.conditions) == 1

    def meanwhile(done: int, total: int) -> None:
        if done:
            change(opened.root / name)

    if change is longer and name != "train.jsonl":
        after = engine.check(opened, engine.CheckOptions(jobs=jobs, progress=meanwhile))
        assert (after.findings, after.conditions) == (before.findings, before.conditions)
        return
    with pytest.raises(DatasetChanged, match=rf"{name} was changed while it was looked through"):
        engine.check(opened, engine.CheckOptions(jobs=jobs, progress=meanwhile))


@pytest.mark.parametrize("change", [longer, written_over])
def test_an_export_of_answers_that_change_is_not_there_but_they_may_grow(
    write: Callable[[dict[str, Any]], Path], tmp_path: Path, change: Callable[[Path], None]
) -> None:
    opened = workspace.open(write(JUDGED))

    def meanwhile(done: int, total: int) -> None:
        if total and done == total:
            change(opened.root / "a.jsonl")

    with pytest.raises(DatasetChanged, match=r"a\.jsonl was") if change is not longer else contextlib.nullcontext():
        export_to_file(
            opened, selections.list_selections(opened), "messages-jsonl", tmp_path / "out", progress=meanwhile, jobs=1
        )
    assert (tmp_path / "out").exists() == (change is longer)


def test_records_that_no_child_reads_are_not_said_to_have_changed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As where a process may open no more files."""
    opened = workspace.open(folder)
    monkeypatch.setattr(audit_run, "read_batches", lambda frames: iter(()))
    with pytest.raises(DatasetChanged, match=r"d\.jsonl is what it was, and yet some of its records could not be read"):
        engine.check(opened, engine.CheckOptions(jobs=1))
    monkeypatch.setattr(children, "stream_frames", lambda *asked, **how: iter(()))
    monkeypatch.setattr(children, "_ask_child", lambda *asked: children._ChildAnswer([]))
    with pytest.raises(DatasetChanged, match=r"d\.jsonl is what it was"):
        export_to_file(opened, selections.list_selections(opened), "messages-jsonl", tmp_path / "out.jsonl", jobs=1)


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_indexed_is_not_believed_of_a_file_that_has_changed_since(
    folder: Path, change: Callable[[Path], None]
) -> None:
    opened = workspace.open(folder)
    before = open_dataset(opened.root, opened.dataset)
    change(folder / "d.jsonl")
    assert before.written or before.record(RECORDS - 1).fields["q"] == "Why?"  # what lost its name is still whole
    audit = next(step for step in engine.stream(opened) if isinstance(step, Audit))
    told = {one.code for one in audit.findings}
    now = {shorter: RECORDS // 2 - 1, longer: RECORDS + 1, written_over: 0, another_folder: 0, Path.unlink: 0}[change]
    assert abs(audit.records.read - now) <= 5
    assert told & {"dat-file-missing", "dat-bad-line", "dat-not-recognised"} or change is longer


def test_what_is_told_of_a_file_that_is_gone_says_so(folder: Path) -> None:
    opened = workspace.open(folder)
    data = open_dataset(opened.root, opened.dataset)
    shorter(folder / "d.jsonl")
    with pytest.raises(DatasetChanged, match=f"record {RECORDS - 1} is no longer there"):
        data.record(RECORDS - 1)
