"""Agenda: what should this meeting talk about, and what does it decide?"""

from datetime import date

import streamlit as st

from readback.checks.comparisons import planned
from readback.review.agenda import build_agenda
from readback.ui.common import show
from readback.ui.common.draw import reviewing
from readback.ui.common.state import choice
from readback.ui.review import agenda_here, board, report_here, since_here
from readback.ui.scores import choices
from readback.words import t

heading = st.empty()
heading.title(t("agenda.title"))
workspace = choice.workspace()
found = reviewing.state()
audit = choice.audit()
scored = choices.load_table(workspace) if workspace.scores else None
since = since_here.find_changes(found)
made = build_agenda(workspace, audit, scored, found, date.today(), since.changes)
one = agenda_here.chosen(made)
reviewing.show_outcome("board")
if one is not None:
    agenda_here.walk(made, one, found, since.changes, scored)
else:
    if made.items:
        show.draw(agenda_here.lead(made))
    if since.waiting:
        show.notice(t("agenda.since_waiting"))
    if since.unsaid:
        show.notice(t("report.since_unsaid", why=since.unsaid), "warning")
    left, right = st.columns([2, 1], gap="large")
    with right:
        reviewing.name_field()
        agenda_here.add(found)
        report_here.draw()
    with left:
        if not made.items:
            show.empty(
                t("agenda.none" if planned(workspace) else "agenda.none_unplanned"), t("agenda.none_next"), "overview"
            )
        agenda_here.draw(made, found)
since_here.follow(since)
board.follow(found.sequence)
