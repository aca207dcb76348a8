"""What every tab of Review has: what cannot be read, whether what was signed still holds, a note on the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st
from markupsafe import Markup

from readback.review import renamed, subject
from readback.review.event import NotSaved
from readback.review.locks import lock_check, lock_file
from readback.review.locks.lock_check import Line
from readback.review.state import Review
from readback.review.store import NotReadable
from readback.review.subject import Subject
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import local_time, reviewing
from readback.ui.common.state import choice
from readback.ui.review import held, note_form
from readback.ui.review.held import Summary
from readback.words import t

NAMED = 4  # prompts with the same change that are named
LISTED = 20  # entries that cannot be used, each with its reason
POLL = 3.0  # seconds between two looks for what others saved


def follow(sequence: int, mark: str) -> None:
    """Show what others save, and that files changed, a few seconds later; what the page shows is of these two."""
    st.session_state["review_seen"] = sequence, mark
    _follow()


@st.fragment(run_every=POLL)
def _follow() -> None:
    try:
        state_in_view = reviewing.store().sequence(), held.mark()
    except NotReadable:
        return  # the page says so
    if state_in_view != st.session_state["review_seen"]:
        st.rerun()


def former(opened: Workspace) -> None:
    """Offer the review that the folder had before it was renamed."""
    if (before := renamed.find_former(opened.root)) is not None:
        show.notice(t("review.former" if before.sure else "review.former_unsure", path=before.path, n=before.events))
        st.button(t("review.adopt"), key="adopt", on_click=_adopt, args=(opened, before))


def _adopt(opened: Workspace, before: renamed.Former) -> None:
    try:
        renamed.adopt_review(opened.root, before)
    except NotSaved as error:
        st.session_state[reviewing.SAID] = ("board", "", str(error))


def draw_faults(review: Review) -> None:
    """Draw why the review cannot be read on from some entry, and which entries cannot be used."""
    if (broken := reviewing.broken()) is not None:
        show.problem(t("review.broken", n=broken.sequence), broken.why)
    unread(review)


def unread(review: Review) -> None:
    """Name each entry that cannot be used, with the reason; what is more than a page holds is counted."""
    if not review.unread:
        return
    listed = [t("review.unread_entry", sequence=entry.sequence, why=entry.why) for entry in review.unread[:LISTED]]
    if (more := len(review.unread) - LISTED) > 0:
        listed.append(t("review.unread_more", n=more))
    show.problem(t("review.unread", n=len(review.unread)), "\n".join(listed))


def subjects() -> Mapping[str, Subject]:
    """Return what can be decided or signed here, by the words it is chosen by: the study, planned comparisons,
    conditions, else modes.
    """
    opened = choice.workspace()
    listed = [Subject("study")]
    names = {condition.name for condition in opened.conditions}
    listed += [
        Subject("comparison", (str(pair["a"]), str(pair["b"])))
        for pair in opened.comparisons
        if {pair.get("a"), pair.get("b")} <= names
    ]
    listed += [Subject("condition", (condition.name,)) for condition in opened.conditions]
    listed += [] if opened.conditions else [Subject("mode", (name,)) for name in opened.prompts]
    return {subject.describe_subject(condition): condition for condition in listed}


def lead(summary: Summary, view: str) -> Markup:
    """Return that what was signed no longer holds: whose sign-off it is, of what, when, and the first change of it."""
    if not summary.stale:
        return Markup("")
    signoff, standing = summary.stale[-1]
    changes = sum_up_lines(standing.lines)
    sentence = t(
        "review.lead_stale",
        name=signoff.by.author,
        subject=subject.describe_subject(signoff.subject),
        day=local_time.minute(signoff.by.time),
    )
    if changes:
        parts = [show.h("{}: {}.", *changes[0])]
    else:
        parts = []
    if any(line.change for line in standing.lines):
        parts.append(show.h('<span class="rb-small">{}</span>', t("review.lead_sides")))
    if len(changes) > 1:
        parts.append(show.h("{}", t("review.lead_more", n=len(changes) - 1)))
    if view != "signed":
        parts.append(show.link("review", t("review.see_signed"), view="signed"))
    return show.h(
        '<p class="rb-stale" role="status"><strong class="rb-bad">✕ {}</strong> {}</p>', sentence, show.join(parts, " ")
    )


def sum_up_lines(lines: Sequence[Line]) -> tuple[tuple[str, str], ...]:
    """Return each change once: the names of what has it, and the change in a sentence. What a model reads changes with
    its messages, and is named with them.
    """
    changed = {line.subject.choice for line in lines if line.subject.layer == "messages" and line.state == "changed"}
    changes: dict[str, list[str]] = {}
    for line in lines:
        if line.subject.layer == "model-input" and line.state == "changed" and line.subject.choice in changed:
            continue
        changes.setdefault(lock_check.describe_change(line), []).append(_name_line(line))
    rows = []
    for words, names in changes.items():
        if len(names) > NAMED:
            more = t("review.changed_more", n=len(names) - NAMED)
        else:
            more = ""
        rows.append((", ".join(names[:NAMED]) + more, words))
    return tuple(rows)


def _name_line(line: Line) -> str:
    """Return what a line of a lock is about: the condition or mode, and the layer where that is not the messages."""
    layer, choice_of_line = line.subject.layer, line.subject.choice
    name = lock_file.name_choice(choice_of_line)[1]
    if layer == "judge":
        words = t("review.layer_judge", name=choice_of_line.judge)
    else:
        words = ""
    words = words or ("" if layer == "messages" else t(f"review.layer_{layer.replace('-', '_')}"))
    return " ".join(filter(None, (f"“{name}”" if name is not None else "", words)))


def note() -> None:
    """Draw the form for a note on the study; on other pages it is on what is in view."""
    with st.popover(t("review.write_note"), key="note_study"):
        reviewing.draft_key("study")
        st.text_area(t("review.text"), key="note_text_study", height=100)
        note_form.owner_and_due("study")
        st.button(t("review.save_note"), key="save_study", type="primary", on_click=_note_study)
        reviewing.show_outcome("study")


def _note_study() -> None:
    """Save the text of the form as a note on the whole study; where it is empty, say so instead."""
    text = st.session_state["note_text_study"]
    if not text.strip():
        st.session_state[reviewing.SAID] = ("study", "", t("review.empty"))
        return
    more = {name: value for name, value in note_form.read_form("study").items() if value}
    payload = {"text": text, "anchor": {"kind": "study"}, **more}
    reviewing.save(
        "study", "note", payload, None, "note_text_study", "owner_study", then=partial(note_form.empty_day, "study")
    )
