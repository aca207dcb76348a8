"""Which records changed since the newest sign-off of the study, worked out in the background when somebody asks."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from readback.records.changed import DatasetChanged
from readback.review import signing
from readback.review.agenda import find_last_signoff
from readback.review.changed_records import find_changed_records
from readback.review.leaves import NothingToLock
from readback.review.state import SignOff
from readback.review.store import NotReadable, Store
from readback.types import Workspace
from readback.ui.common.draw import reviewing
from readback.ui.common.state import work
from readback.ui.common.state.stamp import stamp
from readback.ui.common.state.work import Job, Progress
from readback.words import t

SHARED = 8  # answers that are kept


@dataclass(frozen=True, slots=True)
class LastSignOff:
    """The newest sign-off of the whole study; `why` says why there is nothing to compare with."""

    signoff: SignOff | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class ChangedRecords:
    """The ids of the records that changed, and in words since when."""

    ids: frozenset[str]
    sentence: str


def describe(workspace: Workspace) -> LastSignOff:
    """Return the sign-off that "changed since" is about."""
    if workspace.dataset is None:
        return LastSignOff(None, t("grid.why_no_dataset"))
    signoff = find_last_signoff(reviewing.state())
    return LastSignOff(signoff, "" if signoff is not None else t("grid.why_unsigned"))


def list_changed(last: LastSignOff, workspace: Workspace) -> ChangedRecords:
    """Return the records; while they are worked out the page shows how far that is, and none of them."""
    signoff = last.signoff
    assert signoff is not None  # noqa: S101 - whoever asks has seen that there is one
    job = _start(f"{workspace.root} {workspace.file} {stamp(workspace.root).key} {signoff.id}", workspace, signoff)
    if not work.look(job, "grid.comparing", "changed_records"):
        return ChangedRecords(frozenset(), "")
    if job.result is not None:
        ids, why = job.result
    else:
        ids, why = (None, t("grid.changed_stopped"))
    if ids is None:
        return ChangedRecords(frozenset(), why or t("grid.changed_not_kept"))
    values = {"n": len(ids), "name": signoff.by.author, "day": signoff.by.time[:10]}
    return ChangedRecords(ids, t("grid.changed_since", **values))


def _start(mark: str, workspace: Workspace, signoff: SignOff) -> Job:
    return _build_job(mark, workspace, reviewing.store(), signoff)


@st.cache_resource(max_entries=SHARED, show_spinner=False)
def _build_job(mark: str, _opened: Workspace, _store: Store, _signoff: SignOff) -> Job:
    def compare(progress: Progress) -> tuple[frozenset[str] | None, str]:
        try:
            return find_changed_records(_opened, _store, _signoff, progress), ""
        except (NothingToLock, DatasetChanged, NotReadable) as error:
            return None, str(error)
        except signing.Stopped:
            return None, t("grid.changed_stopped")

    return Job(compare)
