"""The form beside an item: what is decided, why, who owns what follows and when it is due, and on to the next."""

from __future__ import annotations

import hashlib
from functools import partial

import streamlit as st

from readback.records.changed import DatasetChanged
from readback.review import decision_words, state
from readback.review.agenda import Agenda, Item
from readback.review.event import Verdict
from readback.review.subject import to_json
from readback.ui.common import address, show
from readback.ui.common.draw import reviewing
from readback.ui.common.draw.head import present
from readback.ui.review import agenda_items, made_on, note_form
from readback.words import t

FORM = "item_"  # how the names of the forms begin, one of each item: what is typed for one stays with it


def get_form(item: Item) -> str:
    """Return the name of an item's form, which is also the end of the keys of its fields."""
    return f"{FORM}{hashlib.sha256(item.key.encode()).hexdigest()[:10]}"


def draw(agenda: Agenda, item: Item, warning: str | None = None) -> None:
    """Draw what was decided on an item, and the fields to decide. It is one form: nothing is sent until it is saved.
    `warning` says why its scores are no ground for a decision, as it stands beside the item: then to rely on them is to
    do so all the same.
    """
    if item.kind != "score":
        warning = None
    form, decision = get_form(item), agenda.decided.get(item.key)
    made_on.begin(item.subject)
    with st.container(key="decide_item"):
        if not present.on():
            show.draw(show.h('<p class="rb-decide-on">{}</p>', t("review.your_decision")))
        if decision is not None:
            show.draw(agenda_items.draw_decision(decision))
        with st.form(f"form_{form}", border=False, enter_to_submit=True):
            reviewing.draft_key(form)
            with st.container(key="item_verdict", horizontal=True, gap="small"):
                if warning is not None:
                    show.draw(show.h('<p class="rb-warned-hint">{}</p>', t("decision.warned_hint")))
                st.segmented_control(
                    t("review.verdict"),
                    state.VERDICTS,
                    key=f"verdict_{form}",
                    format_func=partial(_name_choice, item.kind, warning is not None),
                    label_visibility="collapsed",
                )
                hint = t("review.reason_hint" if item.kind in ("comparison", "score") else "review.reason_hint_finding")
                st.text_area(t("review.reason"), key=f"reason_{form}", height=68, placeholder=hint)
            with st.container(key="item_rest", horizontal=True, vertical_alignment="bottom", gap="small"):
                _draw_rest(form)
                following = agenda_items.find_next_open(agenda, item)
                label = t("agenda.save_next" if following else "review.save_decision")
                to = following.key if following else None
                st.form_submit_button(label, key="save_item", type="primary", on_click=_save, args=(item, to))
        if not present.on():
            show.draw(show.h('<p class="rb-small">{}</p>', t("review.decision_kept")))
        reviewing.show_outcome(form, with_name=False)


def _name_choice(kind: str, is_warned: bool, verdict: Verdict) -> str:
    """Return the words of a choice; what speaks against it is in them."""
    if is_warned and verdict == "accept":
        return t("decision.accept_score_warned")
    return decision_words.name_verdict(verdict, kind)


def _draw_rest(form: str) -> None:
    """Draw owner and day, and the name of whoever decides, where it is not known yet. Owner and day are of what is
    to follow.
    """
    if present.on():
        return
    with st.container(key="item_follow"):
        st.text_input(t("review.owner_field"), key=f"owner_{form}", max_chars=200)
        st.date_input(t("review.due_field"), key=f"due_{form}", value=None, format="YYYY-MM-DD")
    writer = reviewing.author()
    if not writer.name and not writer.refused:
        st.text_input(t("review.name"), key=f"name_{form}", max_chars=200, autocomplete="name")
    elif writer.source == "asked":
        show.draw(show.h('<span data-rb-name="{}"></span>', writer.name))  # from here our script keeps it


def show_outcome() -> None:
    """Draw what came of the last decision, on the page that it led to."""
    outcome = st.session_state.get(reviewing.SAID)
    if outcome is not None and outcome[0].startswith(FORM) and outcome[1]:
        reviewing.show_outcome(outcome[0], with_name=False)


def _save(item: Item, following: str | None) -> None:
    """Save the decision with the bytes that it is made on, and go on to the next item."""
    form = get_form(item)
    if name := str(st.session_state.get(f"name_{form}") or "").strip():
        reviewing.take_name(name)
    verdict, reason = st.session_state[f"verdict_{form}"], st.session_state[f"reason_{form}"]
    if verdict is None or not reason.strip():
        if verdict is None:
            missing = "agenda.no_verdict"
        else:
            missing = "review.no_reason"
        st.session_state[reviewing.SAID] = (form, "", t(missing))
        return
    if not reviewing.author().name:
        st.session_state[reviewing.SAID] = (form, "", t("review.no_name"))
        return
    try:
        basis = made_on.collect(item.subject)
    except DatasetChanged as error:
        st.session_state[reviewing.SAID] = (form, "", t("review.not_saved", why=str(error)))
        return
    about = {"subject": to_json(item.subject), "item": item.key, "on": item.sentence}
    rest = {key: value for key, value in note_form.read_form(form).items() if value}
    payload = {**about, "verdict": verdict, "reason": reason, **rest, **basis.payload}
    if reviewing.save(form, "decision", payload, basis.texts):
        saved, draft, _ = st.session_state[reviewing.SAID]
        chosen = decision_words.name_verdict(verdict, item.kind)
        words = t("agenda.saved", choice=chosen, title=agenda_items.title(item))
        st.session_state[reviewing.SAID] = (saved, draft, words)
        address.put(item=following, slide=None)
