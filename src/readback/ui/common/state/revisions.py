"""The revisions of the folder in view, where it is part of a git repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from readback.compare.git import Git, NoRepositoryError
from readback.compare.side import SideError
from readback.html import exact
from readback.ui.common.state import choice

LISTED = 30  # revisions to choose from; an older one is typed
FRESH = 30.0  # seconds after which the list is asked for again


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of the folder: its id, its day, and the first line of its message."""

    id: str
    date: str
    subject: str


def revisions() -> tuple[Revision, ...]:
    """Return the last commits that touched the folder; none where it is not part of a repository."""
    return _revisions(str(choice.workspace().root))[0]


def refusal() -> str:
    """Why the folder's history is not read although it may have one; "" where nothing is refused."""
    return _revisions(str(choice.workspace().root))[1]


@st.cache_data(ttl=FRESH, max_entries=16, show_spinner=False)
def _revisions(folder: str) -> tuple[tuple[Revision, ...], str]:
    try:
        with Git(Path(folder)) as git:
            return tuple(
                Revision(name, day, exact.spelling(subject)) for name, day, subject in git.list_commits(LISTED)
            ), ""
    except NoRepositoryError:
        return (), ""
    except SideError as error:
        return (), str(error)
