"""Every file of a folder is used, or listed as not used with the reason, and the counts add up."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from readback.readers.paths import FILES, resolve
from readback.types import Diagnostic, Location, Looks, Recognised
from readback.workspace import kinds
from readback.workspace.draft import Draft
from readback.workspace.kinds import OTHER
from readback.workspace.unread import BESIDE, look, nothing_read, report_unread

MOST = 200_000  # entries of a folder that are counted: somebody's whole disk is not
SECONDS = 2.0
NAMED = 6  # files of a group that are named
HIDDEN = "hidden files and folders are left out"
UNNAMED, UNREAD = "readback.yml does not name it", "it could not be read; the problems say why"
UNKNOWN, EMPTY = "not of a kind that Readback knows", "empty"
LINK, ODD = "a link that leads out of the folder, or nowhere", "not a regular file"
BEYOND, LETTERS = f"beyond the {FILES:,} files that are looked at", "its name is not UTF-8"


LISTED = 20_000  # names that a group of files keeps
# What a file that was recognised and is not used looks like.
LOOKS: Mapping[str, Looks] = {
    **dict.fromkeys((kinds.DATASET, kinds.TRAINING, kinds.ANSWERS, kinds.BATCH, kinds.TOOL, kinds.FORM), "data"),
    **dict.fromkeys((kinds.SCORES, "table of judges", "table of scores"), "scores"),
    **dict.fromkeys((kinds.PROMPTS, kinds.TEMPLATE, kinds.JUDGE), "prompt"),
}


def list_left_out(draft: Draft) -> None:
    """List what the reading of a folder left out, by reason and by what it looks like; files that others are made of
    are used. Afterwards every file of the folder stands in `recognised` once.
    """
    draft.recognised = [_with_looks(one) for one in draft.recognised]
    listed = {one.path for one in draft.recognised}
    beside = _read_for_others(draft) - listed
    wrong = {name for diagnostic in draft.diagnostics for name in (diagnostic.place.file, diagnostic.flagged) if name}
    groups: dict[_Reason, list[str]] = {}
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
            groups.setdefault(_reason(draft, name, path, seen, wrong), []).append(name)
        seen += not _hidden(name)
    more = "" if whole else "; there are more, which were not counted"
    for reason, names in sorted(groups.items()):
        group = Recognised(
            _said(sorted(names)),
            OTHER,
            used=False,
            detail=reason.why + more,
            count=len(names),
            files=tuple(map(_legible, sorted(names)[:LISTED])),
            looks=reason.looks,
            step=reason.step,
        )
        draft.recognised.append(group)
    report_unread(draft)


def list_file(draft: Draft, path: Path) -> None:
    """Account for a file that was opened by itself: where nothing of it is read, that is a finding."""
    draft.recognised = [_with_looks(one) for one in draft.recognised]
    if nothing_read(draft):
        reason = next((one.values["reason"] for one in draft.diagnostics if one.code == "dat-not-recognised"), UNKNOWN)
        draft.say(path, OTHER, used=False, detail=str(reason))
        report_unread(draft)


@dataclass(frozen=True, slots=True, order=True)
class _Reason:
    """Why files are not used, what they look like, and the step that makes them readable."""

    why: str
    looks: Looks = ""
    step: str = ""


def each_file(recognised: Iterable[Recognised]) -> Iterator[Recognised]:
    """Yield every file by itself; of a group of very many files the rest stands together at its end."""
    for one in recognised:
        if not one.files:
            yield one
            continue
        yield from (replace(one, path=name, count=1, files=()) for name in one.files)
        rest = one.count - len(one.files)
        if rest:
            yield replace(one, path=f"{rest:,} more", count=rest, files=())


def left_unread(recognised: Iterable[Recognised]) -> int:
    """Count the files that look like data, prompts, logs or scores and are not read."""
    return sum(one.count for one in recognised if one.looks and not one.used)


def _with_looks(one: Recognised) -> Recognised:
    return one if one.used else replace(one, looks=LOOKS.get(one.what, ""))


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


def _reason(draft: Draft, name: str, path: Path, seen: int, wrong: set[str]) -> _Reason:
    """Why a file is not used."""
    if not _printable(name):
        return _Reason(LETTERS)
    if _hidden(name):
        return _Reason(HIDDEN)
    if isinstance(resolve(draft.root, name), Diagnostic):
        return _Reason(ODD if not path.is_symlink() else LINK)
    if not stat.S_ISREG(path.stat().st_mode):
        return _Reason(ODD)
    if not path.stat().st_size:
        return _Reason(EMPTY)
    if name in wrong:
        return _Reason(UNREAD, _looks(name, path))
    if len(PurePosixPath(name).parts) > draft.depth + 1:
        deep = f"it lies more than {draft.depth} folders deep, where no file is looked for"
        return _Reason(deep, _looks(name, path), "open the folder that holds it, or name it in readback.yml")
    if seen >= FILES and not draft.file:
        return _Reason(BEYOND, _looks(name, path), "open a folder below, or name the file in readback.yml")
    found = look(name, path)
    if found is None:
        return _Reason(draft.reasons.get(name) or (UNNAMED if draft.file else UNKNOWN))
    if draft.file and not draft.discovered and not found.why:
        return _Reason(UNNAMED, found.looks, "name it in readback.yml")
    return _Reason(draft.reasons.get(name) or found.why or UNKNOWN, found.looks, found.step)


def _looks(name: str, path: Path) -> Looks:
    found = look(name, path)
    return found.looks if found else ""


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


def _legible(name: str) -> str:
    return name if _printable(name) else ascii(name)


def _said(names: list[str]) -> str:
    shown = list(map(_legible, names[:NAMED]))
    return ", ".join(shown) + (f" and {len(names) - NAMED:,} more" if len(names) > NAMED else "")
