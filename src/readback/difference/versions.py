"""What another version of a workspace does to the records of this one: how many of them change, and which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback import cell
from readback.assembly import assemble, in_chunks
from readback.assembly.in_chunks import Going, Lost, Replies
from readback.records.dataset import Cancelled, open_dataset
from readback.types import Choice, Workspace
from readback.workspace.frozen import freeze, thaw

WORK = "readback.difference.versions:versions_chunk"
FIRST = 1_000  # records that are named


@dataclass(frozen=True, slots=True)
class Changed:
    """How many records change; `first` names at most 1,000 of them (number, id).

    `not_now` could be built before and cannot any more, `not_before` the other way round; both are among the
    `changing`. `lost` could not be looked at.
    """

    done: int
    total: int
    changing: int = 0
    not_now: int = 0
    not_before: int = 0
    first: tuple[tuple[int, str | None], ...] = ()
    lost: tuple[Lost, ...] = ()
    stopped: bool = False


def over_versions(old: Workspace, new: Workspace, choice: Choice, progress: Going | None = None) -> Changed:
    """Compare what two versions send for every record of the dataset of `new`.

    `progress(done, total)` is told now and then; when it answers False the counting ends with what it has. Raises
    DatasetChanged when the dataset is written to meanwhile.
    """
    try:
        data = open_dataset(new.root, new.dataset, lambda *_: progress is None or progress(0, 0) is not False)
    except Cancelled:
        return Changed(0, 0, stopped=True)
    hits: list[tuple[int, str | None, str]] = []
    counts = {"": 0, "not_now": 0, "not_before": 0}
    lost: list[Lost] = []
    done = 0
    extra = {"old": freeze(old)}
    for one in in_chunks.drive(WORK, new, data, [choice], extra, progress, together=True):
        if isinstance(one, Lost):
            lost.append(one)
            done = max(done, one.index + 1) if one.index is not None else done
            continue
        done = max(done, one.value["next"])
        for index, called, kind in one.value["changed"]:
            counts[kind] += 1
            if len(hits) < FIRST:
                hits.append((index, called, kind))
    first = tuple((index, called) for index, called, _ in hits)
    return Changed(
        done, len(data), sum(counts.values()), counts["not_now"], counts["not_before"], first, tuple(lost),
        done < len(data) and all(one.index is not None for one in lost),
    )  # fmt: skip


def versions_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A frame for some records: {"next", "changed": [[number, id, "" | "not_now" | "not_before"]]}."""
    inside, old = in_chunks.enter(work), thaw(work["old"])
    choice, replies = inside.choices[0], Replies(old)
    changed: list[list[Any]] = []
    at, first = inside.start, inside.start
    for record in inside.records():
        before = assemble.assemble(old, record, choice, replies.get(choice, record))
        cell.beat()
        now = assemble.assemble(inside.opened, record, choice, inside.replies.get(choice, record))
        if before.fingerprint != now.fingerprint:
            kind = "not_now" if not now.messages else "not_before" if not before.messages else ""
            changed.append([record.place.index, record.id, kind])
        at += 1
        if at - first >= inside.batch:
            yield {"next": at, "changed": changed}
            changed, first = [], at
    if at > first:
        yield {"next": at, "changed": changed}
