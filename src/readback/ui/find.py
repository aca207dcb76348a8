"""Find the next record: by its id, by a text in it, or by a finding. The address says nothing of what is looked for."""

from __future__ import annotations

from itertools import chain

import streamlit as st

from readback.assembly import assemble
from readback.audit import finding_search
from readback.audit.finding_search import There
from readback.audit.summary import Audit
from readback.records.dataset import DatasetChanged
from readback.types import Selection
from readback.ui import background, caches, choice, work
from readback.ui.words import t
from readback.ui.work import Job

KIND = "finding"
KNOWN = "with_findings"  # in the session: the records with a finding under what was sent, where all were looked at


def by_id(text: str) -> int | None:
    """The record of that id, unless it is in view already."""
    called = choice.dataset().find(text)
    return called if called != choice.position() else None


def in_record(text: str) -> int | None:
    """The next record (after the one in view, then from the top) that holds the text, whatever the case."""
    data, at = choice.dataset(), choice.position()
    return next((index for index in chain(data.search(text, at + 1), data.search(text))), None)


def finding(back: bool) -> None:
    """Go to the next record with a finding under what is sent, or the last one before; for callbacks.

    The check of all records answers at once where it was made; else the records are looked at one after another,
    and the page shows how far that is.
    """
    at, sent, workspace, data = choice.position(), choice.sent(), choice.workspace(), choice.dataset()
    if (audit := _audit()) is not None and sent in (assemble.choices(workspace) or (Selection(),)):
        return _go(finding_search.pick(finding_search.of_audit(audit, sent), at, back))
    known = st.session_state.get(KNOWN)
    if known is not None and known[0] == (choice.key(), sent):
        return _go(finding_search.pick(known[1], at, back))
    key = (choice.key(), sent, at, back)
    job = background.ask(KIND, key, lambda progress: finding_search.nearest(workspace, data, sent, at, back, progress))
    if job.ready.wait(work.PATIENCE):
        return _arrive(job)
    st.session_state[KIND] = key
    return None


def arrive() -> None:
    """While records are looked at for a finding, show how far that is; then go there."""
    key = st.session_state.get(KIND)
    job = background.asked(KIND, key) if key is not None else None
    if (
        job is None or key is None or key[:3] != (choice.key(), choice.sent(), choice.position())
    ):  # somebody went elsewhere
        st.session_state.pop(KIND, None)
        return
    if isinstance(job.error, DatasetChanged):
        choice.overtaken(job.error)
    if job.error is not None:
        background.drop(KIND)  # else it would fail again at each look
    if work.look(job, "messages.looking", KIND):
        _arrive(job)
        st.rerun()


def _arrive(job: Job) -> None:
    stopped = job.stopped
    st.session_state.pop(KIND, None)
    background.drop(KIND)
    if job.result is not None and not stopped:
        if job.result.all is not None:
            st.session_state[KNOWN] = ((choice.key(), choice.sent()), job.result.all)
        _go(job.result.there)


def _go(there: There | None) -> None:
    if there is None:
        st.session_state["bar_said"] = t("messages.no_more_findings")
    else:
        choice.go(there[0], finding=there[1] or None)


def _audit() -> Audit | None:
    """The check of all records, where it was made to the end and holds every finding."""
    job = caches.audited(choice.key())
    made = job.result if job is not None and job.ready.is_set() else None
    return made if isinstance(made, Audit) and not (made.stopped or made.truncated) else None
