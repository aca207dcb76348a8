"""Open a workspace: a folder with readback.yml, a folder without one, or a single file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from readback.files.paths import resolve, show, snapshot
from readback.files.yaml_file import read_yaml
from readback.types import Note, Workspace
from readback.workspace import (
    albert_modes,
    discovery,
    pipeline,
    references,
    training_files,
    training_rows,
    workspace_file,
)
from readback.workspace.draft import Draft
from readback.workspace.judge_files import add_criteria
from readback.workspace.modelfiles import settle_types
from readback.workspace.recognise import OTHER, WORKSPACE, recognise
from readback.workspace.workspace_init import init_text

__all__ = ["NothingRead", "init_text", "open"]

UNREADABLE = ("dat-file-missing", "dat-too-large")  # nothing of such a file was seen


class NothingRead(Exception):  # noqa: N818 - it is no mistake of ours, and the name says what happened
    """Nothing at all could be read; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def open(  # noqa: A001 - the verb that fits
    path: Path | str, *, fields: Mapping[str, str] | None = None, options: Mapping[str, str] | None = None
) -> Workspace:
    """The workspace at `path`. Every fault in it is a note; NothingRead only when there is nothing to show.

    `fields` adds to the dataset's field mapping (template variable <- record field), as a page's one-click
    mapping does, also where the dataset was found by discovery. `options` replace those the file says.
    """
    place = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would lose a Hugging Face snapshot's own folder
    try:
        draft = _folder(snapshot(place), options or {}) if place.is_dir() else _file(place, options or {})
    except OSError as error:
        raise NothingRead(f"{place.name}: {(error.strerror or 'it cannot be read').lower()}") from error
    add_criteria(draft)
    settle_types(draft)
    albert_modes.settle(draft)
    pipeline.settle(draft)
    training_files.settle(draft)
    training_rows.settle(draft)
    draft.notes.extend(references.check(draft))
    if draft.dataset and fields:
        draft.dataset = replace(draft.dataset, fields={**draft.dataset.fields, **fields})
    return draft.workspace()


def _folder(root: Path, options: Mapping[str, str]) -> Draft:
    draft = Draft(root, root.name or "workspace", options=dict(options), given=frozenset(options))
    file = root / workspace_file.NAME
    if os.path.lexists(file):
        draft.file = workspace_file.NAME
        path = resolve(root, workspace_file.NAME)
        if isinstance(path, Path):
            parsed = read_yaml(path, workspace_file.NAME)
            workspace_file.read(draft, parsed)
            if isinstance(parsed.value, Mapping):
                return draft
        else:
            draft.notes.append(path)
    discovery.discover(draft)
    broken = any(note.severity != "info" and note.code != "dat-limit" for note in draft.notes)
    if not (any(r.used for r in draft.recognised) or draft.file or broken):
        raise NothingRead(f"{root.name}: nothing in this folder is a file that Readback knows")
    return draft


def _file(path: Path, options: Mapping[str, str]) -> Draft:
    if not os.path.lexists(path):
        raise NothingRead(f"{path.name}: there is no such file or folder")
    if isinstance(resolve(path.parent, path.name), Note):
        path = Path(os.path.realpath(path))  # whoever opens a link by name means what it leads to
    if not path.is_file():
        raise NothingRead(f"{path.name}: it is not a regular file")
    draft = Draft(path.parent, path.name, file=path.name, options=dict(options), given=frozenset(options))
    found = recognise(path, draft.root, named=True)
    if path.name == workspace_file.NAME or found.what == WORKSPACE:
        workspace_file.read(draft, found.parsed or read_yaml(path, show(draft.root, path)))
        return draft
    if found.what != OTHER:
        discovery.open_file(found, draft)
    elif not found.notes or any(note.code in UNREADABLE or note.values.get("looks") for note in found.notes):
        raise NothingRead(f"{path.name}: {'; '.join(map(_why, found.notes)) or 'not a file that Readback knows'}")
    draft.notes.extend(found.notes if found.what == OTHER else ())
    return draft


def _why(note: Note) -> str:
    return f"{note.code} {note.values.get('reason') or note.values.get('looks', '')}".strip()
