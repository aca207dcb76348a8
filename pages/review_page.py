"""Review: what was noted, decided and signed here, and whether it still holds."""

import streamlit as st

from readback.readers.cache_folder import uploaded
from readback.ui.common import show
from readback.ui.common.draw import reviewing
from readback.ui.common.state import choice
from readback.ui.review import board, note_list
from readback.words import t

st.title(t("review.title"))
workspace = choice.workspace()
found = reviewing.state()
counts = {"decisions": len(found.decisions), "signoffs": len(found.signoffs)}
counts["notes"] = sum(note.standing == "open" for note in found.notes)
lead = t("review.lead", **counts) if found.sequence else t("review.lead_none")
if reviewing.is_readable():
    show.draw(show.h('<p class="rb-lead">{}</p>', lead))
if uploaded(workspace.root):
    show.notice(t("review.of_upload"))
if not found.sequence:
    board.former(workspace)
if (broken := reviewing.broken()) is not None:
    show.problem(t("review.broken", n=broken.sequence), broken.why)
board.unread(found)
left, right = st.columns([3, 2], gap="large")
with right:
    reviewing.name_field()
    if broken is None:
        board.sign()
        board.decide()
        board.note()
    reviewing.show_outcome("board")
with left:
    board.signoffs(found)
    board.decisions(found)
    note_list.draw(found)
board.follow(found.sequence)
