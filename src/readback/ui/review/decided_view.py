"""What was decided, by whom and why, whether it was made on the bytes of now; what was put off; and the notes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st
from markupsafe import Markup

from readback.html.templates import render_template
from readback.records.changed import DatasetChanged
from readback.review import decision_words, state, subject
from readback.review.state import Decision, Review
from readback.review.subject import to_json
from readback.ui.common import address, show
from readback.ui.common.draw import reviewing
from readback.ui.common.draw.head import present
from readback.ui.review import board, held, made_on, note_form, note_list
from readback.ui.review.room import Meeting
from readback.words import t


def draw(meeting: Meeting) -> None:
    """Draw the decisions, those that were put off below them, and the notes beside the form for one more."""
    review = meeting.review
    if not review.sequence and reviewing.is_readable():
        show.draw(show.h('<p class="rb-lead">{}</p>', t("review.lead_none")))
    left, right = st.columns([3, 2], gap="large")
    with left:
        _draw_decisions(review)
    with right:
        if reviewing.broken() is None and not present.on():
            decide()
        note_list.draw(review)


def _draw_decisions(review: Review) -> None:
    in_force = [entry for entry in reversed(review.decisions) if entry.in_force]
    settled, deferred = ([entry for entry in in_force if entry.deferred is put_off] for put_off in (False, True))
    stale = held.find_stale_decisions(review)
    st.header(t("review.decisions"))
    if not review.decisions:
        show.draw(show.h("<p>{} {}</p>", t("review.no_decisions"), show.link("review", t("review.to_agenda"))))
    _draw_list(settled, stale)
    if deferred:
        st.header(t("review.deferred"))
        _draw_list(deferred, stale)
    past = [entry for entry in reversed(review.decisions) if not entry.in_force]
    if past:
        with st.expander(t("review.replaced", n=len(past))):
            _draw_list(past, frozenset())
    if stale is None:
        _await(review)


@st.fragment(run_every=1.0)
def _await(review: Review) -> None:
    if held.find_stale_decisions(review) is not None:
        st.rerun()


def _draw_list(entries: Sequence[Decision], stale: frozenset[str] | None) -> None:
    for entry in entries:
        show.draw(_build_decision(entry, stale))


def _build_decision(entry: Decision, stale: frozenset[str] | None) -> Markup:
    return render_template(
        "ui/review/decision.html.jinja",
        t=t,
        verdict=decision_words.name_decision(entry),
        look={"accept": "fine", "change": "bad", "defer": "plain"}[entry.verdict],
        about=entry.on or subject.describe_subject(entry.subject),
        past="" if entry.in_force else t("review.superseded"),
        reason=show.exact_text(entry.reason),
        by=note_form.by(entry.by),
        rest=note_form.describe_rest(entry.owner, entry.due),
        stale=entry.id in stale if stale is not None else False,
        bytes_words=_describe_bytes(entry, stale),
        again=address.href("review", item=entry.item) if entry.item and entry.in_force else "",
    )


def _describe_bytes(entry: Decision, stale: frozenset[str] | None) -> str:
    """Return on which bytes it was made: those of now, others, or none that were kept."""
    if not entry.in_force:
        return ""
    if not entry.lock:
        return t("review.bytes_unkept")
    if stale is None:
        return t("review.checking")
    return t("review.bytes_other" if entry.id in stale else "review.bytes_same", lock=entry.lock[:8])


# The form for a decision that is on no item of the agenda.


def decide() -> None:
    """Draw the form for a decision (subject, verdict, reason, owner and due date), and the outcome of the last save."""
    there = board.subjects()
    with st.expander(t("review.decide"), key="decide"):
        reviewing.draft_key("decide")
        st.selectbox(t("review.subject"), list(there), key="decide_subject")
        kind = decision_words.find_subject_kind(there[st.session_state["decide_subject"]])
        st.radio(
            t("review.verdict"),
            state.VERDICTS,
            key="decide_verdict",
            horizontal=True,
            format_func=partial(decision_words.name_verdict, kind=kind),
        )
        st.text_area(t("review.reason"), key="decide_reason", height=100)
        note_form.owner_and_due("decide")
        st.button(t("review.save_decision"), key="save_decision", type="primary", on_click=_decide)
        reviewing.show_outcome("decide")


def _decide() -> None:
    reason, subject_and_reason = st.session_state["decide_reason"], board.subjects()[st.session_state["decide_subject"]]
    if not reason.strip():
        st.session_state[reviewing.SAID] = ("decide", "", t("review.no_reason"))
        return
    payload = {"subject": to_json(subject_and_reason), "verdict": st.session_state["decide_verdict"], "reason": reason}
    try:
        basis = made_on.collect(subject_and_reason)
    except DatasetChanged as error:
        st.session_state[reviewing.SAID] = ("decide", "", t("review.not_saved", why=str(error)))
        return
    rest = {name: value for name, value in note_form.read_form("decide").items() if value}
    whole = {**payload, **rest, **basis.payload}
    fields = ("decide_reason", "owner_decide")
    reviewing.save("decide", "decision", whole, basis.texts, *fields, then=partial(note_form.empty_day, "decide"))
