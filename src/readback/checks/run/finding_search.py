"""The records with a finding under one choice, looked for in bounded children: the nearest ones first, then all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from readback import sandbox
from readback.checks.groups import in_text
from readback.checks.run.chunk import check_record
from readback.checks.run.chunk import warm as warm
from readback.checks.summary import Audit, selection_key
from readback.prompts import assemble, children
from readback.prompts.children import Failure, Progress
from readback.records.dataset import Dataset
from readback.requests.observer import Observer, prepare_logs
from readback.types import Finding, Selection, Workspace

WORK = "readback.checks.run.finding_search:search_chunk"
NEAR = 256  # records that are looked at before all of them are
NOBODY = (None,) * 5  # the condition of a finding about a record and not about what is sent

There = tuple[int, str]  # the record's number; the key of its first finding, "" where it has none to mark


@dataclass(frozen=True, slots=True)
class Searched:
    """The record that was looked for; and all that have a finding, where they had to be looked at."""

    there: There | None
    all: Mapping[int, str] | None = None


@dataclass(slots=True)
class _Hits:
    keys: dict[int, str] = field(default_factory=dict)
    done: int = 0


def nearest(
    opened: Workspace, data: Dataset, choice: Selection, at: int, back: bool, progress: Progress | None = None
) -> Searched:
    """Find the nearest record after `at` (or before it) with a finding; past the end it goes on at the other one.

    `progress(done, total)` is told how many of all records were looked at; when it answers False, nothing is found.
    Raises DatasetChanged when the dataset is written to meanwhile.
    """
    prepare_logs(opened, data)
    if back:
        start, stop = (max(0, at - NEAR), at)
    else:
        start, stop = (at + 1, min(at + 1 + NEAR, len(data)))
    keys = _near(opened, choice, start, stop)
    if keys is not None and (there := pick(keys, at, back, around=False)) is not None:
        return Searched(there)
    hits = _Hits()
    for step in children.drive(WORK, opened, data, [choice], None, progress, index=partial(prepare_logs, opened, data)):
        if isinstance(step, Failure):
            if step.index is None:
                return Searched(None)
            hits.keys[step.index] = ""
            hits.done = max(hits.done, step.index + 1)
        else:
            hits.keys.update((index, key) for index, key in step.value["found"])
            hits.done = step.value["next"]
    if hits.done == len(data):
        whole = hits.keys
    else:
        whole = None
    return Searched(pick(hits.keys, at, back) if whole is not None else None, whole)


def pick(keys: Mapping[int, str], at: int, back: bool, around: bool = True) -> There | None:
    """Pick the record next to `at` among those with a finding; `around`: past the end it goes on at the other one."""
    numbers = sorted(number for number in keys if number != at)
    after, before = [n for n in numbers if n > at], [n for n in numbers if n < at]
    if back:
        first, rest = (before[::-1], after[::-1])
    else:
        first, rest = (after, before)
    index = next(iter((*first, *rest) if around else first), None)
    if index is None:
        return None
    return (index, keys[index])


def of_audit(audit: Audit, choice: Selection) -> Mapping[int, str]:
    """Return the records with a finding, from an audit that has all findings."""
    mine = (finding for finding in audit.findings if selection_key(finding.place) in (selection_key(choice), NOBODY))
    keys: dict[int, str] = {}
    for finding in sorted(mine, key=in_text):
        if finding.place.index is not None:
            keys.setdefault(finding.place.index, finding.key)
    return keys


@children.stop_when_changed
def search_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a frame for some records: {"next", "found": [[number, key of the first finding]]}."""
    inside, choice = children.enter(work), Selection(**work["choices"][0])
    watching = Observer(inside.opened, inside.data)
    hits: list[list[Any]] = []
    at = first = inside.start
    for record in inside.records():
        assembly = assemble.assemble(inside.opened, record, choice, inside.replies.get(choice, record))
        sandbox.beat()
        every = check_record(inside.opened, record, assembly, watching.observe(record, assembly))
        if findings := [finding for finding in every if isinstance(finding, Finding)]:
            hits.append([at, min(findings, key=in_text).key])
        at += 1
        if at - first >= inside.batch:
            yield {"next": at, "found": hits}
            hits, first = [], at
    if at > first:
        yield {"next": at, "found": hits}


def _near(opened: Workspace, choice: Selection, start: int, stop: int) -> Mapping[int, str] | None:
    """Return the records of a short range with a finding; None where one of them stops its process."""
    try:
        work = children.make_payload(opened, [choice], start, stop)
        frames = children.stream_frames(WORK, opened, work, once=True) if start < stop else ()
        return {index: key for frame in frames for index, key in frame["found"]}
    except sandbox.Stopped:
        return None
