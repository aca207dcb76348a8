"""The audit for pages: in a process of its own, with the same answer, stopped when nobody waits any more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import part

from readback import project_files, workspace
from readback.checks import summary
from readback.checks.run import engine, process
from readback.project_files import EXAMPLES
from readback.readers.files.cache_folder import DiskFull
from readback.records.dataset import DatasetChanged
from readback.sandbox import json_values
from readback.types import Finding

Write = Callable[[Mapping[str, Any]], Path]
DEMOS = sorted(project_files.demos())


@pytest.fixture(autouse=True)
def _all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SMALL", 0)


@pytest.mark.parametrize("name", part(DEMOS[::-1], 1))
def test_c8_the_process_answers_what_the_engine_answers(name: str) -> None:
    opened = workspace.open(EXAMPLES / name)
    told: list[tuple[int, int]] = []
    apart = process.check(opened, lambda done, total: told.append((done, total)))
    here = engine.check(opened)
    assert json_values.to_json_values(apart) == json_values.to_json_values(here)
    assert apart.findings
    assert apart.with_finding == here.with_finding


def many(write: Write) -> Path:
    rows = [{"id": str(number), "q": "here"} for number in range(300)]  # more than one frame
    return write({"readback.yml": {"dataset": "d.jsonl", "modes": [{"mode": "m", "template": "{{ q }}{{ q.a.b }}"}]},
                  "d.jsonl": rows})  # fmt: skip


def test_c8_it_stops_when_it_is_told_to(write: Write) -> None:
    audit = process.check(workspace.open(many(write)), lambda done, total: False)
    assert audit.stopped


def test_c8_more_findings_than_one_frame_holds_come_in_their_order(write: Write) -> None:
    opened = workspace.open(many(write))
    audit = process.check(opened)
    assert len(audit.findings) > process.EACH
    assert [one.key for one in audit.findings] == [one.key for one in engine.check(opened).findings]


def test_c8_all_findings_are_in_a_file_where_they_are_more_than_an_audit_holds(
    write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(summary, "KEPT", 150)
    opened = workspace.open(many(write))
    audit = process.check(opened)
    assert audit.every is not None
    assert [one.key for one in audit.every.findings(audit.every.kinds)] == [
        one.key for one in engine.stream(opened) if isinstance(one, Finding)
    ]
    assert {one.code: one.n for one in audit.every.kinds} == audit.counts
    assert not list((tmp_path / "cache" / process.FOLDER).iterdir())


def test_c8_without_a_place_for_a_file_there_is_the_audit_alone(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(kind: str) -> Path:
        raise PermissionError(kind)

    opened = workspace.open(many(write))
    monkeypatch.setattr(process, "SMALL", 1 << 20)
    monkeypatch.setattr(process, "cache_folder", refused)
    monkeypatch.setattr(summary, "KEPT", 5)
    audit = process.check(opened)
    assert (len(audit.findings), audit.truncated, audit.every) == (5, True, None)


def test_c8_a_dataset_that_changes_meanwhile_is_the_same_outcome_as_without_a_process(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = workspace.open(many(write))
    changed = iter(range(10**9))

    def write_more(*_: int) -> None:
        with (opened.root / "d.jsonl").open("a") as file:
            file.write(f'{{"id": "more{next(changed)}"}}\n')

    monkeypatch.setattr(process, "LOOK", 0.001)
    try:
        audit = process.check(opened, write_more)
    except DatasetChanged:
        return
    # It was never the same while it was opened, and so it is not read at all.
    assert audit.records.read == 0
    assert any("changed while it was read" in one.message for one in audit.findings), audit.findings


def test_c8_a_process_that_dies_is_said_to_have(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "BOOT", "import os; os._exit(9)")
    with pytest.raises(RuntimeError, match="was killed"):
        process.check(workspace.open(many(write)))


def test_c8_a_disk_that_is_full_is_the_same_outcome_as_without_a_process(
    write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "cache"))
    full = "from readback.records import index_pass\ndef write(*_): raise OSError(28, 'No space left on device')\n"
    first, _, rest = process.BOOT.partition("; from")
    monkeypatch.setattr(process, "BOOT", f"{first}\n{full}index_pass.write = write\nfrom{rest}")
    with pytest.raises(DiskFull, match=f"the disk of {tmp_path / 'cache'} is full"):
        process.check(workspace.open(many(write)))


def test_c8_it_and_its_children_let_the_pages_go_first(write: Write) -> None:
    seen: set[int] = set()

    def look(*_: int) -> None:
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
                if b"readback.checks.run.process" in stat.with_name("cmdline").read_bytes():
                    seen.add(int(fields[16]))
            except OSError:
                continue

    process.check(workspace.open(many(write)), look)
    assert process.sandbox.NICENESS in seen
