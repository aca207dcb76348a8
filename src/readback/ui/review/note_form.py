"""A note on what is in view, from any page in one click or by key; those that are there already are shown with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.compare.side import SideError
from readback.compare.sides import show_side
from readback.html.exact import written_out
from readback.review import anchors
from readback.review.state import Note, Review
from readback.ui.common import show
from readback.ui.common.draw import local_time, reviewing
from readback.ui.common.state import choice
from readback.ui.review import under_notes
from readback.words import t

FORM = "here"
SPAN = "note_span"  # the field in which our script says what is selected: 0-user:12-40, or wire:0-7
SELECTED = re.compile(r"(?:(\d+)-\w+|(wire)):(\d+)-(\d+)")
QUOTED = 300  # characters of a quote on a page
ANCHORS: Mapping[str, tuple[str, tuple[str, ...]]] = {  # room or view -> kind of anchor, what of the address it takes
    "prompts": ("message", ("condition", "mode", "judge", "adapter", "task", "finding")),
    "difference": ("difference", ("condition", "mode", "b_condition", "b_mode", "judge")),
    "findings": ("finding", ("code", "arm")),
    "results": ("score", ("criterion", "judge")),
    "overview": ("study", ()),
    "review": ("study", ()),
}
NAMES = {"finding": "finding_key", "b_condition": "b", "b_mode": "b", "code": "finding_key", "arm": "condition"}


def draw(page: str) -> None:
    """Draw the button at the top of a page, with the count of notes on what is in view."""
    if page not in ANCHORS or choice.peek()[0] is None:
        return
    review_and_anchor, anchor = reviewing.state(), anchor_of(page)
    there = [note for note in review_and_anchor.notes if note.standing != "closed" and on(note, anchor)]
    with st.container(key="note_here", width="content"):
        if there:
            label = t("review.note_n", n=len(there))
        else:
            label = t("review.note")
        with st.popover(
            label, key=f"note_open_{st.session_state.get('note_turn', 0)}", type="tertiary", help=t("review.note_help")
        ):
            # that room lists all of them
            if page == "review":
                listed = []
            else:
                listed = there
            _inside(review_and_anchor, listed, anchor)


def _inside(review: Review, there: list[Note], anchor: Mapping[str, Any]) -> None:
    selected = anchor["kind"] == "message" and st.session_state.get(SPAN)
    # else the text is looked up when it is saved
    if selected:
        pinned = _pinned(anchor)
    else:
        pinned = anchors.AnchoredText(anchor, "", {})
    show.draw(show.h("<p><strong>{}</strong> {}</p>", t("review.on"), anchors.describe_anchor(pinned.anchor)))
    if quote := pinned.anchor.get("quote"):
        show.draw(_quote(quote))
        st.button(t("review.whole"), key="note_whole", type="tertiary", on_click=_whole)
    reviewing.draft_key(FORM)
    st.text_input(t("review.span"), key=SPAN, label_visibility="collapsed")
    st.text_area(t("review.text"), key="note_text_here", height=90)
    reviewing.name_field()
    owner_and_due(FORM)
    st.button(t("review.save_note"), key="save_note", type="primary", on_click=_save, args=(dict(anchor),))
    reviewing.show_outcome(FORM, with_name=False)
    for note in there:
        show.draw(draw_note(note))
    show.page_link("review", t("review.all", n=len(review.notes)))


def anchor_of(page: str) -> dict[str, Any]:
    """Return what is in view on a page, as the anchor of a note."""
    if page == "prompts" and st.query_params.get("view") == "difference":
        view = "difference"
    else:
        view = page
    kind, keys = ANCHORS[view]
    anchor: dict[str, Any] = {"kind": kind}
    for key in keys:
        if value := st.query_params.get(key):
            anchor[NAMES.get(key, key)] = value
    if page == "prompts" and _records():
        sent, record = choice.sent(), choice.record().id
        anchor |= {name: value for name in anchors.CHOICE if (value := getattr(sent, name))}
        anchor |= {"record": record} if record is not None else {}
    if view == "difference" and anchor.get("condition") and anchor.get("b"):
        anchor["a"] = anchor.pop("condition")
    return anchor


def _pinned(anchor: Mapping[str, Any]) -> anchors.AnchoredText:
    """Return the anchor with what is selected in a text, as our script reports it, and the text to keep with it."""
    selected = SELECTED.fullmatch(str(st.session_state.get(SPAN) or ""))
    spot: dict[str, Any] = {}
    if selected:
        spot = {"message": int(selected[1] or 0), "start": int(selected[3]), "end": int(selected[4])}
        spot |= {"layer": "model-input"} if selected[2] else {}
    for tried in ({**anchor, **spot}, anchor):  # what is selected may be in a text that is no longer there
        side = anchors.find_side(tried)
        try:
            if side is not None:
                return anchors.keep_text(tried, show_side(choice.workspace(), side))
        except (SideError, anchors.NoSuchText):
            continue
    return anchors.AnchoredText(anchor, "", {})


def _whole() -> None:
    st.session_state[SPAN] = ""


def owner_and_due(form: str, note: Note | None = None) -> None:
    """Draw the fields for who looks after a note and until when; both may stay empty."""
    with st.container(horizontal=True):
        st.session_state.setdefault(f"owner_{form}", note.owner if note else "")
        st.text_input(t("review.owner_field"), key=f"owner_{form}", max_chars=200)
        st.session_state.setdefault(f"due_{form}", day(note.due) if note else None)
        st.date_input(t("review.due_field"), key=f"due_{form}", format="YYYY-MM-DD")


def empty_day(form: str) -> None:
    """Empty the field for the day; for what follows once a form is saved."""
    st.session_state[f"due_{form}"] = None


def describe_rest(owner: str, due: str) -> str:
    """Return who looks after it and until when, as far as that is known."""
    if owner:
        parts = [t("review.owner", name=written_out(owner))]
    else:
        parts = []
    parts += [t("review.due", date=written_out(due))] if due else []
    return " · ".join(parts)


def day(text: str) -> date | None:
    """Return a day as the field for it takes it; None where none is given, or an import has none of this form."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def read_form(form: str) -> dict[str, str]:
    """Owner and day of a form as a note keeps them; "" where they are not given."""
    due = st.session_state.get(f"due_{form}")
    return {"owner": str(st.session_state.get(f"owner_{form}") or ""), "due": due.isoformat() if due else ""}


def _quote(quote: str) -> Markup:
    """Return what a note marks; of a long stretch the beginning, and how much is left out here."""
    left = len(quote) - QUOTED
    if left <= 0:
        text = quote
    else:
        text = quote[:QUOTED] + t("review.quote_more", n=left)
    return show.h('<p class="rb-said rb-quote">{}</p>', show.exact_text(text))


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


def draw_note(note: Note) -> Any:
    """Draw a note: who, when, on what, and the text as it was written."""
    answers = show.join(
        [
            show.h(
                '<div class="rb-answer"><p class="rb-small">{}</p><p class="rb-said">{}</p></div>',
                by(answer),
                show.exact_text(text),
            )
            for answer, text in note.answers
        ]
    )
    if note.owner:
        more = [t("review.owner", name=written_out(note.owner))]
    else:
        more = []
    more += [t("review.due", date=written_out(note.due))] if note.due else []
    more += [t("review.edited", n=note.edits)] if note.edits else []
    more += [changed] if (changed := under_notes.describe_change(note)) else []
    quote = note.anchor.get("quote")
    return show.h(
        '<div class="rb-note"><p class="rb-small">{} · {}{}</p>{}<p class="rb-said">{}</p>{}{}</div>',
        t(f"review.standing_{note.standing}"),
        by(note.by),
        f" · {anchors.describe_anchor(note.anchor)}",
        _quote(quote) if isinstance(quote, str) and quote else "",
        show.exact_text(note.text),
        show.h('<p class="rb-small">{}</p>', " · ".join(more)) if more else "",
        answers,
    )


def by(who: Any) -> str:
    """Who said something, how that is known, and when."""
    return t(
        "review.by", name=written_out(who.author), how=t(f"review.known_{who.source}"), time=local_time.minute(who.time)
    )


def _save(anchor: dict[str, Any]) -> None:
    text = st.session_state["note_text_here"]
    if not text.strip():
        st.session_state[reviewing.SAID] = (FORM, "", t("review.empty"))
        return
    if anchor["kind"] == "message":
        pinned = _pinned(anchor)
    else:
        pinned = anchors.AnchoredText(anchor, "", {})
    payload = {"text": text, "anchor": dict(pinned.anchor), **({"kept": pinned.sha} if pinned.sha else {})}
    payload |= {name: value for name, value in read_form(FORM).items() if value}
    fields = ("note_text_here", SPAN, f"owner_{FORM}")
    reviewing.save(FORM, "note", payload, pinned.texts, *fields, then=partial(empty_day, FORM))
