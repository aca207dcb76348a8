"""Every file below a folder and what it is, within a budget that a foreign or hostile folder cannot exhaust."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from readback.files.paths import DEPTH, listing, resolve, show
from readback.types import NOWHERE, Note
from readback.workspace.recognise import OTHER, Found, recognise

SECONDS = 30.0  # a review's own files take a second or two; the rest of a folder that takes longer is not ours


@dataclass(frozen=True, slots=True)
class Survey:
    """What lies below `root`, the shallowest first and by name within a folder."""

    root: Path
    found: tuple[Found, ...]
    files: tuple[Path, ...] = ()
    notes: tuple[Note, ...] = ()

    def all(self, *what: str) -> tuple[Found, ...]:
        return tuple(f for f in self.found if f.what in what)

    def of(self, path: Path) -> Found | None:
        return next((f for f in self.found if f.path == path), None)


def survey(root: Path, depth: int = DEPTH) -> Survey:
    """What each file at most `depth` folders below `root` is. A link that leads out of the folder is not followed."""
    listed = listing(root, depth)
    notes = list(listed.notes)
    found = tuple(_each(root, listed.files, notes))
    return Survey(root, found, listed.files, tuple(notes))


def _each(root: Path, files: tuple[Path, ...], notes: list[Note]) -> Iterator[Found]:
    end = time.monotonic() + SECONDS
    for path in files:
        if time.monotonic() > end:
            values = {"what": "seconds spent on finding out what the files are", "limit": SECONDS}
            notes.append(Note("dat-limit", values, NOWHERE, show(root, path)))
            return
        safe = resolve(root, show(root, path))
        if isinstance(safe, Note):
            notes.append(replace(safe, severity="info"))  # nobody named it; it only lies there
            continue
        what = recognise(path, root)
        if what.what != OTHER:
            yield what
        else:  # it looked like one of ours; nobody named it, so it is less than an error
            notes.extend(replace(note, severity=note.severity or "warning") for note in what.notes)
