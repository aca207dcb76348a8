"""Review: what do we decide, and does it still hold?"""

import streamlit as st

from readback.ui.review import board, changes_since, decided_view, held, open_view, room, signed_view
from readback.words import t

st.title(t("review.title"))
view = room.get_view()
meeting = room.gather(view)
room.draw_head(view, meeting)
if view == room.OPEN:
    open_view.draw(meeting)
elif view == room.DECIDED:
    decided_view.draw(meeting)
else:
    signed_view.draw(meeting)
changes_since.follow(meeting.since)
held.follow(meeting.standings)
board.follow(meeting.review.sequence, meeting.standings.mark)
