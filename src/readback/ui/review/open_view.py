"""What is to be decided: the items at the left, the current one with its evidence and its decision at the right."""

from __future__ import annotations

import time
from contextlib import nullcontext

import streamlit as st

from readback.checks.comparisons import planned
from readback.review.agenda import Agenda, Item
from readback.ui.common import show
from readback.ui.common.draw.head import present
from readback.ui.common.state import choice
from readback.ui.results import means
from readback.ui.review import agenda_items, decision_bar, evidence
from readback.ui.review.room import Meeting
from readback.words import t


def draw(meeting: Meeting) -> None:
    """Draw the items, and the one in view."""
    agenda = meeting.agenda
    if agenda is None:
        return  # the check ends the page before
    item = agenda_items.find_current(agenda)
    if meeting.since.unsaid:
        show.notice(t("report.since_unsaid", why=meeting.since.unsaid), "warning")
    decision_bar.show_outcome()
    if item is None:
        _draw_nothing(agenda)
        if agenda.dropped:
            agenda_items.draw_dropped(agenda, meeting.review)
        return
    if present.on():
        _draw_item(agenda, item, meeting)
        return
    with st.container(key="review_open"):
        left, right = st.columns([1, 3.2], gap="medium")
        with left, st.container(key="review_list"):
            agenda_items.draw_list(agenda, item)
            if agenda.dropped:
                agenda_items.draw_dropped(agenda, meeting.review)
        with right, st.container(key="review_item"):
            _draw_item(agenda, item, meeting)


def _draw_nothing(agenda: Agenda) -> None:
    """Say that nothing waits, or that everything is decided, and lead on."""
    if agenda.items:
        link = show.link("review", t("agenda.to_sign"), view="signed")
        words = t("agenda.all_decided", n=len(agenda.items))
        show.draw(show.h('<div class="rb-empty"><p>{}</p><p>{}</p></div>', words, link))
        return
    none = t("agenda.none" if planned(choice.workspace()) else "agenda.none_unplanned")
    show.empty(none, t("agenda.none_next"), "overview")


def _draw_item(agenda: Agenda, item: Item, meeting: Meeting) -> None:
    _time(item.key)
    agenda_items.draw_head(agenda, item)
    if item.kind == "since" and meeting.since.waiting:
        show.notice(t("agenda.since_waiting"))
    with nullcontext() if present.on() else st.container(key="item_beside"):
        with nullcontext() if present.on() else st.container(key="item_evidence"):
            evidence.draw(item, meeting.review, meeting.since.changes, meeting.table)
        with present.slide("decision") if present.on() else nullcontext():
            warning = means.format_synthetic(meeting.table) if meeting.table is not None else None
            decision_bar.draw(agenda, item, warning)


# The time that is spent on an item, where somebody wants to see it.

CLOCK = agenda_items.CLOCK  # in the session: (item, since when); absent where nobody asked


def _time(key: str) -> None:
    if CLOCK not in st.session_state:
        return
    if st.session_state[CLOCK][0] != key:
        st.session_state[CLOCK] = (key, time.monotonic())
    _ticking()


@st.fragment(run_every=1.0)
def _ticking() -> None:
    if CLOCK in st.session_state:
        spent = int(time.monotonic() - st.session_state[CLOCK][1])
        words = t("agenda.time", minutes=spent // 60, seconds=spent % 60)
        show.draw(show.h('<p class="rb-small" role="timer">{}</p>', words))
