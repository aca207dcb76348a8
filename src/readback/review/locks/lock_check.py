"""What of a workspace is no longer what its lock says, and how much of it."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from readback import workspace
from readback.compare import side as sides_of
from readback.compare.diff import compare_sides
from readback.compare.record_differences import Edit, RecordCounts, count_version_differences
from readback.compare.revisions import copy_revision
from readback.compare.sentence import format_sentence
from readback.compare.side import Side, SideError
from readback.compare.sides import show_record
from readback.prompts.children import Progress, Replies
from readback.quantity import quantity
from readback.records.dataset import Dataset, open_dataset
from readback.review.leaves import Layer, Leaves, Subject, compute_leaves
from readback.review.locks import lock_file
from readback.review.locks.lock_file import Lock, LockedRecords, Root
from readback.types import Record, Workspace
from readback.workspace import workspace_file

LOOKED_AT = 50  # edits, or differing records, that are put into words
NAMED = 3  # different sentences that are told, and records that are named for each
RecordName = tuple[int, str | None]  # a record by index and id
SIDE: Mapping[Layer, sides_of.Layer] = {
    "messages": "messages",
    "model-input": "wire",
    "training": "training",
    "judge": "messages",
}


@dataclass(frozen=True, slots=True)
class Change:
    """What differs between two versions under one subject, A the old and B the new one.

    `sentences` counts what differs in words, and `examples` names up to 3 records for each, by (index, id). Of
    `looked_at` of the differing records the words are known: of all, where they have few different edits, and else of
    some, spread evenly over them.
    """

    subject: Subject
    counted: RecordCounts
    sentences: Mapping[str, int] = field(default_factory=dict)
    looked_at: int = 0
    examples: Mapping[str, tuple[RecordName, ...]] = field(default_factory=dict)


def compare_versions(old: Workspace, new: Workspace, subject: Subject, jobs: int | None = None) -> Change:
    """Compare every record of two versions. Raises SideError where one of them has no such subject, and
    DatasetChanged.
    """
    layer = SIDE[subject.layer]
    counted = count_version_differences(old, new, subject.choice, None, layer, jobs)
    edits = _choose_edits(counted)
    before, after = open_dataset(old.root, old.dataset), open_dataset(new.root, new.dataset)
    side = Side(subject.choice, layer=layer)
    firsts = [after.record(edit.first[0][0]) for edit in edits]
    pairs = [(_find_partner(before, record), record) for record in firsts]
    # A text that a server makes is made in a child, which this process only waits for.
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1, thread_name_prefix="readback-changes") as threads:
        sentences = list(threads.map(lambda pair: _describe_pair(old, new, side, *pair), pairs))
    counts, examples = Counter[str](), dict[str, tuple[RecordName, ...]]()
    for words, edit, record in zip(sentences, edits, firsts, strict=True):
        counts[words] += edit.records
        if edit.records > 1:
            named = edit.first
        else:
            named = ((edit.first[0][0], record.id),)
        examples[words] = (*examples.get(words, ()), *named)[:NAMED]
    return Change(subject, counted, dict(counts.most_common()), counts.total(), examples)


def _choose_edits(counted: RecordCounts) -> tuple[Edit, ...]:
    """Return the edits to put into words: all, if there are few; else single records, spread evenly over them."""
    if 0 < len(counted.edits) <= LOOKED_AT:
        return counted.edits
    step = max(1, len(counted.differ) // LOOKED_AT)
    return tuple(Edit(1, ((at, None),)) for at in counted.differ[::step][:LOOKED_AT])


def _find_partner(data: Dataset, record: Record) -> Record:
    if record.id is not None:
        at = data.find(record.id)
    else:
        at = 0
    return data.record(at or 0)


def _describe_pair(old: Workspace, new: Workspace, side: Side, before: Record, after: Record) -> str:
    a, b = (
        replace(show_record(version, side, record, Replies(version).get(side.choice, record)), label=name)
        for version, record, name in ((old, before, "A"), (new, after, "B"))
    )
    return format_sentence(compare_sides(a, b))


def describe_counts(change: Change) -> str:
    """One sentence: 312 of 2,000 prompts differ, all by this: B adds a newline after “Answer:”."""
    counted = change.counted
    total = quantity(counted.total, NOUNS[change.subject.layer], f"{NOUNS[change.subject.layer]}s")
    if counted.differing == 1:
        differ = "differs"
    else:
        differ = "differ"
    parts = [f"{counted.differing:,} of {total} {differ}{_describe_edits(change)}"]
    counts = {
        "can no longer be built": counted.only_a,
        "can be built now": counted.only_b,
        "belong to records that are new": counted.unpaired_a,
    }
    parts += [f"{count:,} {what}" for what, count in counts.items() if count]
    return "; ".join(parts)


NOUNS: Mapping[Layer, str] = {
    "messages": "prompt",
    "model-input": "model input",
    "training": "training text",
    "judge": "judge prompt",
}


def _describe_edits(change: Change) -> str:
    """By what they differ; of the records that were looked at, where these are not all."""
    if not change.sentences:
        return ""
    clauses = [sentence.rstrip(".") for sentence in change.sentences]
    whole = change.looked_at == change.counted.differing
    if whole:
        scope = ", all"
    else:
        scope = f"; {change.looked_at} of them were compared, and all of these differ"
    if len(clauses) == 1:
        alone = change.counted.differing == 1
        if alone:
            return f": {clauses[0]}"
        return f"{scope} by this: {clauses[0]}"
    parts = [
        f"{clause} ({count:,})" for clause, count in list(zip(clauses, change.sentences.values(), strict=True))[:NAMED]
    ]
    more = len(clauses) - len(parts)
    if more:
        rest = f"; and in {more:,} more {'ways' if more > 1 else 'way'}"
    else:
        rest = ""
    if whole:
        looked = ""
    else:
        looked = f"; {change.looked_at} of them were compared"
    return f"{looked}: {'; '.join(parts)}{rest}"


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
        """What became of the line."""
        if self.before is None:
            return "new"
        if self.now is None:
            return "gone"
        if self.before.root == self.now.root:
            return "same"
        return "changed"


@dataclass(frozen=True, slots=True)
class Checked:
    """Every line of the lock and every subject that it lacks. `unsaid`: why there are no words for changes, if so."""

    lines: tuple[Line, ...]
    unsaid: str = ""

    @property
    def stale(self) -> tuple[Line, ...]:
        """The lines that are not the same."""
        return tuple(line for line in self.lines if line.state != "same")


def set_day(opened: Workspace, day: str | None) -> Workspace:
    """Return the workspace with the day that templates print: its own, where it names one, else `day`."""
    if opened.today or not day:
        return opened
    return replace(opened, today=day)


def check_lock(
    opened: Workspace, path: Path, progress: Progress | None = None, jobs: int | None = None, rev: str | None = None
) -> Checked | None:
    """Compare a workspace with the lock at `path`; None where `progress` answered False.

    `rev` is the revision whose prompts a change is told against; None: HEAD, where its lock is the same file.
    Raises BadLock, NothingToLock, DatasetChanged, and SideError where `rev` was given and cannot be read.
    """
    lock = lock_file.read_lock(path)
    today = set_day(opened, lock.today)
    if (leaves := compute_leaves(today, None, progress, jobs)) is None:
        return None
    lines = compare_lock(lock, leaves, lock_file.read_records(path))
    if not any(line.state == "changed" for line in lines):
        return Checked(lines)
    return _explain_changes(today, path, lines, rev, jobs)


def compare_lock(lock: Lock, leaves: Leaves, records: LockedRecords | None = None) -> tuple[Line, ...]:
    """Compare the lines of a lock with the leaves of now, then add the subjects that the lock lacks."""
    now = lock_file.build_lock(leaves, None).roots
    lines = [_compare_line(subject, root, now.get(subject), leaves, records) for subject, root in lock.roots.items()]
    return (*lines, *(Line(subject, None, root) for subject, root in now.items() if subject not in lock.roots))


def _compare_line(
    subject: Subject, before: Root, now: Root | None, leaves: Leaves, records: LockedRecords | None
) -> Line:
    line = Line(subject, before, now)
    if records is None or line.state != "changed" or subject not in records.columns:
        return line
    was, column = records.columns[subject], leaves.columns[subject]
    places: Mapping[tuple[str | None, int], int] = {
        key: at for at, key in enumerate(zip(leaves.ids, leaves.occurrences, strict=True))
    }
    both = [(key, at) for key, at in places.items() if key in was]
    differ = [(key, at) for key, at in both if was[key] != lock_file.shorten(column.at(at))]
    rows = sum(records.rows[key] != lock_file.shorten(leaves.row(at).hex()) for key, at in differ)
    return replace(line, differ=len(differ), added=len(places) - len(both), removed=len(was) - len(both), rows=rows)


def _explain_changes(
    opened: Workspace, path: Path, lines: tuple[Line, ...], rev: str | None, jobs: int | None
) -> Checked:
    """Put into words what changed in each line, if an older version is available."""
    try:
        old = _open_revision(opened, path, rev)
    except (SideError, workspace.NothingRead) as error:
        if rev is not None:
            raise SideError(str(error)) from None
        return Checked(lines, str(error))
    explained_lines = []
    for line in lines:
        if line.state == "changed":
            with contextlib.suppress(SideError):  # one has no such subject: that it changed is all there is to say
                line = replace(line, change=compare_versions(old, opened, line.subject, jobs))
        explained_lines.append(line)
    return Checked(tuple(explained_lines))


def _open_revision(opened: Workspace, path: Path, rev: str | None) -> Workspace:
    """Open the workspace at a revision. Raises SideError and NothingRead."""
    if opened.file in (None, workspace_file.NAME):
        way = opened.root
    else:
        way = opened.root / opened.file
    copy = copy_revision(way, rev or "HEAD")
    if copy.path.is_dir():
        folder = copy.path
    else:
        folder = copy.path.parent
    if rev is None and not _have_same_bytes(folder / path.name, path):
        raise SideError(f"{path.name} is not the one of HEAD; --rev REV names a revision to compare with")
    old = workspace.open(copy.path, chosen=opened.chosen)
    return set_day(old, opened.today)


def _have_same_bytes(path: Path, other_path: Path) -> bool:
    try:
        return path.read_bytes() == other_path.read_bytes()
    except OSError:
        return False


def describe_change(line: Line) -> str:
    """Describe what became of a line that is not the same."""
    if line.before is None:
        return "new, not in the lock"
    if line.now is None:
        return "in the lock, and no longer in the workspace"
    if line.change is not None and (line.differ is None or line.change.counted.differing):
        if line.rows:
            rows = f"; {quantity(line.rows, 'record')} with another row in the dataset"
        else:
            rows = ""
        return f"{describe_counts(line.change)}{rows}"
    if line.differ is None:
        counts = f"; {quantity(line.before.records, 'record')} then, {line.now.records:,} now"
        return "changed" + (counts if line.before.records != line.now.records else "")
    parts = [f"{line.differ:,} of {quantity(line.now.records, 'record')} changed"]
    parts += [
        f"{count:,} {what}"
        for count, what in (
            (line.rows, "of them with another row in the dataset"),
            (line.added, "added"),
            (line.removed, "removed"),
        )
        if count
    ]
    return ", ".join(parts)
