"""Notes that others save while a page is open: shown on it within three seconds, without moving what is read."""

from __future__ import annotations

import streamlit as st

from readback.html.exact import written_out
from readback.review.state import Note
from readback.review.store import NotReadable
from readback.ui.common import show
from readback.ui.common.draw import reviewing
from readback.ui.common.state import choice
from readback.ui.review import note_list
from readback.words import t

LOOK = 2.0  # seconds between two looks
SHOWN = 3  # notes at once; of more the newest, and how many there are
LETTERS = 200  # of a note's text
SEEN = "notes_seen"  # in the session: workspace and sequence that the page in view has shown


def follow(page: str) -> None:
    """Draw what others note from now on. Review shows its notes itself."""
    if page == "review" or choice.peek()[0] is None or not reviewing.is_readable():
        return
    st.session_state[SEEN] = (choice.workspace_id(), reviewing.store().sequence())
    _follow()


@st.fragment(run_every=LOOK)
def _follow() -> None:
    workspace_id, drawn_to = st.session_state[SEEN]
    if workspace_id != choice.workspace_id():
        return
    try:
        now = reviewing.store().sequence()
    except NotReadable:
        return  # the page says so when it runs again
    if now == drawn_to:
        return
    new = [note for note in reviewing.state().notes if note.by.sequence > drawn_to]
    if not new:
        return
    lines = [_describe_note(note) for note in new[-SHOWN:]]
    more = show.h("<p>{}</p>", t("review.live_more", n=len(new) - SHOWN)) if len(new) > SHOWN else ""
    show.draw(show.h('<div class="rb-live" role="status">{}{}</div>', show.join(lines), more))
    if st.button(t("review.live_show"), key="live_show", type="tertiary"):
        st.rerun()


def _describe_note(note: Note) -> object:
    """Return who noted what, shortened with a sign where it is long, with the way to where it was noted."""
    page, label, way = note_list.find_page(note)
    if len(note.text) <= LETTERS:
        text = note.text
    else:
        text = f"{note.text[:LETTERS]} […]"
    sentence = t("review.live_note", name=written_out(note.by.author))
    return show.h("<p><strong>{}</strong> {} {}</p>", sentence, show.exact_text(text), show.link(page, label, **way))
