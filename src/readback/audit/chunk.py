"""One chunk of the audit: a range of records under some choices, as JSON frames; runs in a bounded child."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from readback import as_json, cell, rules, workspace
from readback.assembly import assemble
from readback.files.cache_folder import cache_folder
from readback.records import answers, dataset
from readback.types import Answer, Assembly, Case, Choice, Finding, Record, Workspace
from readback.workspace import workspace_file

OPENING = 30.0  # seconds for reading the workspace once more; our caller has read it before


def payload(
    opened: Workspace,
    choices: Iterable[Choice],
    start: int,
    stop: int,
    *,
    codes: Iterable[str] | None = None,
    records: bool = True,
) -> dict[str, Any]:
    """What `audit_chunk` takes, as JSON. `records`: whether the rules about records run too."""
    return {
        "path": str(_way_in(opened)),
        "fields": dict(opened.dataset.fields) if opened.dataset else None,
        "choices": [asdict(choice) for choice in choices],
        "start": start,
        "stop": stop,
        "codes": None if codes is None else sorted(codes),
        "records": records,
        "cache": str(cache_folder().parent),
    }


def audit_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One frame for each record: {"index", "findings", "faults", "longest": [characters for each choice]}.

    A pure function of the files and `work`: the same frames in any process and any order of chunks.
    """
    if cell.inside():
        _settle(work["cache"])
    opened = workspace.open(work["path"], fields=work["fields"])
    data = dataset.open_dataset(opened.root, opened.dataset)
    choices = [Choice(**choice) for choice in work["choices"]]
    replies = _Replies(opened)
    for record in _records(data, work["start"], work["stop"]):
        cell.beat()
        found: list[Finding | rules.Fault] = []
        longest: list[int] = []
        if work["records"]:
            found.extend(rules.check(Case(opened, record), "record", work["codes"]))
        for choice in choices:
            cell.beat()
            assembly = assemble.assemble(opened, record, choice, replies.get(choice, record))
            longest.append(sum(len(message.text) for message in assembly.messages))
            found.extend(about(opened, record, assembly, work["codes"]))
        yield {
            "index": record.place.index,
            "findings": [as_json.keep(one) for one in found if isinstance(one, Finding)],
            "faults": [
                [one.rule, one.error, as_json.known(one.place)] for one in found if isinstance(one, rules.Fault)
            ],
            "longest": longest,
        }


def about(
    opened: Workspace, record: Record, assembly: Assembly, codes: Iterable[str] | None = None
) -> Iterator[Finding | rules.Fault]:
    """What is to be said about one assembly: what its makers noted, then what the rules find."""
    case = Case(opened, record, assembly)
    wanted = None if codes is None else frozenset(codes)
    for note in assembly.notes:
        if wanted is None or note.code in wanted:
            yield rules.noted(note, case)
    yield from rules.check(case, "assembly", wanted)


def _way_in(opened: Workspace) -> Path:
    """The path that gives the same workspace again."""
    return opened.root if opened.file in (None, workspace_file.NAME) else opened.root / opened.file


def _records(data: dataset.Dataset, start: int, stop: int) -> Iterator[Record]:
    """The records, until the file turns out to have been changed; the caller sees that frames are missing."""
    with contextlib.suppress(dataset.DatasetChanged):
        yield from data.records(start, stop)


class _Replies:
    """The answers of the conditions whose judges are looked at, opened when first asked for."""

    def __init__(self, opened: Workspace) -> None:
        self.opened = opened
        self.by_condition: dict[str, answers.Answers] = {}

    def get(self, choice: Choice, record: Record) -> Answer | None:
        if choice.judge is None or choice.condition is None or record.id is None:
            return None
        if choice.condition not in self.by_condition:
            condition = self.opened.condition(choice.condition)
            if condition is None:
                return None
            self.by_condition[choice.condition] = answers.open_answers(self.opened, condition)
            cell.beat()
        return self.by_condition[choice.condition].get(record.id)


def _settle(cache: str) -> None:
    """In a child, whose environment is empty: where the index of the dataset lies, and time to open it."""
    os.environ["READBACK_CACHE"] = cache
    tempfile.tempdir = cache  # else it looks for a folder by writing to it, which a child may not
    signal.setitimer(signal.ITIMER_REAL, OPENING)
