"""The notes of a review on its page: those that are open first, each with the ways to answer, edit and close it."""

from __future__ import annotations

import streamlit as st

from readback.review import state
from readback.review.state import Note, Review
from readback.ui.common import show
from readback.ui.common.draw import reviewing
from readback.ui.review import note_form
from readback.words import t

AT_ONCE = 30  # notes on the page; the others a click away
ROOM = "review_notes"  # in the session: how many are shown


def draw(review: Review) -> None:
    """Draw the notes that are open first, each with its answer field."""
    st.header(t("review.notes"))
    if not review.notes:
        show.draw(show.h("<p>{}</p>", t("review.no_notes")))
    order = {name: at for at, name in enumerate(state.STANDINGS)}
    listed = sorted(review.notes, key=lambda entry: (order[entry.standing], entry.by.sequence))
    room = st.session_state.setdefault(ROOM, AT_ONCE)
    for entry in listed[:room]:
        _note(entry)
    if (more := len(listed) - room) > 0:
        st.button(t("review.more_notes", n=min(more, AT_ONCE)), key="more_notes", on_click=_more)


def _more() -> None:
    st.session_state[ROOM] += AT_ONCE


def _note(entry: Note) -> None:
    show.draw(note_form.draw_note(entry))
    with st.container(horizontal=True, vertical_alignment="center", key=f"note_{entry.id}"):
        page, label, way = find_page(entry)
        show.draw(show.link(page, label, **way))
        if entry.standing == "closed":
            label = t("review.reopen")
            st.button(label, key=f"reopen_{entry.id}", type="tertiary", on_click=_stand, args=(entry.id, "open"))
            return
        form = f"answer_{entry.id}"
        with st.popover(t("review.answer"), type="tertiary", key=f"open_{form}"):
            reviewing.draft_key(form)
            st.text_area(t("review.answer_text"), key=f"text_{form}", height=100)
            st.button(
                t("review.save_answer"), key=f"save_{form}", type="primary", on_click=_answer, args=(entry.id, form)
            )
            reviewing.show_outcome(form)
        _edit(entry)
        st.button(
            t("review.close"), key=f"close_{entry.id}", type="tertiary", on_click=_stand, args=(entry.id, "closed")
        )


def find_page(entry: Note) -> tuple[str, str, dict[str, str | None]]:
    """Return the page that a note is on: its name, the words of the link, and what it asks for."""
    at = {name: str(value) for name, value in entry.anchor.items()}
    kind = at.get("kind")
    if kind in ("message", "record", "condition") and (at.get("record") or at.get("condition")):
        return "prompts", t("review.see"), {name: at.get(name) for name in ("record", "condition", "mode", "judge")}
    if kind == "difference":
        sides = {"condition": at.get("a") or at.get("condition"), "b_condition": at.get("b")}
        return "prompts", t("review.see"), {**sides, "record": at.get("record"), "view": "difference"}
    if kind == "finding":
        return "findings", t("review.see"), {"code": at.get("finding_key"), "arm": at.get("condition")}
    if kind in ("score", "chart"):
        return "results", t("review.see"), {"criterion": at.get("criterion")}
    return "overview", t("agenda.none_next"), {}


def _edit(entry: Note) -> None:
    form = f"edit_{entry.id}"
    with st.popover(t("review.edit"), type="tertiary", key=f"open_{form}"):
        reviewing.draft_key(form)
        _filled(entry, form)
        st.text_area(t("review.text"), key=f"text_{form}", height=100)
        note_form.owner_and_due(form, entry)
        st.button(t("review.save_edit"), key=f"save_{form}", type="primary", on_click=_changed, args=(entry.id, form))
        reviewing.show_outcome(form)


def _filled(entry: Note, form: str) -> None:
    """Fill the form with the note as it stands, and again after somebody else changed it, unless it was typed in."""
    base = st.session_state.get(f"base_{form}")
    if base is None or (base.edits != entry.edits and not _typed(base, form)):
        for name in ("text", "owner", "due"):
            st.session_state.pop(f"{name}_{form}", None)
        st.session_state[f"text_{form}"] = entry.text
        st.session_state[f"base_{form}"] = entry


def _typed(base: Note, form: str) -> dict[str, str]:
    """Return what the form replaces of the note that it was filled with."""
    text = st.session_state.get(f"text_{form}", base.text)
    new = {"text": text, **note_form.read_form(form)}
    if not new["due"] and not note_form.day(base.due):
        del new["due"]  # what the field for a day cannot show was not emptied by anybody
    return {name: value for name, value in new.items() if value != getattr(base, name)}


def _changed(called: str, form: str) -> None:
    now = next(note for note in reviewing.state().notes if note.id == called)
    base: Note = st.session_state[f"base_{form}"]
    changes = _typed(base, form)
    if not st.session_state[f"text_{form}"].strip() or not changes:
        st.session_state[reviewing.SAID] = (form, "", t("review.nothing_new" if not changes else "review.empty"))
    elif now.edits != base.edits:
        st.session_state[f"base_{form}"] = now
        st.session_state[reviewing.SAID] = (form, "", t("review.meanwhile"))
    elif reviewing.save(form, "edit", {"note": called, **changes}):
        del st.session_state[f"base_{form}"]


def _stand(called: str, standing: str) -> None:
    reviewing.save_here(f"stand_{called}", "edit", {"note": called, "standing": standing})


def _answer(called: str, form: str) -> None:
    text = st.session_state[f"text_{form}"]
    if text.strip():
        reviewing.save(form, "answer", {"note": called, "text": text}, None, f"text_{form}")
    else:
        st.session_state[reviewing.SAID] = (form, "", t("review.empty"))
