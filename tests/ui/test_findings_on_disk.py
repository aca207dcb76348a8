"""The findings of a large check in a file: every view of them is what it is of findings in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, product
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from readback.checks import findings_on_disk
from readback.checks.findings_on_disk import FindingsOnDisk, Listed, Writer
from readback.checks.groups import WEIGHT, alike, also, before, firsts, groups, listed, same_fix, severities, some
from readback.checks.ignoring import covered
from readback.checks.summary import Audit, Tally
from readback.records.dataset import Counts
from readback.types import Finding, Ignored, Location, Workspace
from readback.ui.common.draw import listing

ODD = ("", "and NUL \0", "torn \ud800", "Straße", "line 3", "cites [3], but")


def drawn(count: int, seed: int) -> Iterator[Finding]:
    """Findings of few rules, conditions and sentences, one record after another."""
    draw = Random(seed)
    for number in range(count):
        code = draw.choice(("fmt-markers", "dat-crlf", "asm-template-in-value", "jdg-no-answer"))
        index = draw.choice((None, number // 7, number // 7))
        mode = None if index is None else draw.choice((None, "one", "two"))
        at = Location("data.jsonl", number // 7 + 1, None, index, mode, record=None if index is None else f"r{index}",
                      role=draw.choice((None, "user")) if mode else None, start=number)  # fmt: skip
        text = draw.choice(ODD)
        yield Finding(code, draw.choice(("error", "warning", "info")), {"n": draw.choice((text, number))},
                      f"it says {text}", draw.choice(("do this", "do that")), at, f"{number:016x}")  # fmt: skip


def audits(found: Sequence[Finding], path: Path) -> tuple[Audit, Audit]:
    """The audit of these findings as it is in memory, and with its file."""
    tally, writer = Tally(Workspace(Path(), "w"), ()), Writer(path, 0)
    for _, of_record in groupby(found, lambda one: one.place.index):
        for one in tally.take(of_record):
            writer.take(one)
    audit = tally.audit(Counts())
    assert writer.end()
    return audit, replace(audit, every=FindingsOnDisk(path))


def seen(audit: Audit, filters: tuple[str, str, str, str]) -> list[Any]:
    """All that the page asks of the groups that a filter leaves."""
    made = []
    for group in listing.filtered(listed(audit), audit, *filters):
        stacks = alike(group.findings)
        places = [0, len(stacks) // 2]
        made.append((
            group.code, group.severity, group.count, group.records, group.conditions, list(group.findings),
            [list(same) for same in stacks], [list(same[1:3]) for same in stacks], [same[0] for same in stacks[1:3]],
            [list(same) for same in some(stacks, set(places))], before(stacks, len(stacks) - 1), also(group),
            severities(group.findings), group.findings[2:5], len(group.findings),
        ))  # fmt: skip
    return made


@pytest.mark.parametrize("words", ["", "IT SAYS", "line 3", "do that data", "this data.jsonl line 1", "r1", "strasse",
                                   "[3], but do", "nowhere", "e", " ", "mode one", "%", "'"])  # fmt: skip
def test_every_view_is_the_one_of_findings_in_memory(tmp_path: Path, words: str) -> None:
    memory, disk = audits(list(drawn(120, len(words))), tmp_path / "f.sqlite3")
    assert not (tmp_path / "f.sqlite3").exists()
    for severity, area, condition in product(("", "warning"), ("", "prompt formats"), ("", "two", listing.NO_ROW)):
        assert seen(disk, (severity, area, condition, words)) == seen(memory, (severity, area, condition, words))


def test_what_else_is_asked_of_a_group_is_the_same(tmp_path: Path) -> None:
    memory, disk = audits(list(drawn(80, 8)), tmp_path / "f.sqlite3")
    name = listing.names(memory)
    for mine, theirs in zip(listed(disk), groups(memory), strict=True):
        assert same_fix(mine.findings) == same_fix(theirs.findings)
        assert {name(one.place) for one in firsts(mine.findings)} == {name(one.place) for one in theirs.findings}
        for where in ({}, {"mode": "one"}, {"record": "r3"}, {"file": "data.jsonl"}, {"role": "user", "mode": "two"}):
            ignored = Ignored(mine.code, "", where=where)
            assert cast(Listed, mine.findings).at(where) == covered(ignored, theirs.findings)


def test_rows_beside_the_dataset_are_no_records_of_it(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "f.sqlite3", 1, {"train.jsonl"})
    for number in range(3):
        at = Location("train.jsonl", number + 1, None, number, record=f"t{number}")
        writer.take(Finding("trn-empty", "warning", {}, "it is empty", "fill it", at, f"{number:016x}"))
    assert writer.end()
    (kind,) = (disk := FindingsOnDisk(tmp_path / "f.sqlite3")).kinds
    assert (kind.n, kind.records) == (3, 0)
    assert [(one.place.line, one.place.index, one.place.record) for one in disk.findings([kind])] == [
        (1, None, None), (2, None, None), (3, None, None),
    ]  # fmt: skip


def test_what_is_forgotten_while_writing_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings_on_disk, "STACKS", 2)
    monkeypatch.setattr(findings_on_disk, "READ", 7)
    memory, disk = audits(list(drawn(150, 3)), tmp_path / "f.sqlite3")
    assert seen(disk, ("", "", "", "")) == seen(memory, ("", "", "", ""))


def test_more_searches_than_are_kept_answer_all_the_same(tmp_path: Path) -> None:
    _, disk = audits(list(drawn(60, 5)), tmp_path / "f.sqlite3")
    first = listing.filtered(listed(disk), disk, words="it says")
    for number in range(2 * findings_on_disk.SEARCHES):
        listing.filtered(listed(disk), disk, words=f"r{number}")
    assert sum(len(list(group.findings)) for group in first) == sum(group.count for group in first) == 60


def test_without_room_there_is_no_file_and_no_half_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings_on_disk, "LARGEST", 6 * findings_on_disk.PAGE)
    writer = Writer(tmp_path / "f.sqlite3", 0)
    for one in drawn(2_000, 1):
        writer.take(one)
    assert not writer.end()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "f.sqlite3").write_bytes(b"no such thing" * 100)
    with pytest.raises(OSError, match="not a database"):
        FindingsOnDisk(tmp_path / "f.sqlite3")


def test_severities_are_ordered_as_in_groups() -> None:
    assert list(findings_on_disk.GRAVE) == list(WEIGHT)
