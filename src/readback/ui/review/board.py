"""The page Review: what was signed and whether it still holds, decisions, notes, and the forms for them."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from markupsafe import Markup

from readback.records.changed import DatasetChanged
from readback.review import lock_check, lock_file, renamed, signing, state, subject
from readback.review.event import NotSaved
from readback.review.leaves import NothingToLock
from readback.review.state import Decision, Review, SignOff
from readback.review.store import NotReadable
from readback.review.subject import Subject, to_json
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import reviewing
from readback.ui.common.state import choice
from readback.ui.review import held, note_form
from readback.ui.review.held import Held
from readback.words import t

LISTED = 20  # entries that cannot be used, each with its reason
POLL = 3.0  # seconds between two looks for what others saved


def follow(sequence: int) -> None:
    """Show what others save, and that files changed, a few seconds later."""
    st.session_state["review_seen"] = sequence, held.mark()
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


def signoffs(review: Review) -> None:
    """Each sign-off: unchanged since when, or what changed."""
    st.header(t("review.signoffs"))
    if not review.signoffs:
        show.draw(show.h("<p>{}</p>", t("review.no_signoffs")))
    waiting = False
    for signoff in review.signoffs:
        standing = held.find_standing(signoff) if signoff.withdrawn is None else Held(None)
        waiting |= standing.standing is None and signoff.withdrawn is None
        show.draw(_signoff(signoff, standing))
        if signoff.withdrawn is None:
            st.button(
                t("review.withdraw"),
                key=f"withdraw_{signoff.id}",
                type="tertiary",
                on_click=_withdraw,
                args=(signoff.id,),
            )
    if waiting:
        _await()


def _withdraw(called: str) -> None:
    reviewing.save_here(f"withdraw_{called}", "edit", {"signoff": called, "withdrawn": True})


@st.fragment(run_every=1.0)
def _await() -> None:
    review = reviewing.state()
    if all(held.find_standing(signoff).standing for signoff in review.signoffs if signoff.withdrawn is None):
        st.rerun()


def _signoff(signoff: SignOff, standing: Held) -> Markup:
    lines = standing.standing.lines if standing.standing else ()
    changes = show.join(
        [
            show.h(
                "<li><strong>{}</strong>: {}</li>",
                lock_file.format_head(line.subject),
                lock_check.describe_change(line),
            )
            for line in lines
        ]
    )
    unsaid = standing.standing.unsaid if standing.standing else ""
    return show.h(
        '<div class="rb-note"><p><strong>{}</strong> {}</p><p class="rb-small">{}</p>{}{}{}</div>',
        subject.describe_subject(signoff.subject),
        _word(signoff, standing),
        note_form.by(signoff.by),
        show.h('<p class="rb-small">{}</p>', t("agenda.sides")) if any(line.change for line in lines) else "",
        show.h('<ul class="rb-listed">{}</ul>', changes) if lines else "",
        show.h('<p class="rb-small">{}</p>', t("review.unsaid", why=unsaid)) if unsaid else "",
    )


def _word(signoff: SignOff, standing: Held) -> Markup:
    """Whether a sign-off holds, in a word: withdrawn, being checked, stale, evidence changed, unchanged since."""
    if signoff.withdrawn is not None:
        return show.h("{}", t("review.withdrawn"))
    if standing.standing is None:
        return show.h('<span role="status">{}</span>', t("review.checking"))
    if standing.standing.unread:
        return show.h('<span class="rb-warn">▲ {}</span>', t("review.cannot_check", why=standing.standing.unread))
    words = []
    if standing.standing.stale:
        words.append(show.h('<span class="rb-bad">✕ {}</span>', t("review.stale", n=len(standing.standing.lines))))
    if standing.standing.evidence:
        words.append(
            show.h(
                '<span class="rb-warn">▲ {}</span>', t("review.evidence", what="; ".join(standing.standing.evidence))
            )
        )
    return (
        show.join(words, " ")
        if words
        else show.h('<span class="rb-fine">{}</span>', t("review.unchanged", time=standing.since))
    )


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


def decisions(review: Review) -> None:
    """Draw what was decided, the one in force first; earlier ones below it."""
    st.header(t("review.decisions"))
    if not review.decisions:
        show.draw(show.h("<p>{} {}</p>", t("review.no_decisions"), show.link("review", t("review.to_agenda"))))
    for entry in sorted(review.decisions, key=lambda entry: (not entry.in_force, -entry.by.sequence)):
        show.draw(_decision(entry))


def _decision(entry: Decision) -> Markup:
    past = "" if entry.in_force else t("review.superseded")
    return show.h(
        '<div class="rb-note"><p><strong>{}.</strong> {} {}</p>'
        '<p class="rb-said">{}</p><p class="rb-small">{}</p></div>',
        t(f"review.decided_{entry.verdict}"),
        entry.on or subject.describe_subject(entry.subject),
        show.h('<span class="rb-small">{}</span>', past),
        show.exact_text(entry.reason),
        note_form.by(entry.by),
    )


# The forms of the page: a decision, and a sign-off.


def decide() -> None:
    """Draw the form for a decision."""
    there = subjects()
    with st.expander(t("review.decide"), key="decide"):
        reviewing.draft_key("decide")
        st.selectbox(t("review.subject"), list(there), key="decide_subject")
        st.radio(
            t("review.verdict"),
            state.VERDICTS,
            key="decide_verdict",
            horizontal=True,
            format_func=lambda name: t(f"review.verdict_{name}"),
        )
        st.text_area(t("review.reason"), key="decide_reason", height=100)
        st.button(t("review.save_decision"), key="save_decision", type="primary", on_click=_decide)
        reviewing.show_outcome("decide")


def _decide() -> None:
    reason, subject_and_reason = st.session_state["decide_reason"], subjects()[st.session_state["decide_subject"]]
    if not reason.strip():
        st.session_state[reviewing.SAID] = ("decide", "", t("review.no_reason"))
        return
    payload = {"subject": to_json(subject_and_reason), "verdict": st.session_state["decide_verdict"], "reason": reason}
    try:
        made_on = signing.collect_decided(choice.workspace(), subject_and_reason)
    except DatasetChanged as error:
        st.session_state[reviewing.SAID] = ("decide", "", t("review.not_saved", why=str(error)))
        return
    reviewing.save("decide", "decision", {**payload, **made_on.payload}, made_on.texts, "decide_reason")


def note() -> None:
    """Draw the form for a note on the study; on other pages it is on what is in view."""
    with st.expander(t("review.write_note"), key="note_study"):
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
    if reviewing.save("study", "note", payload, None, "note_text_study", "owner_study"):
        st.session_state["due_study"] = None


def sign() -> None:
    """Draw the form for a sign-off: what it means, and the button. Signing reads and hashes everything anew."""
    there = subjects()
    with st.expander(t("review.sign"), key="sign"):
        show.draw(show.h('<p class="rb-prose">{}</p>', t("review.sign_means")))
        st.selectbox(t("review.subject"), list(there), key="sign_subject")
        if st.button(t("review.sign_now"), key="sign_now", type="primary"):
            _sign(there[st.session_state["sign_subject"]])
        reviewing.show_outcome("sign")


def _sign(subject: Subject) -> None:
    if not reviewing.author().name:
        st.session_state[reviewing.SAID] = ("sign", "", t("review.no_name"))
        return
    if choice.moved():
        st.session_state[reviewing.SAID] = ("sign", "", t("review.moved"))
        return
    bar = st.progress(0.0, t("review.signing", done=0, total=0))

    def report_progress(done: int, total: int) -> bool:
        bar.progress(min(done / total, 1.0) if total else 0.0, t("review.signing", done=done, total=total))
        return True

    try:
        signed = signing.collect_signed(choice.workspace(), subject, report_progress)
    except (NothingToLock, DatasetChanged) as error:
        st.session_state[reviewing.SAID] = ("sign", "", t("review.not_saved", why=str(error)))
        return
    finally:
        bar.empty()
    if reviewing.save("sign", "signoff", signed.payload, signed.texts):
        st.rerun()
