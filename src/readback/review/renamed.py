"""The review of a folder that was renamed or moved: found under its former path, and taken over when somebody asks."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from readback.readers import by_address
from readback.readers.cache_folder import uploaded
from readback.review import state_folder
from readback.review.event import NotSaved


@dataclass(frozen=True, slots=True)
class Former:
    """A review without its folder: its file, the path that it is of, whether the folder of now is surely the same one
    (by device and inode), and how many events it has.
    """

    file: Path
    path: str
    sure: bool
    events: int


def former(root: Path) -> Former | None:
    """The review that a folder without one probably had under another path: of the same folder by device and inode,
    else of one with the same name; None where there is none, or that path is still a folder.
    """
    if uploaded(root) or by_address.origin(root) or state_folder.place(root).exists():
        return None
    real = Path(os.path.realpath(root))
    seen = real.stat()
    found = [
        Former(file, path, mark == f"{seen.st_dev} {seen.st_ino}", events)
        for file, path, mark, events in _known()
        if not (Path(path).is_dir() or by_address.is_address(path))
        and (mark == f"{seen.st_dev} {seen.st_ino}" or Path(path).name == real.name)
    ]
    return max(found, key=lambda one: (one.sure, one.events), default=None)


def adopt(root: Path, one: Former) -> None:
    """Give a folder the review that it had under its former path. Raises NotSaved where it has one by now."""
    here, real = state_folder.place(root), Path(os.path.realpath(root))
    seen = real.stat()
    try:
        with contextlib.closing(sqlite3.connect(one.file)) as there, there:
            there.execute("PRAGMA synchronous=FULL")
            named = [("path", json.dumps(str(real))), ("folder", f"{seen.st_dev} {seen.st_ino}")]
            there.executemany("UPDATE about SET value = ?2 WHERE name = ?1", named)
        os.link(one.file, here)  # fails where somebody else was quicker
        one.file.unlink()
    except (OSError, sqlite3.Error) as error:
        why = "the folder has a review of its own by now" if isinstance(error, FileExistsError) else str(error)
        raise NotSaved(f"the former review was not taken over: {why}") from None


def _known() -> Iterator[tuple[Path, str, str, int]]:
    """Every review: its file, the path and the mark of its folder, and its number of events."""
    for file in sorted(state_folder.folder().glob("*.sqlite3")):
        with (
            contextlib.suppress(sqlite3.Error, ValueError, KeyError, OSError),
            contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as there,
        ):
            about = dict(there.execute("SELECT name, value FROM about"))
            events = there.execute("SELECT count(*) FROM events").fetchone()[0]
            yield file, str(json.loads(about["path"])), str(about["folder"]), int(events)
