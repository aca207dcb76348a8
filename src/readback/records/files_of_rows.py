"""Detect changes of the files that are read row by row while the records of a workspace are checked.

An answer about all records is valid only if each file stayed in one state. Logs and answers may grow meanwhile: then
the answer is about their former content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from posixpath import normpath

from readback.readers.files.checksum import State, hash_part, state
from readback.records.changed import describe_change, describe_unread
from readback.types import Workspace

FIRST = 1 << 20  # bytes whose hash shows whether a growing file has only grown


@dataclass(frozen=True, slots=True)
class _Snapshot:
    state: State
    first: str | None = None  # the hash of the first bytes of a file that may grow


States = Mapping[str, _Snapshot | None]  # by path; None: there is no such file


def list_row_files(opened: Workspace) -> Iterator[str]:
    """Yield the paths of these files below the workspace: logs, answers, training files, tokenizers, dataset."""
    paths: list[str | None] = [*_list_growing(opened), *(source.path for source in opened.training)]
    for model in opened.models.values():
        paths += [model.training_messages, model.tokenizer]
    if opened.dataset:
        paths.append(opened.dataset.path)
    return (normpath(path) for path in paths if path)


def _list_growing(opened: Workspace) -> list[str]:
    return [*opened.sent, *(condition.answers for condition in opened.conditions if condition.answers)]


def take_snapshots(opened: Workspace) -> States:
    """Return the state of each file but the dataset, whose file stays open."""
    growing = {normpath(name) for name in _list_growing(opened)}
    if opened.dataset:
        own = normpath(opened.dataset.path)
    else:
        own = None
    return {name: _take_snapshot(opened, name, name in growing) for name in list_row_files(opened) if name != own}


def find_changed(opened: Workspace, before: States) -> str | None:
    """Return the first file that has changed; growth of logs and answers is no change."""
    return next((name for name, snapshot in before.items() if _has_changed(opened, name, snapshot)), None)


def explain_unread(opened: Workspace, before: States, file: str) -> str:
    """Return the sentence for an unchanged `file` that children could not read: another file has changed, or none."""
    name = find_changed(opened, before)
    if name:
        return describe_change(name)
    return describe_unread(file)


def _take_snapshot(opened: Workspace, name: str, growing: bool) -> _Snapshot | None:
    path = opened.root / name
    try:
        current = state(path)
        if growing and path.is_file():
            first = hash_part(path, 0, min(current.size, FIRST))
        else:
            first = None
        return _Snapshot(current, first)
    except OSError:
        return None


def _has_changed(opened: Workspace, name: str, snapshot: _Snapshot | None) -> bool:
    path = opened.root / name
    try:
        now = state(path)
        if snapshot is None or now == snapshot.state:
            return snapshot is None
        if snapshot.first is None or now.inode != snapshot.state.inode or now.size < snapshot.state.size:
            return True
        return hash_part(path, 0, min(snapshot.state.size, FIRST)) != snapshot.first
    except OSError:
        return snapshot is not None
