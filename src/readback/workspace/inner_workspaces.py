"""Folders inside a folder that are workspaces of their own, because each holds a readback.yml.

Their files answer questions of their own: read together, the scores of several studies would be one table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from readback.readers.paths import format_relative
from readback.types import NOWHERE
from readback.workspace.draft import Draft
from readback.workspace.survey import Survey

CODE = "dat-workspace-inside"
NAME = "readback.yml"


def leave_out_workspaces(draft: Draft, files: Survey) -> Survey:
    """Leave out what lies in a folder with a readback.yml below the root, and say so once."""
    homes = sorted({path.parent for path in files.files if path.name == NAME and path.parent != files.root})
    homes = [home for home in homes if not any(home != other and home.is_relative_to(other) for other in homes)]
    if not homes:
        return files
    inside = {path for path in files.files if any(path.is_relative_to(home) for home in homes)}
    for path in inside:
        home = next(home for home in homes if path.is_relative_to(home))
        draft.reasons[format_relative(draft.root, path)] = (
            f"it belongs to the workspace {format_relative(draft.root, home)}, which has a {NAME} of its own"
        )
    names = [format_relative(draft.root, home) for home in homes]
    draft.report(CODE, NOWHERE, "", count=len(names), names=names, first=names[0])
    recognised = tuple(file for file in files.recognised if file.path not in inside)
    return replace(files, recognised=recognised, files=tuple(path for path in files.files if path not in inside))


def list_workspaces(folder: Path) -> list[Path]:
    """Return the folders right below a folder that are workspaces of their own, by name.

    A folder that has a readback.yml itself, or files beside these folders, is one workspace: the list is empty.
    """
    try:
        entries = sorted(_list_visible(folder))
        if any(entry.is_file() for entry in entries):
            return []
        return [entry for entry in entries if (entry / NAME).is_file()]
    except OSError:
        return []


def _list_visible(folder: Path) -> Iterator[Path]:
    return (entry for entry in folder.iterdir() if not entry.name.startswith("."))
