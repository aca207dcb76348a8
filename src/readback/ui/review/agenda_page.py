"""Agenda: what should this meeting talk about, and what does it decide?"""

from __future__ import annotations

from datetime import date

import streamlit as st

from readback.checks.comparisons import planned
from readback.review.agenda import build_agenda
from readback.ui.common import show
from readback.ui.common.draw import reviewing
from readback.ui.common.state import choice
from readback.ui.results import choices
from readback.ui.review import agenda_items, board, changes_since, report_form, room
from readback.words import t


def draw() -> None:
    """Draw what is to be decided: an item, or the list of all."""
    st.title(t("review.title"))
    room.draw_switch(room.OPEN)
    workspace = choice.workspace()
    review = reviewing.state()
    audit = choice.audit()
    scored = choices.load_table(workspace) if workspace.scores else None
    since = changes_since.find_changes(review)
    agenda = build_agenda(workspace, audit, scored, review, date.today(), since.changes)
    item = agenda_items.chosen(agenda)
    board.draw_faults(review)
    reviewing.show_outcome("board")
    if item is not None:
        agenda_items.walk(agenda, item, review, since.changes, scored)
    else:
        if agenda.items:
            show.draw(agenda_items.lead(agenda))
        if since.waiting:
            show.notice(t("agenda.since_waiting"))
        if since.unsaid:
            show.notice(t("report.since_unsaid", why=since.unsaid), "warning")
        left, right = st.columns([2, 1], gap="large")
        with right:
            reviewing.name_field()
            agenda_items.add(review)
            report_form.draw()
        with left:
            if not agenda.items:
                show.empty(
                    t("agenda.none" if planned(workspace) else "agenda.none_unplanned"),
                    t("agenda.none_next"),
                    "overview",
                )
            agenda_items.draw(agenda, review)
    changes_since.follow(since)
    board.follow(review.sequence)
