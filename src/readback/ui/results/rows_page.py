"""Records: what is in the dataset, row by row?"""

from __future__ import annotations

import streamlit as st

from readback.html import exact
from readback.ui.common import show
from readback.ui.common.draw import picker, score_proposals
from readback.ui.common.draw.head import loaded
from readback.ui.common.state import choice
from readback.ui.results import grid, record_answers, record_list, record_whole
from readback.words import t


def draw() -> None:
    """Draw the rows of the dataset, and the one in view in whole."""
    grid.draw_style()
    workspace = choice.workspace()
    if workspace.dataset is None:
        show.empty(t("records.none"), t("messages.add_files"), "open")
        st.stop()
    data = choice.dataset()
    if len(data) == 0:
        show.empty(loaded.no_records(workspace), t("messages.add_files"), "open")
        st.stop()

    show.draw(show.h("<p>{}</p>", loaded.counts(workspace.dataset.path, data.counts)))
    if not workspace.scores and not score_proposals.draw(workspace):
        way = show.link("open", t("scores.nothing_next"))
        note = '<details class="rb-small"><summary>{}</summary><p>{} {}</p></details>'
        show.draw(show.h(note, t("records.no_scores"), t("scores.nothing"), way))
    if choice.is_record_missing():
        show.notice(t("messages.lost_record"), "warning")
    left, right = st.columns([3, 2], gap="large")
    with left:
        record_list.draw(data, workspace)
    with right:
        record = choice.record()
        if record.id is not None:
            name = exact.spelling(record.id)
        else:
            name = str(choice.position() + 1)
        st.header(show.md(t("records.heading", record=name)))
        if picker.options(workspace):
            show.draw(show.h("<p>{}</p>", show.link("prompts", t("records.to_messages"))))
        record_whole.draw(record, name)
        record_answers.draw(record, workspace)
