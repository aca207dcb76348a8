"""The bytes that a decision is made on: hashed in the background while its item is in view, so that saving is quick."""

from __future__ import annotations

import streamlit as st

from readback.review import signing
from readback.review.signing import SignedContent
from readback.review.subject import Subject
from readback.types import Workspace
from readback.ui.common.state import choice
from readback.ui.common.state.work import Job, Progress
from readback.ui.review import held

SHARED = 16  # subjects times versions of files that are kept


@st.cache_resource(max_entries=SHARED, show_spinner=False)
def _job(mark: str, subject: str, _opened: Workspace, _subject: Subject) -> Job:
    def work(progress: Progress) -> SignedContent:
        return signing.collect_decided(_opened, _subject, progress)

    return Job(work)


def begin(subject: Subject) -> Job:
    """Begin the work on a subject, unless it has begun for the files as they are."""
    return _job(f"{choice.key()} {held.mark()}", str(subject), choice.workspace(), subject)


def collect(subject: Subject) -> SignedContent:
    """Return what a decision on a subject keeps. Raises DatasetChanged."""
    job = begin(subject)
    job.ready.wait()
    if job.error is not None:
        raise job.error
    content: SignedContent = job.result
    return content
