"""Whether sign-offs still hold, worked out in the background and kept until a file changes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from readback.records.changed import DatasetChanged
from readback.review import signing
from readback.review.state import SignOff
from readback.review.store import Store
from readback.types import Workspace
from readback.ui.common import choice
from readback.ui.common.stamp import stamp
from readback.ui.common.work import Job
from readback.ui.review import reviewing

SHARED = 32  # sign-offs times versions of files that are kept


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of a sign-off now. `standing` is None while it is being worked out; `since` is when it was."""

    standing: signing.Standing | None
    since: str = ""


@st.cache_resource(max_entries=SHARED, show_spinner=False)
def _job(mark: str, sequence: int, called: str, _opened: Workspace, _store: Store, _one: SignOff) -> Job:
    def work(progress: object) -> tuple[signing.Standing, str]:
        try:
            found = signing.standing(_opened, _store, _one, progress)  # type: ignore[arg-type]
        except DatasetChanged as changed:
            found = signing.Standing(unread=str(changed))
        return found, time.strftime("%H:%M")

    return Job(work)


def held(one: SignOff) -> Held:
    """What is known of a sign-off for the files as they are on disk."""
    opened = choice.workspace()
    mark = f"{opened.root} {stamp(Path(opened.root)).key}"
    job = _job(mark, one.by.sequence, one.id, opened, reviewing.store(), one)
    if not job.ready.is_set() or job.result is None:
        return Held(None)
    standing, since = job.result
    return Held(standing, since)
