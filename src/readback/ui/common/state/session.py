"""What a session holds on to: each workspace as its files were when they were last accepted, in this session only.

The text on the screen never changes by itself. A session goes on with the workspace it has read, whatever is
written to the files, until somebody asks for what is new. The values are frozen and shared between sessions; the
session only keeps them from being forgotten.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import streamlit as st

from readback.types import Record, Workspace
from readback.ui.common.state import caches
from readback.ui.common.state.caches import Key
from readback.ui.common.state.stamp import Stamp, stamp
from readback.ui.common.state.work import Job

RETRIES, SHORT = 3, 60.0  # how often a dataset is opened again within how many seconds
SHARED = 1.0  # seconds in which all sessions share one look at a folder


@dataclass(frozen=True, slots=True)
class Held:
    """A workspace as it was accepted. `opened` is None until it is looked at; `before` is what was accepted before.

    `chosen` says which files were meant when it was opened.
    """

    path: Path
    stamp: Stamp
    opened: tuple[Workspace | None, str] | None = None
    before: Held | None = None
    chosen: Mapping[str, str] = field(default_factory=dict)


def accepted(name: str, path: Path) -> Held:
    """What this session works with; at the first look, the files as they are."""
    kept = _all().get(name)
    if kept is None or kept.path != path:
        kept = _all()[name] = Held(path, stamp(path))
    return kept


def of(name: str) -> Held | None:
    """What this session works with, if it has looked at it."""
    return _all().get(name)


def accept(name: str) -> None:
    """Take the files as they are now; for callbacks. What was in view until now is kept for a comparison."""
    kept = _all().get(name)
    if kept is not None and (now := stamp(kept.path)).key != kept.stamp.key:
        _all()[name] = Held(kept.path, now, before=replace(kept, before=None))


def opened(name: str, path: Path, chosen: Mapping[str, str]) -> tuple[Workspace | None, str]:
    """The workspace as accepted, with the files that are meant, or None and why nothing could be read."""
    kept = accepted(name, path)
    if kept.opened is None or kept.chosen != chosen:
        made = caches.workspace(str(path), caches.marked(kept.stamp.key, chosen), ())
        kept = _all()[name] = replace(kept, opened=made, chosen=chosen)
    return kept.opened or (None, "")


def job(name: str, key: Key, start: Any) -> Job:
    """Work that a session does once for what it holds (`start` begins it), so that no cache can forget it."""
    kept: dict[str, tuple[Key, Job]] = st.session_state.setdefault("held_jobs", {})
    if name not in kept or kept[name][0] != key:
        kept[name] = (key, start())
    return kept[name][1]


def forget() -> None:
    """Let go of what was read of datasets: one of them was written to, or could not be kept."""
    for name in ("held_jobs", "held_record"):
        st.session_state.pop(name, None)
    caches.dataset.clear()
    caches.audit.clear()
    caches.sample.clear()
    caches.loading.clear()


def record(key: Key, at: int) -> Record | None:
    """The record that was last in view, if it is that one: its file may have been written to since."""
    kept: tuple[Key, int, Record] | None = st.session_state.get("held_record")
    return kept[2] if kept is not None and kept[:2] == (key, at) else None


def keep_record(key: Key, at: int, seen: Record) -> Record:
    """Remember the record in view."""
    st.session_state["held_record"] = (key, at, seen)
    return seen


def given_up() -> bool:
    """Whether opening a dataset again was tried too often within a short time to help."""
    now = time.monotonic()
    tried = [at for at in st.session_state.get("tried_again", ()) if now - at < SHORT]
    st.session_state["tried_again"] = [] if len(tried) >= RETRIES else [*tried, now]
    return len(tried) >= RETRIES


@dataclass(frozen=True, slots=True)
class Moved:
    """A file that is not as it was accepted; `at` is its time in seconds, None for one that is gone."""

    file: str
    at: float | None

    @property
    def clock(self) -> str:
        """When it changed, in the server's time."""
        return time.strftime("%H:%M", time.localtime(self.at)) if self.at is not None else ""


def moved(before: Mapping[str, str], path: Path, shared: bool = False) -> tuple[Moved, ...]:
    """The files that differ from `before`; the last change first. `shared`: a look that is a second old will do."""
    now = (_shared_stamp(str(path)) if shared else stamp(path)).files
    names = [file for file in sorted({*before, *now}) if before.get(file) != now.get(file)]
    found = [Moved(file, int(now[file].split()[1]) / 1e9 if file in now else None) for file in names]
    return tuple(sorted(found, key=lambda one: -(one.at or 0.0)))


@st.cache_resource(ttl=SHARED, max_entries=64, show_spinner=False)
def _shared_stamp(path: str) -> Stamp:
    return stamp(Path(path))


def _all() -> dict[str, Held]:
    kept: dict[str, Held] = st.session_state.setdefault("held", {})
    return kept
