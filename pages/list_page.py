"""List: what was put aside for the meeting, in its order, and out of the tool."""

import streamlit as st

from readback.ui import entries
from readback.ui.common import bookmarks, show
from readback.words import t

st.title(t("list.title"))
kept = bookmarks.kept()
if not kept:
    show.empty(t("list.none"), t("list.none_next"), "findings")
    st.stop()
show.draw(show.h("<p>{}</p>", t("list.lead", n=len(kept))))
entries.take(kept)
entries.draw(kept)
