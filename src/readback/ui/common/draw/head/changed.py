"""What changed on disk since this session accepted the files: noticed within seconds, shown only when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from markupsafe import Markup

from readback.types import Workspace
from readback.ui.common import address, show
from readback.ui.common.state import caches, choice, session
from readback.ui.common.state.session import Moved
from readback.ui.common.state.stamp import stamp
from readback.words import t

LOOK = 2.0  # seconds between two looks at the files: a change is noticed within three
NAMED = 5  # files by name


@dataclass(frozen=True, slots=True)
class Versions:
    """The workspace before and after its files changed. `pending`: the new one is not shown yet.

    `new` is None where nothing could be read, and then `why` says why.
    """

    old: Workspace
    new: Workspace | None
    why: str
    files: tuple[Moved, ...]
    pending: bool
    key: tuple[str, str]

    @property
    def dataset(self) -> str | None:
        """The dataset's file where it is among what changed."""
        names = {workspace.dataset.path for workspace in (self.old, self.new) if workspace and workspace.dataset}
        return next((moved.file for moved in self.files if moved.file in names), None)


def watch() -> None:
    """Draw the notice about changed files, and keep looking for changes while the page is open."""
    if name := choice.workspace_id():
        st.session_state["looked_at"] = choice.moved()
        _watch(name)


def describe_versions() -> None:
    """Say on the page that what was shown had to make way for what is new."""
    if sentence := st.session_state.pop("overtaken", None):
        show.notice(sentence, "warning")


def versions() -> Versions | None:
    """Return the workspace in view and its other version; None where no file has changed since it was first opened."""
    path, now, fields = choice.key()
    entry = session.accepted(choice.workspace_id(), Path(path))
    if files := choice.moved():
        there = stamp(Path(path)).key
        new, why = caches.workspace(path, caches.marked(there, address.chosen()), fields)
        return Versions(choice.workspace(), new, why, files, True, (now, there))
    if entry.before is None or entry.before.opened is None or entry.before.opened[0] is None:
        return None
    old = caches.with_fields(entry.before.opened[0], dict(fields))
    files = session.moved(entry.before.stamp.files, entry.path)
    return Versions(old, choice.workspace(), "", files, False, (entry.before.stamp.key, now))


@st.fragment(run_every=LOOK)
def _watch(name: str) -> None:
    """One look. The first belongs to the run of the page, which has looked already; clicks and later ones are here."""
    if st.session_state.pop("accepted", False):
        st.rerun()
    entry = session.get_accepted(name)
    if entry is None:
        return
    last_files: tuple[Moved, ...] | None = st.session_state.pop("looked_at", None)
    if last_files is not None:
        files = last_files
    else:
        files = session.moved(entry.stamp.files, entry.path, shared=True)
    if files:
        show.draw(_notice(t("frame.changed", n=len(files)), files, ""))
        st.button(t("frame.show_new"), key="show_new", on_click=_accept)
    elif entry.before is not None:
        since = session.moved(entry.before.stamp.files, entry.path, shared=True)
        show.draw(_notice(t("frame.shown_new", n=len(since)), since, " rb-small") if since else Markup(""))


def _accept() -> None:
    choice.accept()
    st.session_state["accepted"] = True


def _notice(sentence: str, files: Sequence[Moved], look: str) -> Markup:
    rows = [show.h("<br>{}", _describe_change(file)) for file in files[:NAMED]]
    if len(files) > NAMED:
        rows.append(show.h("<br>{}", t("frame.changed_more", n=len(files) - NAMED)))
    link = show.link("prompts", t("frame.compare_change"), change="1")
    return show.h('<p class="rb-changed{}" role="status">{}{}<br>{}</p>', look, sentence, show.join(rows), link)


def _describe_change(moved: Moved) -> str:
    if moved.at is None:
        return t("frame.changed_gone", file=moved.file)
    return t("frame.changed_at", file=moved.file, time=moved.clock)
