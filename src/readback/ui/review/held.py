"""Whether sign-offs still hold, worked out in the background and kept until a file changes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import streamlit as st

from readback import workspace
from readback.records.changed import DatasetChanged
from readback.review import signing
from readback.review.state import SignOff
from readback.review.store import NotReadable, Store
from readback.types import Workspace
from readback.ui.common.draw import local_time, reviewing
from readback.ui.common.state import choice
from readback.ui.common.state.stamp import stamp
from readback.ui.common.state.work import Job, Progress
from readback.workspace import workspace_file

SHARED = 32  # sign-offs times versions of files that are kept


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of a sign-off now. `standing` is None while it is being worked out; `since` is when it was."""

    standing: signing.Standing | None
    since: str = ""


@st.cache_resource(max_entries=SHARED, show_spinner=False)
def _job(mark: str, called: str, _opened: Workspace, _store: Store, _signoff: SignOff) -> Job:
    def work(progress: Progress) -> tuple[signing.Standing, float]:
        try:
            fields = _opened.dataset.fields if _opened.dataset else None
            now = workspace.open(_way(_opened), fields=fields, chosen=_opened.chosen)  # as it is, whatever is shown
            standing = signing.check_standing(now, _store, _signoff, progress)
        except (DatasetChanged, NotReadable) as changed:
            standing = signing.Standing(unread=str(changed))
        except workspace.NothingRead as nothing:
            standing = signing.Standing(unread=nothing.reason)
        return standing, time.time()

    return Job(work)


def find_standing(signoff: SignOff) -> Held:
    """Return what is known of a sign-off for the files as they are on disk."""
    opened = choice.workspace()
    job = _job(f"{opened.root} {opened.file} {mark()}", signoff.id, opened, reviewing.store(), signoff)
    if job.error is not None:
        raise job.error
    if not job.ready.is_set() or job.result is None:
        return Held(None)
    standing, when = job.result
    return Held(standing, f"{datetime.fromtimestamp(when, local_time.zone()):%H:%M}")


def mark() -> str:
    """Return a mark of the workspace's files as seen from outside: with another mark they are checked again."""
    return stamp(choice.workspace().root).key


def _way(opened: Workspace) -> Path:
    """Return what to open to have this workspace as its files are now."""
    return opened.root if opened.file in (None, workspace_file.NAME) else opened.root / opened.file
