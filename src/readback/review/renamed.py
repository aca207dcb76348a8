"""The review of a folder that was renamed or moved: found under its former path, and taken over when somebody asks."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from readback.readers.files import by_address, copies
from readback.readers.files.cache_folder import uploaded
from readback.review import schema, state_folder, store
from readback.review.event import NotSaved


@dataclass(frozen=True, slots=True)
class Former:
    """A review without its folder: its file, the path that it is of, whether the folder of now has most of its files as
    they were (else that cannot be told), and how many events it has.
    """

    file: Path
    path: str
    sure: bool
    events: int


def find_former(root: Path) -> Former | None:
    """Find the review that a folder without one probably had under another path; None where there is none, or that path
    is still a folder.

    It is of a folder with the same device and inode, or the same name, and with the same files. A disk gives the number
    of a folder that was deleted to another one, so the number alone says nothing: where a review remembers no files,
    the name has to be the same, and whether it is the same folder cannot be told.
    """
    if uploaded(root) or copies.find_origin(root) or os.path.lexists(state_folder.find_file(root)):
        return None
    real = Path(os.path.realpath(root))
    stat = real.stat()
    candidates = list[Former]()
    for file, path, mark, content, events in _list_reviews():
        if Path(path).exists() or by_address.is_address(path):
            continue
        same_name = Path(path).name == real.name
        if not (same_name or mark == f"{stat.st_dev} {stat.st_ino}"):
            continue
        same = state_folder.has_same_content(real, content)
        if same or (same is None and same_name):
            candidates.append(Former(file, path, bool(same), events))
    return max(candidates, key=lambda former: (former.sure, former.events), default=None)


def adopt_review(root: Path, former: Former) -> None:
    """Give a folder the review that it had under its former path. Raises NotSaved where it has one by now."""
    here, real = state_folder.find_file(root), Path(os.path.realpath(root))
    stat = real.stat()
    try:
        schema.check_file(former.file)
        with contextlib.closing(sqlite3.connect(former.file)) as there, there:
            schema.confine(there)
            schema.check_tables(there)
            there.execute("PRAGMA synchronous=FULL")
            named = [("path", json.dumps(str(real))), ("folder", f"{stat.st_dev} {stat.st_ino}")]
            there.executemany("UPDATE about SET value = ?2 WHERE name = ?1", named)
        os.link(former.file, here)  # fails where somebody else was quicker
        former.file.unlink()
    except (OSError, sqlite3.Error, schema.Foreign) as error:
        if isinstance(error, FileExistsError):
            why = "the folder has a review of its own by now"
        else:
            why = str(error)
        raise NotSaved(f"the former review was not taken over: {why}") from None


def _list_reviews() -> Iterator[tuple[Path, str, str, str | None, int]]:
    """Every review: its file, the path, the mark and the content of its folder, and its number of events."""
    for file in sorted(state_folder.find_folder().glob("*.sqlite3")):
        with (
            contextlib.suppress(sqlite3.Error, ValueError, KeyError, OSError, schema.Foreign, RecursionError),
            contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as there,
        ):
            schema.check_file(file)
            schema.confine(there)
            schema.check_tables(there)
            about = dict(there.execute("SELECT name, value FROM about"))
            events = there.execute("SELECT count(*) FROM events").fetchone()[0]
            yield file, str(json.loads(about["path"])), str(about["folder"]), about.get(store.CONTENT), int(events)
