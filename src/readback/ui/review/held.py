"""Whether sign-offs and decisions still hold, worked out in the background and kept until a file changes."""

from __future__ import annotations

import time
from collections.abc import Mapping
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
SHARED = 32  # versions of files of which the answers are kept
POLL = 1.0  # seconds between two looks whether the answers are there


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of a sign-off now. `standing` is None while it is being worked out; `since` is when it was."""

    standing: signing.Standing | None
    since: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """How many sign-offs were not withdrawn; of the last ones of each subject those that are stale, with what is so."""

    signed: int = 0
    stale: tuple[tuple[SignOff, signing.Standing], ...] = ()


@dataclass(frozen=True, slots=True)
class Standings:
    """What is known in one run of a page of the sign-offs that were not withdrawn, by their id, so that all parts of it
    say the same; `mark` is that of the files it is about.
    """

    mark: str
    entries: Mapping[str, Held]

    @property
    def waiting(self) -> bool:
        """Whether it is not known of every sign-off yet."""
        return any(entry.standing is None for entry in self.entries.values())


def find_standings(review: Review) -> Standings:
    """Return what is known of the sign-offs now, for the files as they are on disk; the work begins where it has not
    begun.
    """
    opened, now = choice.workspace(), mark()
    jobs = _jobs(f"{opened.root} {opened.file} {now}")
    entries = {}
    for signoff in review.signoffs:
        if signoff.withdrawn is None:
            if signoff.id not in jobs:
                jobs[signoff.id] = _begin(opened, reviewing.store(), signoff)
            entries[signoff.id] = _read_job(jobs[signoff.id])
    return Standings(now, entries)


def sum_up(review: Review, standings: Standings) -> Summary:
    """Return how many sign-offs there are, and which of the last ones of each subject are stale."""
    in_force = [signoff for signoff in review.signoffs if signoff.withdrawn is None]
    last = {str(signoff.subject): signoff for signoff in in_force}
    stale = []
    for signoff in last.values():
        standing = standings.entries[signoff.id].standing
        if standing is not None and standing.stale:
            stale.append((signoff, standing))
    return Summary(len(in_force), tuple(stale))


def follow(standings: Standings) -> None:
    """Draw the page again once it is known of every sign-off whether it holds, where this run did not know yet."""
    if standings.waiting:
        _await()


@st.fragment(run_every=POLL)
def _await() -> None:
    if not find_standings(reviewing.state()).waiting:
        st.rerun()


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
def _jobs(mark: str) -> dict[str, Job]:
    """Return the work on the sign-offs of a workspace with these files, by their id, for all sessions."""
    return {}


def _begin(opened: Workspace, store: Store, signoff: SignOff) -> Job:
    def work(progress: Progress) -> tuple[signing.Standing, float]:
        try:
            if opened.dataset:
                fields = opened.dataset.fields
            else:
                fields = None
            now = workspace.open(_way(opened), fields=fields, chosen=opened.chosen)  # as it is, whatever is shown
            standing = signing.check_standing(now, store, signoff, progress)
        except (DatasetChanged, NotReadable) as changed:
            standing = signing.Standing(unread=str(changed))
        except workspace.NothingRead as nothing:
            standing = signing.Standing(unread=nothing.reason)
        return standing, time.time()

    return Job(work)


def _read_job(job: Job) -> Held:
    if job.ready.is_set() and job.error is not None:
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
    if opened.file in (None, workspace_file.NAME):
        return opened.root
    return opened.root / opened.file
