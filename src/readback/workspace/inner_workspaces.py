"""Folders inside a folder that are workspaces of their own, because each holds a readback.yml.

Their files answer questions of their own: read together, the scores of several studies would be one table.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from readback.readers.files.paths import format_relative
from readback.types import NOWHERE
from readback.workspace.draft import Draft
from readback.workspace.recognise import OTHER
from readback.workspace.survey import Survey, survey

CODE = "dat-workspace-inside"
NAME = "readback.yml"
NAMED = 12  # workspaces that a finding names


def leave_out_workspaces(draft: Draft, files: Survey) -> Survey:
    """Leave out what lies in a folder with a readback.yml below the root, and say so once."""
    named = {path.parent for path in files.files if path.name == NAME} - {files.root}
    homes = {path: home for path in files.files if (home := _find_home(path, files.root, named))}
    if not homes:
        return files
    for path, home in homes.items():
        workspace = format_relative(draft.root, home)
        reason = f"it belongs to the workspace {workspace}, which has a {NAME} of its own"
        draft.reasons[format_relative(draft.root, path)] = reason
    names = sorted(format_relative(draft.root, home) for home in set(homes.values()))
    if len(names) > NAMED:
        more = [f"{len(names) - NAMED} more"]
    else:
        more = []
    draft.report(CODE, NOWHERE, "", count=len(names), names=[*names[:NAMED], *more], first=names[0])
    recognised = tuple(file for file in files.recognised if file.path not in homes)
    return replace(files, recognised=recognised, files=tuple(path for path in files.files if path not in homes))


def _find_home(path: Path, root: Path, named: Collection[Path]) -> Path | None:
    """Return the outermost folder around a file that is one of `named`; None where none is."""
    around = [folder for folder in path.parents if folder in named and folder.is_relative_to(root)]
    if around:
        return around[-1]
    return None


def list_workspaces(folder: Path) -> list[Path]:
    """Return the workspaces that a folder stands for: those right inside it, by name, after itself where it is one.

    A folder is a workspace where it has a readback.yml, then alone, or where no folder right inside it has one, or
    where a file beside these folders is of a kind that Readback knows. Links are not followed: one could lead to what
    nobody meant to serve.
    """
    try:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
        inner = [entry for entry in entries if not entry.is_symlink() and (entry / NAME).is_file()]
    except OSError:
        return [folder]
    if not inner or (folder / NAME).exists():
        return [folder]
    own = any(file.what != OTHER for file in survey(folder, depth=0).recognised)
    if own:
        return [folder, *inner]
    return inner
