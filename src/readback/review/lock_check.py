"""What of a workspace is no longer what its lock says, and how much of it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from readback import workspace
from readback.compare.revisions import copy_revision
from readback.compare.side import SideError
from readback.prompts.children import Progress
from readback.quantity import quantity
from readback.review import changes, lock_file
from readback.review.changes import Change
from readback.review.leaves import Leaves, Subject, leaves
from readback.review.lock_file import Kept, Lock, Root
from readback.types import Workspace
from readback.workspace import workspace_file

State = Literal["same", "changed", "gone", "new"]


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one line of a lock. `before` is None of a subject that the lock does not have, `now` of one that
    the workspace no longer has.

    Where a side file says it: `differ` records of both have another text, `added` and `removed` are only in one of
    them, `rows` of those that differ have another row, too. Where an older version lies in git, `change` has the words.
    """

    subject: Subject
    before: Root | None
    now: Root | None
    differ: int | None = None
    added: int = 0
    removed: int = 0
    rows: int = 0
    change: Change | None = None

    @property
    def state(self) -> State:
        if self.before is None:
            return "new"
        if self.now is None:
            return "gone"
        return "same" if self.before.root == self.now.root else "changed"


@dataclass(frozen=True, slots=True)
class Checked:
    """Every line of the lock and every subject that it lacks. `unsaid`: why there are no words for changes, if so."""

    lines: tuple[Line, ...]
    unsaid: str = ""

    @property
    def stale(self) -> tuple[Line, ...]:
        """The lines that are not the same."""
        return tuple(line for line in self.lines if line.state != "same")


def dated(opened: Workspace, day: str | None) -> Workspace:
    """The workspace with the day that templates print: its own, where it names one, else `day`."""
    return opened if opened.today or not day else replace(opened, today=day)


def check(
    opened: Workspace, path: Path, progress: Progress | None = None, jobs: int | None = None, rev: str | None = None
) -> Checked | None:
    """Compare a workspace with the lock at `path`; None where `progress` answered False.

    `rev` is the revision whose prompts a change is told against; None: HEAD, where its lock is the same file.
    Raises BadLock, NothingToLock, DatasetChanged, and SideError where `rev` was given and cannot be read.
    """
    held = lock_file.read(path)
    today = dated(opened, held.today)
    if (found := leaves(today, None, progress, jobs)) is None:
        return None
    lines = compared(held, found, lock_file.kept(path))
    if not any(line.state == "changed" for line in lines):
        return Checked(lines)
    return _told(today, path, lines, rev, jobs)


def compared(held: Lock, found: Leaves, kept: Kept | None = None) -> tuple[Line, ...]:
    """The lines of a lock against what was found, then what the lock lacks."""
    now = lock_file.lock(found, None).roots
    lines = [_line(subject, root, now.get(subject), found, kept) for subject, root in held.roots.items()]
    return (*lines, *(Line(subject, None, root) for subject, root in now.items() if subject not in held.roots))


def _line(subject: Subject, before: Root, now: Root | None, found: Leaves, kept: Kept | None) -> Line:
    line = Line(subject, before, now)
    if kept is None or line.state != "changed" or subject not in kept.columns:
        return line
    was, column = kept.columns[subject], found.columns[subject]
    places: Mapping[tuple[str | None, int], int] = {
        key: at for at, key in enumerate(zip(found.ids, found.occurrences, strict=True))
    }
    both = [(key, at) for key, at in places.items() if key in was]
    differ = [(key, at) for key, at in both if was[key] != lock_file.short(column.at(at))]
    rows = sum(kept.rows[key] != lock_file.short(found.row(at).hex()) for key, at in differ)
    return replace(line, differ=len(differ), added=len(places) - len(both), removed=len(was) - len(both), rows=rows)


def _told(opened: Workspace, path: Path, lines: tuple[Line, ...], rev: str | None, jobs: int | None) -> Checked:
    """The lines with the words of what changed, where an older version can be had."""
    try:
        old = _older(opened, path, rev)
    except (SideError, workspace.NothingRead) as error:
        if rev is not None:
            raise SideError(str(error)) from None
        return Checked(lines, str(error))
    told = []
    for line in lines:
        if line.state == "changed":
            with contextlib.suppress(SideError):  # one has no such subject: that it changed is all there is to say
                line = replace(line, change=changes.changed(old, opened, line.subject, jobs))
        told.append(line)
    return Checked(tuple(told))


def _older(opened: Workspace, path: Path, rev: str | None) -> Workspace:
    """The workspace at a revision. Raises SideError and NothingRead."""
    way = opened.root if opened.file in (None, workspace_file.NAME) else opened.root / opened.file
    found = copy_revision(way, rev or "HEAD")
    beside = found.path if found.path.is_dir() else found.path.parent
    if rev is None and not _same(beside / path.name, path):
        raise SideError(f"{path.name} is not the one of HEAD; --rev REV names a revision to compare with")
    old = workspace.open(found.path, chosen=opened.chosen)
    return dated(old, opened.today)


def _same(one: Path, other: Path) -> bool:
    try:
        return one.read_bytes() == other.read_bytes()
    except OSError:
        return False


def describe_change(line: Line) -> str:
    """What became of a line that is not the same, in words."""
    if line.before is None:
        return "new, not in the lock"
    if line.now is None:
        return "in the lock, and no longer in the workspace"
    if line.change is not None and (line.differ is None or line.change.counted.differing):
        rows = f"; {quantity(line.rows, 'record')} with another row in the dataset" if line.rows else ""
        return f"{changes.said(line.change)}{rows}"
    if line.differ is None:
        counts = f"; {quantity(line.before.records, 'record')} then, {line.now.records:,} now"
        return "changed" + (counts if line.before.records != line.now.records else "")
    parts = [f"{line.differ:,} of {quantity(line.now.records, 'record')} changed"]
    parts += [f"{count:,} {what}" for count, what in (
        (line.rows, "of them with another row in the dataset"),
        (line.added, "added"),
        (line.removed, "removed"),
    ) if count]  # fmt: skip
    return ", ".join(parts)
