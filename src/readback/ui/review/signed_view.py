"""What was signed, by whom and when, whether it still holds, and what is open before somebody signs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.html.templates import render_template
from readback.records.changed import DatasetChanged
from readback.review import open_points, signing, subject
from readback.review.leaves import NothingToLock
from readback.review.state import By, Review, SignOff
from readback.review.subject import Subject
from readback.ui.common import address, show
from readback.ui.common.draw import reviewing
from readback.ui.common.draw.head import present
from readback.ui.common.state import background, choice
from readback.ui.common.state.work import Job
from readback.ui.review import board, note_form
from readback.ui.review.held import Held, Standings
from readback.ui.review.room import Meeting
from readback.words import t

SIGNING = "signing"  # the kind of work in the background
PATIENCE = 1.0  # seconds a click waits for the work: a small study is signed by then
POLL = 0.5


def draw(meeting: Meeting) -> None:
    """Draw the sign-offs, and at their right the list of what is open, with the form to sign."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        _draw_signoffs(meeting.review, meeting.standings)
    with right:
        if reviewing.broken() is None and not present.on():
            _draw_form(meeting)
            _follow_signing()


# What was signed.


def _draw_signoffs(review: Review, standings: Standings) -> None:
    """Draw each sign-off, the last one first: that it holds, or what changed."""
    if not review.signoffs:
        show.draw(show.h('<p class="rb-prose">{}</p>', t("review.no_signoffs")))
    for signoff in reversed(review.signoffs):
        standing = standings.entries.get(signoff.id, Held(None))
        show.draw(_build_signoff(signoff, standing))
        if signoff.withdrawn is None and is_own(signoff.by):
            st.button(
                t("review.withdraw"),
                key=f"withdraw_{signoff.id}",
                type="tertiary",
                on_click=_withdraw,
                args=(signoff,),
            )


def is_own(by: By) -> bool:
    """Whether whoever looks at the page wrote it, as far as names tell; what a file claims is nobody's own."""
    writer = reviewing.author()
    return bool(writer.name) and by.author == writer.name and by.source != "imported"


def _withdraw(signoff: SignOff) -> None:
    if is_own(signoff.by):
        reviewing.save_here(f"withdraw_{signoff.id}", "edit", {"signoff": signoff.id, "withdrawn": True})


def _build_signoff(signoff: SignOff, standing: Held) -> Markup:
    if standing.standing:
        lines = standing.standing.lines
    else:
        lines = ()
    return render_template(
        "ui/review/signoff.html.jinja",
        t=t,
        subject=subject.describe_subject(signoff.subject),
        word=_describe_standing(signoff, standing),
        stale=bool(lines),
        by=note_form.by(signoff.by),
        sides=any(line.change for line in lines),
        changes=board.sum_up_lines(lines),
        more=_list_more(signoff, standing),
    )


def _list_more(signoff: SignOff, standing: Held) -> list[str]:
    """Return further sentences on a sign-off: what is not known, what was open then, and who can withdraw it."""
    if standing.standing:
        unsaid = standing.standing.unsaid
    else:
        unsaid = ""
    if unsaid:
        sentences = [t("review.unsaid", why=unsaid)]
    else:
        sentences = []
    sentences += [words] if (words := describe_open(signoff.payload.get("open", {}))) else []
    if signoff.withdrawn is None and not is_own(signoff.by):
        sentences.append(t("review.withdraw_only", name=signoff.by.author))
    return sentences


def _describe_standing(signoff: SignOff, standing: Held) -> Markup:
    """Whether a sign-off holds, in a word: withdrawn, being checked, stale, evidence changed, still holds."""
    if signoff.withdrawn is not None:
        return show.h("{}", t("review.withdrawn"))
    if standing.standing is None:
        return show.h('<span role="status">{}</span>', t("review.checking"))
    if standing.standing.unread:
        return show.h('<span class="rb-warn">{}</span>', t("review.cannot_check", why=standing.standing.unread))
    words = []
    if standing.standing.stale:
        words.append(show.h('<span class="rb-bad">✕ {}</span>', t("review.stale", n=len(standing.standing.lines))))
    if standing.standing.evidence:
        what = "; ".join(standing.standing.evidence)
        words.append(show.h('<span class="rb-warn">{}</span>', t("review.evidence", what=what)))
    if words:
        return show.join(words, " ")
    return show.h('<span class="rb-fine">✓ {}</span>', t("review.unchanged", time=standing.since))


def describe_open(open_then: object) -> str:
    """Return what was open when it was signed, in a sentence; "" where nothing was, or it is not known."""
    if not isinstance(open_then, Mapping):
        return ""
    parts = [t(f"review.point_{name}", n=open_then[name]) for name in open_points.POINTS if open_then.get(name)]
    if parts:
        return t("review.signed_with", what="; ".join(parts))
    return ""


# What is open, and the form to sign. Signing reads and hashes everything anew, which the page does not wait for.


def _draw_form(meeting: Meeting) -> None:
    there = board.subjects()
    points = None
    if meeting.audit is not None and meeting.agenda is not None:
        points = open_points.count_open_points(
            meeting.audit, meeting.agenda, meeting.review, len(meeting.summary.stale)
        )
    with st.container(key="sign", border=True):
        show.draw(_build_checklist(points))
        if points is None:
            _await_check()
        st.selectbox(t("review.subject"), list(there), key="sign_subject")
        writer = reviewing.author()
        if not writer.name and not writer.refused:
            st.text_input(t("review.name"), key="name_sign", max_chars=200, autocomplete="name")
        elif writer.source == "asked":
            show.draw(
                show.h(
                    '<p class="rb-small">{}</p><span data-rb-name="{}"></span>',
                    t("review.signs_as", name=writer.name),
                    writer.name,
                )
            )
        label = t("review.sign_anyway" if points and any(points.values()) else "review.sign_now")
        busy = background.find_job(SIGNING, _get_key()) is not None
        st.button(label, key="sign_now", type="primary", disabled=busy, on_click=_begin, args=(points,))
        reviewing.show_outcome("sign", with_name=False)
        with st.expander(t("review.sign_what")):
            show.draw(show.h('<p class="rb-prose">{}</p>', t("review.sign_means")))


def _build_checklist(points: Mapping[str, int] | None) -> Markup:
    ways = {
        "errors": address.href("findings", severity="error"),
        "undecided": address.href("review"),
        "deferred": address.href("review"),
        "notes": address.href("review", view="decided"),
        "stale": "",
    }
    rows = [
        {"n": n, "words": t(f"review.point_{name}", n=n) if n else t(f"review.point_{name}_none"), "href": ways[name]}
        for name, n in (points or {}).items()
    ]
    return render_template(
        "ui/review/checklist.html.jinja",
        title=t("review.before_signing"),
        rows=rows,
        waiting="" if points is not None else t("review.points_waiting"),
        look=t("review.look_there"),
        open_word=t("review.point_open"),
        done_word=t("review.point_done"),
    )


@st.fragment(run_every=1.0)
def _await_check() -> None:
    job = choice.audit_job()
    if job is not None and job.ready.is_set():
        st.rerun()


def _get_key() -> tuple[str, str | None]:
    opened = choice.workspace()
    return str(opened.root), opened.file


def _begin(points: Mapping[str, int] | None) -> None:
    """Begin to sign: what the form says is taken now, and the work goes on in the background."""
    if name := str(st.session_state.get("name_sign") or "").strip():
        reviewing.take_name(name)
    if not reviewing.author().name:
        st.session_state[reviewing.SAID] = ("sign", "", t("review.no_name"))
        return
    if choice.moved():
        st.session_state[reviewing.SAID] = ("sign", "", t("review.moved"))
        return
    opened, chosen = choice.workspace(), board.subjects()[st.session_state["sign_subject"]]
    background.drop(SIGNING)
    work = partial(_collect, opened, chosen, {name: n for name, n in (points or {}).items() if n})
    job = background.ask(SIGNING, _get_key(), work)
    if job.ready.wait(PATIENCE):
        _finish(job)


def _collect(opened: Any, chosen: Subject, points: Mapping[str, int], progress: Any) -> Any:
    signed = signing.collect_signed(opened, chosen, progress)
    return {**signed.payload, **({"open": dict(points)} if points else {})}, signed.texts


def _follow_signing() -> None:
    job = background.find_job(SIGNING, _get_key())
    if job is not None:
        _show_progress()


@st.fragment(run_every=POLL)
def _show_progress() -> None:
    """Draw how far the work is; once it is done, save the sign-off."""
    job = background.find_job(SIGNING, _get_key())
    if job is None:
        return
    if job.ready.is_set():
        _finish(job)
        st.rerun()
    done, total = job.done, job.total
    if total:
        words = t("review.signing", done=done, total=total)
    else:
        words = t("frame.starting")
    st.progress(min(done / total, 1.0) if total else 0.0, words)
    show.draw(show.aloud(words))
    st.button(t("frame.stop"), key="stop_signing", on_click=background.drop, args=(SIGNING,))


def _finish(job: Job) -> None:
    background.drop(SIGNING)
    if isinstance(job.error, (NothingToLock, DatasetChanged)):
        st.session_state[reviewing.SAID] = ("sign", "", t("review.not_saved", why=str(job.error)))
    elif job.error is not None and not isinstance(job.error, signing.Stopped):
        raise job.error
    elif job.result is not None:
        payload, texts = job.result
        reviewing.save("sign", "signoff", payload, texts)
