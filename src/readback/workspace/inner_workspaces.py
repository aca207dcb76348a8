"""Folders inside a folder that are workspaces of their own, because each holds a readback.yml.

Their files answer questions of their own: read together, the scores of several studies would be one table.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from readback.readers.paths import format_relative
from readback.types import NOWHERE
from readback.workspace.draft import Draft
from readback.workspace.recognise import OTHER
from readback.workspace.survey import Survey, survey

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
    """Return the workspaces that a folder stands for: those right inside it, by name, after itself where it is one.

    A folder is a workspace where it has a readback.yml, then alone, or where no folder right inside it has one, or
    where a file beside these folders is of a kind that Readback knows.
    """
    try:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
        inner = [entry for entry in entries if (entry / NAME).is_file()]
    except OSError:
        return [folder]
    if not inner or (folder / NAME).exists():
        return [folder]
    own = any(file.what != OTHER for file in survey(folder, depth=0).recognised)
    return [folder, *inner] if own else inner
