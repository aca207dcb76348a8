"""Work that this session asked for: one of each kind at a time, a new one stops the old."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from readback.ui.common.state.work import Job, Progress


def ask(kind: str, key: object, work: Callable[[Progress], Any]) -> Job:
    """Begin the work, unless it is the one that was asked for last. For callbacks, or while a page is drawn."""
    entry = _all().get(kind)
    if entry is not None and entry[0] == key and not entry[1].stopped:
        return entry[1]
    drop(kind)
    job = Job(work)
    _all()[kind] = (key, job)
    return job


def find_job(kind: str, key: object) -> Job | None:
    """Return the work of that kind, if it is about `key`."""
    entry = _all().get(kind)
    if entry is not None and entry[0] == key:
        return entry[1]
    return None


def drop(kind: str) -> None:
    """Stop the work and forget it."""
    entry = _all().pop(kind, None)
    if entry is not None:
        entry[1].stopped = True


def _all() -> dict[str, tuple[object, Job]]:
    entries: dict[str, tuple[object, Job]] = st.session_state.setdefault("asked_work", {})
    return entries
