"""What changed since the last sign-off of the whole study, worked out in the background until a file changes."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from readback.records.changed import DatasetChanged
from readback.review.agenda import find_last_signoff
from readback.review.leaves import NothingToLock
from readback.review.since import NoBefore, Since, since_signoff
from readback.review.state import Review, SignOff
from readback.review.store import NotReadable, Store
from readback.types import Workspace
from readback.ui.common.draw import reviewing
from readback.ui.common.state import choice
from readback.ui.common.state.work import Job, Progress
from readback.ui.review import held

SHARED = 8  # answers that are kept


@dataclass(frozen=True, slots=True)
class Known:
    """`made` is None while it is worked out, where nobody signed, and where it cannot be said (then `unsaid`)."""

    changes: Since | None = None
    unsaid: str = ""
    waiting: bool = False


@st.cache_resource(max_entries=SHARED, show_spinner=False)
def _job(mark: str, _opened: Workspace, _store: Store, _signoff: SignOff, _review: Review) -> Job:
    def work(progress: Progress) -> Known:
        try:
            return Known(since_signoff(_opened, _store, _signoff, _review, None, progress))
        except (NoBefore, NothingToLock, DatasetChanged, NotReadable) as error:
            return Known(unsaid=str(error))

    return Job(work)


def find_changes(review: Review) -> Known:
    """Return what is known now; the work begins where it has not begun."""
    signed = find_last_signoff(review)
    if signed is None:
        return Known()
    opened = choice.workspace()
    decided = ",".join(decision.id for decision in review.decisions if decision.in_force)
    job = _job(
        f"{opened.root} {opened.file} {held.mark()} {signed.id} {decided}",
        opened,
        reviewing.store(),
        signed,
        review,
    )
    if job.error is not None:
        raise job.error
    return job.result if job.ready.is_set() and job.result is not None else Known(waiting=True)


def follow(since: Known) -> None:
    """Show what changed once it is known."""
    if since.waiting:
        _await()


@st.fragment(run_every=1.0)
def _await() -> None:
    if not find_changes(reviewing.state()).waiting:
        st.rerun()
