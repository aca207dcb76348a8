"""Every file of a folder is used, or listed as not used with the reason, and the counts add up."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from readback.readers.paths import DEPTH, FILES, resolve
from readback.types import Diagnostic, Location, Recognised
from readback.workspace.draft import Draft
from readback.workspace.recognise import OTHER

MOST = 200_000  # entries of a folder that are counted: somebody's whole disk is not
SECONDS = 2.0
NAMED = 6  # files of a group that are named
BESIDE = "read for another file"
HIDDEN, DEEP = "hidden files and folders are left out", f"more than {DEPTH} folders deep"
UNNAMED, UNREAD = "readback.yml does not name it", "it could not be read; the problems say why"
UNKNOWN, EMPTY = "not of a kind that Readback knows", "empty"
LINK, ODD = "a link that leads out of the folder, or nowhere", "not a regular file"
BEYOND, LETTERS = f"beyond the {FILES:,} files that are looked at", "its name is not UTF-8"


def list_left_out(draft: Draft) -> None:
    """List what the reading of a folder left out, by reason; files that others are made of are used."""
    listed = {one.path for one in draft.recognised}
    beside = _read_for_others(draft) - listed
    wrong = {name for diagnostic in draft.diagnostics for name in (diagnostic.place.file, diagnostic.flagged) if name}
    groups: dict[str, list[str]] = {}
    seen = 0
    end = time.monotonic() + SECONDS
    whole = True
    for name, path in _entries(draft.root):
        if seen >= MOST or time.monotonic() > end:
            whole = False
            break
        if name in beside:
            draft.recognised.append(Recognised(name, BESIDE))
        elif name not in listed:
            groups.setdefault(_why(draft, name, path, seen, wrong), []).append(name)
        seen += not _hidden(name)
    more = "" if whole else "; there are more, which were not counted"
    for why, names in sorted(groups.items()):
        draft.recognised.append(
            Recognised(_said(sorted(names)), OTHER, used=False, detail=why + more, count=len(names))
        )


def reconciled(recognised: tuple[Recognised, ...]) -> tuple[int, int]:
    """How many files are used, and how many are not."""
    used = sum(one.count for one in recognised if one.used)
    return used, sum(one.count for one in recognised) - used


def _entries(root: Path) -> Iterator[tuple[str, Path]]:
    """Everything below a folder that is not a folder itself, links to folders too, the shallowest first."""
    waiting = [root]
    while waiting:
        folder = waiting.pop(0)
        try:
            with os.scandir(folder) as found:
                entries = sorted(islice(found, MOST + 1), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            else:
                yield path.relative_to(root).as_posix(), path


def _why(draft: Draft, name: str, path: Path, seen: int, wrong: set[str]) -> str:
    """Why a file is not used."""
    if not _printable(name):
        return LETTERS
    if _hidden(name):
        return HIDDEN
    if len(PurePosixPath(name).parts) > DEPTH + 1:
        return DEEP
    if isinstance(resolve(draft.root, name), Diagnostic):
        return ODD if not path.is_symlink() else LINK
    if name in wrong:
        return UNREAD
    if not stat.S_ISREG(path.stat().st_mode):
        return ODD
    if not path.stat().st_size:
        return EMPTY
    if draft.file:
        return UNNAMED
    return UNKNOWN if seen < FILES else BEYOND


def _read_for_others(draft: Draft) -> set[str]:
    """Files that something of the workspace was read from: templates, schemas, constants."""
    parts = (draft.configs, draft.prompts, draft.tasks, draft.adapters, draft.models, draft.judges)
    return {file for part in parts for file in _files(part)} | draft.named


def _files(value: Any) -> Iterator[str]:
    if isinstance(value, Location):
        yield from [value.file] if value.file else []
    elif is_dataclass(value) and not isinstance(value, type):
        yield from (file for one in fields(value) for file in _files(getattr(value, one.name)))
    elif isinstance(value, Mapping):
        yield from (file for one in value.values() for file in _files(one))
    elif isinstance(value, list | tuple):
        yield from (file for one in value for file in _files(one))


def _hidden(name: str) -> bool:
    return any(part.startswith(".") for part in PurePosixPath(name).parts)


def _printable(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _said(names: list[str]) -> str:
    shown = [name if _printable(name) else ascii(name) for name in names[:NAMED]]
    return ", ".join(shown) + (f" and {len(names) - NAMED:,} more" if len(names) > NAMED else "")
