"""The room Review: what is open, what was decided, what was signed and still holds or not; the tabs between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import streamlit as st
from markupsafe import Markup

from readback.checks.summary import Audit
from readback.html.templates import render_template
from readback.readers.files.cache_folder import uploaded
from readback.review.agenda import Agenda, Item, build_agenda
from readback.review.open_points import count_open_points
from readback.review.state import Review
from readback.scores.table import ScoreTable
from readback.ui.common import address, show
from readback.ui.common.draw import reviewing
from readback.ui.common.draw.head import present
from readback.ui.common.state import choice
from readback.ui.results import choices
from readback.ui.review import agenda_items, board, changes_since, held, report_form
from readback.ui.review.held import Standings, Summary
from readback.words import t

OPEN, DECIDED, SIGNED = VIEWS = ("open", "decided", "signed")
PATIENCE = 0.4  # seconds that a view which can do without the check waits for it


@dataclass(frozen=True, slots=True)
class Meeting:
    """What the room knows of the study now. `agenda` and `audit` are None while the check runs, on a view that does not
    need them.
    """

    review: Review
    summary: Summary
    standings: Standings
    since: changes_since.Known
    audit: Audit | None
    agenda: Agenda | None
    table: ScoreTable | None


def get_view() -> str:
    """Return the view in the address; the first one where it names none that there is."""
    view = st.query_params.get("view", OPEN)
    if view in VIEWS:
        return view
    return OPEN


def gather(view: str) -> Meeting:
    """Gather what the views show. Only the first one waits for the check of the study."""
    review, opened = reviewing.state(), choice.workspace()
    audit = choice.audit() if view == OPEN or present.on() else _find_audit()
    since = changes_since.find_changes(review)
    table, agenda = None, None
    if audit is not None:
        if opened.scores:
            table = choices.load_table(opened)
        else:
            table = None
        agenda = build_agenda(opened, audit, table, review, date.today(), since.changes)
    standings = held.find_standings(review)
    return Meeting(review, held.sum_up(review, standings), standings, since, audit, agenda, table)


def _find_audit() -> Audit | None:
    job = choice.audit_job()
    if job is None or not job.ready.wait(PATIENCE) or job.error is not None:
        return None
    if isinstance(job.result, Audit):
        return job.result
    return None


def draw_head(view: str, meeting: Meeting) -> None:
    """Draw the tabs with their counts, what is at hand on each of them, and whether what was signed still holds."""
    with st.container(key="review_top", horizontal=True, vertical_alignment="bottom", gap="small"):
        if view != OPEN or not present.on():  # an item is presented by itself
            _draw_tabs(view, meeting)
        if not present.on():
            _draw_tools(view, meeting)
    board.draw_faults(meeting.review)
    reviewing.show_outcome("board")
    if not present.on():
        show.draw(board.lead(meeting.summary, view))
        if view == OPEN and reviewing.broken() is None:
            show.draw(_build_lead(meeting))
    if uploaded(choice.workspace().root):
        show.notice(t("review.of_upload"))
    if not meeting.review.sequence:
        board.former(choice.workspace())


def _count_open(meeting: Meeting) -> Mapping[str, int]:
    """Return what is open before somebody signs, by its kind; nothing while it is not known."""
    if meeting.agenda is None or meeting.audit is None:
        return {}
    points = count_open_points(meeting.audit, meeting.agenda, meeting.review, len(meeting.summary.stale))
    return {name: n for name, n in points.items() if n}


def _build_lead(meeting: Meeting) -> Markup:
    """Say what stands between the study and its sign-off, and that none of it blocks signing."""
    if meeting.agenda is None:
        return Markup("")
    points = _count_open(meeting)
    if not points:
        return show.h('<p class="rb-before-sign">{}</p>', t("agenda.nothing_before_signing"))
    about_errors = sum(_is_about_errors(item) for item in meeting.agenda.open)
    counts = []
    for name, n in points.items():
        if name == "undecided" and about_errors and "errors" in points:
            counts.append(t("review.point_undecided_errors", n=n, k=about_errors, errors=points["errors"]))
        elif name != "errors" or not about_errors:
            counts.append(t(f"review.point_{name}", n=n))
    parts = [show.h("<strong>{}</strong>", words) for words in counts]
    what = show.join([show.join(parts[:-1], ", "), parts[-1]] if len(parts) > 1 else parts, t("agenda.and"))
    return show.h(
        '<p class="rb-before-sign">{} {}. <span class="rb-small">{}</span></p>',
        t("agenda.before_signing"),
        what,
        t("agenda.not_blocked"),
    )


def _is_about_errors(item: Item) -> bool:
    """Tell whether an item is about errors: those of one rule, or those that make a comparison unfair."""
    return item.severity == "error" or (item.verdict is not None and item.verdict.kind == "unfair")


def _build_way_to_sign(meeting: Meeting) -> Markup:
    """Return the link to where is signed; its words say where something is open still."""
    return show.link("review", t("review.sign_anyway" if _count_open(meeting) else "agenda.sign_off"), view=SIGNED)


def _draw_tabs(view: str, meeting: Meeting) -> None:
    tabs = [
        {
            "href": address.href("review", view=None if name == OPEN else name),
            "label": label,
            "current": name == view,
            "stale": name == SIGNED and bool(meeting.summary.stale),
        }
        for name, label in _list_labels(meeting)
    ]
    show.draw(
        render_template("ui/review/tabs.html.jinja", tabs=tabs, label=t("review.views"), stale=t("review.stale_word"))
    )


def _list_labels(meeting: Meeting) -> list[tuple[str, str]]:
    decided = sum(entry.in_force and not entry.deferred for entry in meeting.review.decisions)
    if meeting.agenda:
        still_open = t("review.view_open_n", n=len(meeting.agenda.open))
    else:
        still_open = t("review.view_open")
    signed = t("review.view_signed_n", n=meeting.summary.signed)
    return [(OPEN, still_open), (DECIDED, t("review.view_decided_n", n=decided)), (SIGNED, signed)]


def _draw_tools(view: str, meeting: Meeting) -> None:
    """Draw what can be begun on every tab: a note on the study, an item of one's own, the report, and to sign off."""
    writable = reviewing.broken() is None
    if writable:
        board.note()
        agenda_items.add(meeting.review)
    report_form.draw()
    if writable and view != SIGNED:
        look = "rb-to-sign"
        if _count_open(meeting):
            look += " rb-to-sign-open"
        show.draw(show.h('<p class="{}">{}</p>', look, _build_way_to_sign(meeting)))
