"""What was noted and decided, or what was signed, and whether it still holds."""

from __future__ import annotations

import streamlit as st

from readback.readers.cache_folder import uploaded
from readback.ui.common import show
from readback.ui.common.draw import reviewing
from readback.ui.common.state import choice
from readback.ui.review import board, note_list, room
from readback.words import t


def draw(view: str) -> None:
    """Draw the decisions and notes, or the sign-offs, as `view` says, beside the forms that add to them."""
    st.title(t("review.title"))
    room.draw_switch(view)
    workspace = choice.workspace()
    review = reviewing.state()
    counts = {"decisions": len(review.decisions), "signoffs": len(review.signoffs)}
    counts["notes"] = sum(note.standing == "open" for note in review.notes)
    lead = t("review.lead", **counts) if review.sequence else t("review.lead_none")
    if reviewing.is_readable():
        show.draw(show.h('<p class="rb-lead">{}</p>', lead))
    if uploaded(workspace.root):
        show.notice(t("review.of_upload"))
    if not review.sequence:
        board.former(workspace)
    board.draw_faults(review)
    left, right = st.columns([3, 2], gap="large")
    with right:
        reviewing.name_field()
        if reviewing.broken() is None:
            board.sign()
            board.decide()
            board.note()
        reviewing.show_outcome("board")
    with left:
        board.signoffs(review)
        if view == room.DECIDED:
            board.decisions(review)
            note_list.draw(review)
    board.follow(review.sequence)
