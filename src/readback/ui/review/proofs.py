"""The proof of an item of the agenda: what changed, the marked text, the chart, the note, or what was put there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from readback.bookmarks.entry import read_entry
from readback.checks.quoted import Quoted, where
from readback.checks.rules import build_finding as said_of
from readback.compare.diff import compare_sides
from readback.compare.sentence import format_sentence
from readback.compare.side import Side, SideError
from readback.compare.sides import show_side
from readback.review import lock_check, lock_file
from readback.review.agenda import Item
from readback.review.since import Since
from readback.review.state import Review
from readback.scores import charts as drawn
from readback.scores import in_view, report
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Comparison
from readback.scores.table import ScoreTable
from readback.types import Finding, Selection
from readback.ui.common import show
from readback.ui.common.draw import quote
from readback.ui.common.state import choice
from readback.ui.results import chart, choices
from readback.ui.review import entry_shown, note_form
from readback.words import t

LINES = 12  # of what changed, that are told here; the command has all


def draw(item: Item, review: Review, since: Since | None, table: ScoreTable | None) -> None:
    """Draw it."""
    if item.kind == "since":
        _since(since)
    elif item.kind == "note":
        for note in review.notes:
            if item.key == f"note:{note.id}":
                show.draw(note_form.draw_note(note))
    elif item.kind == "comparison":
        _difference(item)
    elif item.kind == "added":
        _added(item)
    elif item.kind == "score" and table is not None:
        _chart(item, table)
    for each in item.findings:
        _finding(each)


def link(item: Item) -> object:
    """Return the way to where the proof is seen in full; nothing where it is all here."""
    if not item.page or item.page == "since":
        return ""
    parameters: Mapping[str, str] = item.query if item.page != "review" else {}
    return show.link(item.page, t(f"agenda.see_{item.page}"), **parameters)


def _since(since: Since | None) -> None:
    if since is None:
        return
    lines = [f"{lock_file.format_head(line.subject)}: {lock_check.describe_change(line)}" for line in since.lines]
    lines += [t("agenda.new_finding", said=f"{finding.sentence} ({finding.where})") for finding in since.new]
    lines += [t("agenda.gone_finding", said=f"{finding.sentence} ({finding.where})") for finding in since.gone]
    rows = show.join([show.h("<li>{}</li>", line) for line in lines[:LINES]])
    more = t("agenda.since_more", n=len(lines) - LINES) if len(lines) > LINES else ""
    if any(line.change for line in since.lines):
        show.draw(show.h('<p class="rb-small">{}</p>', t("agenda.sides")))
    show.draw(show.h('<ul class="rb-listed">{}</ul><p class="rb-small">{}</p>', rows, more))


def _difference(item: Item) -> None:
    """Draw how the item's two conditions differ in the first record; nothing where one of them sends nothing."""
    a, b = item.subject.names
    try:
        sides = [show_side(choice.workspace(), Side(Selection(condition=name))) for name in (a, b)]
    except SideError:
        return  # one of them sends nothing, which is said above
    sentence = format_sentence(compare_sides(replace(sides[0], label="A"), replace(sides[1], label="B")))
    show.draw(show.h("<p>{}</p>", t("agenda.first_record", a=a, b=b, said=sentence)))


def _added(item: Item) -> None:
    try:
        if item.entry:
            show.draw(entry_shown.draw(read_entry(item.entry)))
    except (KeyError, TypeError, ValueError):
        show.notice(t("agenda.unreadable"), "warning")


def _finding(finding: Finding) -> None:
    data = choice.dataset() if choice.workspace().dataset else None
    part = Quoted(choice.workspace(), data, choice.answer).excerpt(finding) if data is not None else None
    show.draw(
        show.h(
            '<p>{}</p>{}<p class="rb-where">{}</p>',
            finding.message,
            quote.quote(part, finding.severity) if part else "",
            where(finding.place),
        )
    )


def _chart(item: Item, table: ScoreTable) -> None:
    """Draw the planned comparisons under the item's criterion, as Scores draws them."""
    criterion = item.query["criterion"]
    judge = next(iter(in_view.judges(table, criterion)), None)
    if judge is None:
        return
    view = in_view.get_judge_table(table, judge)
    lines = in_view.of_plan(view, list_planned(choice.workspace()), criterion, judge)
    if not lines:
        return
    name = partial(report.short, view)
    figure = drawn.draw_forest(
        lines,
        [t("report.minus", a=name(each.a), b=name(each.b)) for each in lines],
        view.criteria[criterion],
        choices.say,
        choices.is_dark(),
        explain=lambda why: said_of(why).message,
    )
    sentence = " ".join(
        report.sentence(each, name, view.criteria[criterion]) for each in lines if isinstance(each, Comparison)
    )
    chart.draw_chart(f"agenda_{criterion}", figure, sentence, has_toolbar=False)
