"""The strip of the overview: whether the study is signed off, and what stands against it; each a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from readback.checks.groups import Group
from readback.checks.summary import Audit
from readback.html.templates import render_template
from readback.review.agenda import build_agenda, find_last_signoff
from readback.review.state import Review
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import reviewing, sample_words
from readback.ui.review import changes_since, held, room
from readback.words import t

SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of the strip: its words as a link, and how it looks."""

    link: Markup
    looks: str = ""


def draw(
    place: DeltaGenerator, workspace: Workspace, audit: Audit, groups: Sequence[Group], scored: ScoreTable | None
) -> None:
    """Draw the strip."""
    review = reviewing.state()
    since = changes_since.find_changes(review)
    agenda = build_agenda(workspace, audit, scored, review, date.today(), since.changes)
    notes = sum(note.standing == "open" for note in review.notes)
    has_errors = any(group.severity == "error" for group in groups)
    signed, is_waiting = _describe_signed(review, is_open=has_errors or bool(notes or agenda.open))
    cells = [count_faults(audit, groups)]
    if agenda.open:
        cells.insert(has_errors, Cell(show.link("review", t("overview.agenda_items", n=len(agenda.open)))))
    cells.insert(0, signed)
    if notes:
        cells.append(Cell(show.link("review", t("overview.open_notes", n=notes), view=room.DECIDED)))
    with place:
        show.draw(render_template("ui/overview/status.html.jinja", label=t("overview.status"), cells=cells))
        if is_waiting or since.waiting:
            _await()


def count_faults(audit: Audit, groups: Sequence[Group]) -> Cell:
    """Return how many kinds of the gravest faults there are, and in how many places, as Findings counts them."""
    for severity, key in (("error", "faults"), ("warning", "only_warnings"), ("info", "only_notes")):
        kinds = [group for group in groups if group.severity == severity]
        if kinds:
            n, sample = audit.severities.get(severity, 0), audit.sample
            places = t("sample.places_and_files" if sample else "overview.places", n=n)
            if sample:
                bounds = sample_words.bound(sample)
            else:
                bounds = {}
            sentence = t(
                f"sample.{key}" if sample and key != "faults" else f"overview.{key}",
                **{**bounds, "n": len(kinds)},
                places=places,
            )
            sign = show.h(
                '<span class="rb-severity rb-{}" aria-hidden="true">{} </span>', severity, show.SIGNS[severity]
            )
            return Cell(show.link("findings", show.h("{}{}", sign, sentence.removesuffix(".")), severity=severity))
    if audit.sample:
        sentence = t("sample.no_errors", **sample_words.bound(audit.sample))
    else:
        sentence = t("overview.no_errors")
    return Cell(show.link("findings", sentence.removesuffix(".")))


def _describe_signed(review: Review, *, is_open: bool) -> tuple[Cell, bool]:
    """Return what was signed and whether it holds, and whether that is still being worked out. Where nothing was signed
    `is_open` tells that something stands against it.
    """
    signoffs = [signoff for signoff in review.signoffs if signoff.withdrawn is None]
    if not signoffs:
        if is_open:
            return Cell(show.link("review", t("overview.not_signed"), view=room.SIGNED), "rb-status-open"), False
        return Cell(show.link("review", t("overview.not_signed_ready"), view=room.SIGNED)), False
    entries = held.find_standings(review).entries
    standings = [entries[signoff.id].standing for signoff in signoffs]
    last = find_last_signoff(review) or signoffs[-1]
    values = {"n": len(signoffs), "day": last.by.time[:10], "name": last.by.author}
    stale = [signoff for signoff, standing in zip(signoffs, standings, strict=True) if standing and standing.stale]
    if any(standing is None for standing in standings):
        key, looks = "signed_checking", ""
    elif any(standing.unread for standing in standings if standing):
        key, looks = "signed_unread", "rb-warn"
    elif stale:
        key, looks = "signed_stale", "rb-bad"
        values["stale"] = len(stale)
    elif any(standing.evidence for standing in standings if standing):
        key, looks = "signed_evidence", "rb-warn"
    else:
        key, looks = "signed_holds", "rb-fine"
    return Cell(show.link("review", t(f"overview.{key}", **values), view=room.SIGNED), looks), key == "signed_checking"


@st.fragment(run_every=1.0)
def _await() -> None:
    review = reviewing.state()
    if not _describe_signed(review, is_open=False)[1] and not changes_since.find_changes(review).waiting:
        st.rerun()
