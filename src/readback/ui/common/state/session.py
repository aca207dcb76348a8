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
from readback.ui.common.state.work import PATIENCE, Job

RETRIES, SHORT = 3, 60.0  # how often a dataset is opened again within how many seconds
POLL = 0.05  # seconds between two looks at a workspace that is opened
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
    """Return what this session works with; at first, the files as they are."""
    entry = _all().get(name)
    if entry is None or entry.path != path:
        entry = _all()[name] = Held(path, stamp(path))
    return entry


def get_accepted(name: str) -> Held | None:
    """Return what this session works with, if it has opened it."""
    return _all().get(name)


def accept(name: str) -> None:
    """Take the files as they are now; for callbacks. What was in view until now is kept for a comparison."""
    entry = _all().get(name)
    if entry is not None and (now := stamp(entry.path)).key != entry.stamp.key:
        _all()[name] = Held(entry.path, now, before=replace(entry, before=None))


def find_opening(name: str, path: Path, chosen: Mapping[str, str]) -> Job | None:
    """Return the job that opens the workspace, where it is a log that takes longer to read, or was stopped; else None.

    Whatever else is opened is waited for: that is done before anybody could read how far it is.
    """
    entry = accepted(name, path)
    if entry.opened is not None and entry.chosen == chosen:
        return None
    job = caches.opening(str(path), caches.marked(entry.stamp.key, chosen))
    while not job.ready.wait(POLL):
        if job.total and time.monotonic() - job.began > PATIENCE:
            return job
    if job.stopped and job.result is None:
        return job
    return None


def opened(name: str, path: Path, chosen: Mapping[str, str]) -> tuple[Workspace | None, str]:
    """Return the workspace as accepted, with the chosen files, or None and the reason why nothing could be read."""
    entry = accepted(name, path)
    if entry.opened is None or entry.chosen != chosen:
        opened_workspace = caches.workspace(str(path), caches.marked(entry.stamp.key, chosen), ())
        entry = _all()[name] = replace(entry, opened=opened_workspace, chosen=chosen)
    return entry.opened or (None, "")


def job(name: str, key: Key, start: Any) -> Job:
    """Work that a session does once for what it holds (`start` begins it), so that no cache can forget it."""
    jobs: dict[str, tuple[Key, Job]] = st.session_state.setdefault("held_jobs", {})
    if name not in jobs or jobs[name][0] != key:
        jobs[name] = (key, start())
    return jobs[name][1]


def forget() -> None:
    """Let go of what was read of datasets: one of them was written to, or could not be kept."""
    for name in ("held_jobs", "held_record"):
        st.session_state.pop(name, None)
    caches.dataset.clear()
    caches.audit.clear()
    caches.sample.clear()
    caches.loading.clear()


def record(key: Key, at: int) -> Record | None:
    """Return the record that was last in view, if it is that one: its file may have been written to since."""
    entry: tuple[Key, int, Record] | None = st.session_state.get("held_record")
    if entry is not None and entry[:2] == (key, at):
        return entry[2]
    return None


def keep_record(key: Key, at: int, record_in_view: Record) -> Record:
    """Remember the record in view."""
    st.session_state["held_record"] = (key, at, record_in_view)
    return record_in_view


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
        if self.at is not None:
            return time.strftime("%H:%M", time.localtime(self.at))
        return ""


def moved(before: Mapping[str, str], path: Path, shared: bool = False) -> tuple[Moved, ...]:
    """Return the files that differ from `before`, the last change first. `shared`: a result that is a second old will
    do.
    """
    now = (_shared_stamp(str(path)) if shared else stamp(path)).files
    names = [file for file in sorted({*before, *now}) if before.get(file) != now.get(file)]
    changed = [Moved(file, int(now[file].split()[1]) / 1e9 if file in now else None) for file in names]
    return tuple(sorted(changed, key=lambda moved: -(moved.at or 0.0)))


@st.cache_resource(ttl=SHARED, max_entries=64, show_spinner=False)
def _shared_stamp(path: str) -> Stamp:
    return stamp(Path(path))


def _all() -> dict[str, Held]:
    workspaces: dict[str, Held] = st.session_state.setdefault("held", {})
    return workspaces
