"""Whether sign-offs and decisions still hold, worked out in the background and kept until a file changes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import streamlit as st

from readback import workspace
from readback.records.changed import DatasetChanged
from readback.review import signing, since
from readback.review.state import Review, SignOff
from readback.review.store import NotReadable, Store
from readback.types import Workspace
from readback.ui.common.draw import local_time, reviewing
from readback.ui.common.state import choice
from readback.ui.common.state.stamp import stamp
from readback.ui.common.state.work import Job, Progress
from readback.workspace import workspace_file

PATIENCE = 0.3  # seconds that a page waits for what is nearly always there by then
SHARED = 32  # sign-offs times versions of files that are kept


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of a sign-off now. `standing` is None while it is being worked out; `since` is when it was."""

    standing: signing.Standing | None
    since: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """The sign-offs that were not withdrawn, how many; of the last one of each subject those that are stale, each with
    what is stale of it, and those of which it is not known yet.
    """

    signed: int = 0
    stale: tuple[tuple[SignOff, signing.Standing], ...] = ()
    waiting: int = 0


def sum_up(review: Review) -> Summary:
    """Return what is known of the sign-offs now; the work begins where it has not begun."""
    in_force = [signoff for signoff in review.signoffs if signoff.withdrawn is None]
    last = {str(signoff.subject): signoff for signoff in in_force}
    stale, waiting = [], 0
    for signoff in last.values():
        standing = find_standing(signoff).standing
        waiting += standing is None
        if standing is not None and standing.stale:
            stale.append((signoff, standing))
    return Summary(len(in_force), tuple(stale), waiting)


@st.cache_resource(max_entries=SHARED, show_spinner=False)
def _decisions_job(mark: str, decisions: str, _opened: Workspace, _store: Store, _review: Review) -> Job:
    def work(_progress: Progress) -> frozenset[str]:
        return frozenset(entry.id for entry in since.find_stale(_opened, _store, _review, None))

    return Job(work)


def find_stale_decisions(review: Review) -> frozenset[str] | None:
    """Return the ids of the decisions in force that were made on other bytes; None while that is worked out."""
    in_force = ",".join(entry.id for entry in review.decisions if entry.in_force and entry.lock)
    if not in_force:
        return frozenset()
    opened = choice.workspace()
    job = _decisions_job(f"{opened.root} {opened.file} {mark()}", in_force, opened, reviewing.store(), review)
    if not job.ready.wait(PATIENCE):
        return None
    return job.result if job.error is None else frozenset()


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
