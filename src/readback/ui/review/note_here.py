"""A note on what is in view, from any page in one click or by key; those that are there already are shown with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from readback.review.state import Note, Review
from readback.ui.common import choice, local_time, show
from readback.ui.review import reviewing
from readback.words import t

FORM = "here"
OF_PAGE: Mapping[str, tuple[str, tuple[str, ...]]] = {  # page -> kind of anchor, what of the address it takes
    "messages": ("message", ("condition", "mode", "judge", "finding")),
    "compare": ("difference", ("condition", "mode", "b_condition", "b_mode", "judge")),
    "findings": ("finding", ("code", "arm")),
    "scores": ("score", ("criterion", "judge")),
    "overview": ("study", ()),
}
NAMES = {"finding": "finding_key", "b_condition": "b", "b_mode": "b", "code": "finding_key", "arm": "condition"}


def draw(page: str) -> None:
    """The button at the top of a page, with the count of notes on what is in view."""
    if page not in OF_PAGE or choice.peek()[0] is None:
        return
    found, anchor = reviewing.state(), anchor_of(page)
    there = [note for note in found.notes if note.standing != "closed" and on(note, anchor)]
    with st.container(key="note_here", width="content"):
        label = t("review.note_n", n=len(there)) if there else t("review.note")
        with st.popover(label, key=f"note_open_{st.session_state.get('note_turn', 0)}", type="tertiary",
                        help=t("review.note_help")):  # fmt: skip
            _inside(found, there, anchor)


def _inside(found: Review, there: list[Note], anchor: Mapping[str, Any]) -> None:
    show.draw(show.h("<p><strong>{}</strong> {}</p>", t("review.on"), said(anchor)))
    for note in there:
        show.draw(one(note))
    reviewing.name_field()
    reviewing.draft_key(FORM)
    st.text_area(t("review.text"), key="note_text_here", height=120)
    st.button(t("review.save_note"), key="save_note", type="primary", on_click=_save, args=(dict(anchor),))
    reviewing.said(FORM)
    show.page_link("review", t("review.all", n=len(found.notes)))


def anchor_of(page: str) -> dict[str, Any]:
    """What is in view on a page, as the anchor of a note."""
    kind, keys = OF_PAGE[page]
    made: dict[str, Any] = {"kind": kind}
    for key in keys:
        if value := st.query_params.get(key):
            made[NAMES.get(key, key)] = value
    if page in ("messages", "compare") and _records():
        sent, record = choice.sent(), choice.record().id
        made |= {name: value for name, value in (("condition", sent.condition), ("mode", sent.mode)) if value}
        made |= {"record": record} if record is not None else {}
        made |= {"fingerprint": choice.assembly().fingerprint} if page == "messages" else {}
    if page == "compare" and made.get("condition") and made.get("b"):
        made["a"] = made.pop("condition")
    return made


def _records() -> bool:
    """Whether there is a record to look at; asked first, for whoever asks for one that is not there ends the run."""
    data = choice.peek()[1]
    return data is not None and len(data) > 0


def on(note: Note, anchor: Mapping[str, Any]) -> bool:
    """Whether a note is on what an anchor names: whatever it names itself is the same there, but for the bytes."""
    names = [
        name for name in note.anchor if name not in ("fingerprint", "start", "end", "quote", "kind", "role", "message")
    ]
    if not names:
        return anchor.get("kind") == note.anchor.get("kind")
    return all(anchor.get(name) == note.anchor[name] for name in names)


def said(anchor: Mapping[str, Any]) -> str:
    """What an anchor names, in words."""
    parts = [
        t(f"review.at_{name}", value=anchor[name])
        for name in ("condition", "mode", "a", "b", "record", "role", "finding_key", "criterion", "judge")
        if name in anchor
    ]
    if "start" in anchor:
        parts.append(t("review.at_span", start=anchor["start"], end=anchor.get("end", "")))
    return ", ".join(parts) or t("review.at_study")


def one(note: Note) -> Any:
    """A note as it is shown: who, when, on what, and the text as it was written."""
    answers = show.join([
        show.h('<div class="rb-answer"><p class="rb-small">{}</p><p class="rb-said">{}</p></div>', by(answer), text)
        for answer, text in note.answers
    ])  # fmt: skip
    more = [t("review.owner", name=note.owner)] if note.owner else []
    more += [t("review.due", date=note.due)] if note.due else []
    more += [changed] if (changed := _changed(note)) else []
    return show.h(
        '<div class="rb-note"><p class="rb-small">{} · {}{}</p><p class="rb-said">{}</p>{}{}</div>',
        t(f"review.standing_{note.standing}"),
        by(note.by),
        f" · {said(note.anchor)}",
        note.text,
        show.h('<p class="rb-small">{}</p>', " · ".join(more)) if more else "",
        answers,
    )


def by(who: Any) -> str:
    """Who said something, how that is known, and when."""
    return t("review.by", name=who.author, how=t(f"review.known_{who.known}"), time=local_time.minute(who.time))


def _changed(note: Note) -> str:
    """That the text under a note is no longer what it was written on, where that can be seen from here."""
    mark = note.anchor.get("fingerprint")
    if not mark or not _records() or choice.record().id != note.anchor.get("record"):
        return ""
    sent = choice.sent()
    if (sent.condition, sent.mode) != (note.anchor.get("condition"), note.anchor.get("mode")):
        return ""
    return "" if choice.assembly().fingerprint == mark else t("review.text_changed")


def _save(anchor: dict[str, Any]) -> None:
    text = st.session_state["note_text_here"]
    if not text.strip():
        st.session_state[reviewing.SAID] = (FORM, "", t("review.empty"))
        return
    reviewing.save(FORM, "note", {"text": text, "anchor": anchor}, None, "note_text_here")
