"""What a workspace's files look like from outside, which tells whether to read them again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from readback.readers.files.checksum import state
from readback.readers.files.paths import resolve

DEPTH = 4  # as deep and
COUNT = 2_000  # as many files as a folder without readback.yml is searched for


@dataclass(frozen=True, slots=True)
class Stamp:
    """`files` are the paths below the folder with size, time and a hash of their ends; `key` is their fingerprint."""

    files: Mapping[str, str]
    key: str


def stamp(path: Path) -> Stamp:
    """Return the stamp of a workspace: of all its files, or of a file and those beside it."""
    folder = path if path.is_dir() else path.parent
    depth = DEPTH if path.is_dir() else 1
    files = dict(sorted(_files(folder, folder, "", depth, [COUNT])))
    lines = "\n".join(f"{name} {mark}" for name, mark in files.items())
    return Stamp(files, hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()[:32])


def _files(root: Path, folder: Path, prefix: str, depth: int, room: list[int]) -> Iterator[tuple[str, str]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or room[0] <= 0:
            continue
        try:
            if entry.is_dir(follow_symlinks=False):
                if depth > 1:
                    yield from _files(root, Path(entry.path), f"{prefix}{entry.name}/", depth - 1, room)
            else:
                room[0] -= 1
                yield f"{prefix}{entry.name}", _mark(root, f"{prefix}{entry.name}", entry)
        except OSError:
            continue


def _mark(root: Path, name: str, entry: os.DirEntry[str]) -> str:
    """Size, time, and a hash of a file's ends; of a link that leads out of the folder nothing is read."""
    if entry.is_symlink() and not isinstance(resolve(root, name), Path):
        status = entry.stat(follow_symlinks=False)
        return f"{status.st_size} {status.st_mtime_ns}"
    now = state(entry.path)
    return f"{now.size} {now.time} {now.content}"
