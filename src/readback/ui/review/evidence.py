"""The evidence of an item: the marked message, how two prompts differ, the chart, the note, or what changed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext

from markupsafe import Markup

from readback.bookmarks.entry import read_entry
from readback.checks import comparisons
from readback.compare.diff import compare_sides
from readback.compare.sentence import format_sentence
from readback.compare.side import ShownSide, Side, SideError
from readback.compare.sides import show_side
from readback.review import anchors
from readback.review.agenda import Item
from readback.review.concluded import conclude_planned
from readback.review.since import Since
from readback.review.state import Note, Review
from readback.scores import in_view
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Comparison
from readback.scores.drawn_pairs import is_level
from readback.scores.sentences import report
from readback.scores.sentences.report import Line
from readback.scores.table import ScoreTable
from readback.types import Selection
from readback.ui.common import show
from readback.ui.common.draw import verdict
from readback.ui.common.draw.head import present
from readback.ui.common.state import choice
from readback.ui.results import forest, level, means
from readback.ui.review import board, entry_shown, first_lines, marked_message, note_form
from readback.words import t

LINES = 12  # changes that are listed here; the command has all
NEITHER = ("equivalent", "constant")  # verdicts of scores that are known to differ by nothing that matters
FACTS = 3  # sentences about an item that are in view; the others are folded
WAYS = {"compare": "prompts", "scores": "results"}  # where the pages went that items name


def draw(item: Item, review: Review, since: Since | None, table: ScoreTable | None) -> None:
    """Draw the facts of an item, and its evidence; the way to where it is seen in full comes last.

    While presenting, the difference of two prompts is a thing of its own.
    """
    first = _slide("evidence")
    with first:
        _draw_conclusion(item, table)
        if item.findings and item.kind == "finding":
            marked_message.draw(item)
        _draw_facts(item)
        if item.kind == "since":
            _draw_since(since)
        elif item.kind == "note":
            for note in review.notes:
                if item.key == f"note:{note.id}":
                    _draw_note(item, note)
        elif item.kind == "score" and table is not None:
            _draw_chart(item, table)
    if item.verdict is not None:
        _draw_difference_of_texts(item)
    with first:
        if item.kind == "comparison" and table is not None and len(table.columns):
            _draw_difference_of_scores(item, table)
        for entry in (item.entry, *item.entries) if item.kind == "added" else item.entries:
            _draw_entry(entry)
        if item.findings and item.kind != "finding":
            marked_message.draw(item)
        show.draw(show.h('<p class="rb-small">{}</p>', link(item)))


def _slide(name: str) -> AbstractContextManager[object]:
    """Return where a thing is drawn: while presenting, a container that is in sight by itself."""
    if present.on():
        return present.slide(name)
    return nullcontext()


def link(item: Item) -> Markup | str:
    """Return the way to where the evidence is seen in full; nothing where it is all here."""
    if not item.page or item.page == "since":
        return ""
    words = t(f"agenda.see_{item.page}")
    if item.page == "review":
        return show.link("review", words, view="decided")
    query: Mapping[str, str] = {**item.query, "view": "difference"} if item.page == "compare" else item.query
    return show.link(WAYS.get(item.page, item.page), words, **query)


def _draw_facts(item: Item) -> None:
    """Draw the verdict on a comparison with its reason, and what else is known of an item."""
    if item.verdict is not None:
        if present.on():
            reason = verdict.why(item.verdict, brief=True)
            show.draw(show.h('<p class="rb-verdict">{} {}</p>', verdict.word(item.verdict), reason))
        else:
            show.draw(verdict.lines(item.verdict, _list_touching(item)))
        return
    if item.kind == "note" or present.on():
        return  # the note has them itself, and what is presented is one thing
    facts = [*([item.sentence] if item.title and item.kind != "finding" else []), *item.facts]
    if not facts:
        return
    rest = ""
    if len(facts) > FACTS:
        inner = show.join([show.h("<p>{}</p>", fact) for fact in facts[FACTS:]])
        rest = show.h("<details><summary>{}</summary>{}</details>", t("agenda.more_facts"), inner)
    show.draw(show.h('<p class="rb-small">{}</p>{}', " ".join(facts[:FACTS]), rest))


def _list_touching(item: Item) -> tuple[str, ...]:
    """Return which errors and warnings are on a side of a comparison besides what its verdict names."""
    if item.verdict is None:
        return ()
    return tuple(item.facts[len(comparisons.why(item.verdict)) :])


def _draw_conclusion(item: Item, table: ScoreTable | None) -> None:
    """Draw what the scores of a planned comparison support: which side, neither, or no conclusion; and why."""
    if item.verdict is None or table is None or not len(table.columns):
        return
    concluded = conclude_planned(choice.workspace(), table, (item.verdict,)).get(item.verdict.pair)
    if concluded is None:
        return
    conclusion = concluded.conclusion
    warning = means.format_synthetic(table)
    if conclusion.better is not None:
        if warning:
            look = "plain"
        else:
            look = "fine"
        words = t("agenda.favours", name=report.short(concluded.view, conclusion.better))
    elif conclusion.verdict in NEITHER:
        look, words = "plain", t("agenda.favours_neither")
    else:
        look, words = "plain", t("agenda.no_conclusion")
    if conclusion.answer and not present.on():  # what is presented has few words
        if conclusion.better is not None and _find_planned(item, table) is not None:
            headline = ""  # the picture has the criterion and the numbers
        else:
            headline = conclusion.headline
    else:
        headline = ""
    if warning and not present.on():
        badge = show.h('<span class="rb-synthetic" role="note">{}</span><br>', warning)
    else:
        badge = Markup("")
    markup = '<p class="rb-supports">{}<strong class="rb-supports-{}">{}</strong> {}</p>'
    show.draw(show.h(markup, badge, look, words, headline))


# What changed since the last sign-off.


def _draw_since(since: Since | None) -> None:
    if since is None:
        return
    lines = [f"{names}: {words}" for names, words in board.sum_up_lines(since.lines)]
    lines += [t("agenda.new_finding", said=f"{finding.sentence} ({finding.where})") for finding in since.new]
    lines += [t("agenda.gone_finding", said=f"{finding.sentence} ({finding.where})") for finding in since.gone]
    rows = show.join([show.h("<li>{}</li>", line) for line in lines[:LINES]])
    if len(lines) > LINES:
        more = t("agenda.since_more", n=len(lines) - LINES)
    else:
        more = ""
    if any(line.change for line in since.lines):
        show.draw(show.h('<p class="rb-small">{}</p>', t("agenda.sides")))
    show.draw(show.h('<ul class="rb-listed">{}</ul><p class="rb-small">{}</p>', rows, more))


# A planned comparison: the difference of the scores, and that of the two prompts.


def _draw_difference_of_texts(item: Item) -> None:
    b, a = item.subject.names  # in the order of the title, and of Results
    try:
        sides = [show_side(choice.workspace(), Side(Selection(condition=name))) for name in (a, b)]
    except SideError:
        return  # one of them sends nothing, which is the reason above
    difference = compare_sides(*sides)
    sentence = format_sentence(difference)
    with _slide("texts"):
        show.draw(
            show.h(
                '<p class="rb-first-record">{}</p>{}',
                t("agenda.first_record", said=sentence),
                first_lines.build(difference, a, b),
            )
        )


def _draw_difference_of_scores(item: Item, table: ScoreTable) -> None:
    """Draw the planned comparison of an item under the first criterion that has scores of both sides."""
    planned = _find_planned(item, table)
    if planned is not None:
        criterion, line = planned
        _draw_forest(table, criterion, [line], item.verdict.kind if item.verdict is not None else "", item.title)


def _find_planned(item: Item, table: ScoreTable) -> tuple[str, Comparison] | None:
    """Return the planned comparison of an item and its criterion, the first that has scores of both sides."""
    for plan in list_planned(choice.workspace()):
        if {plan.a, plan.b} != set(item.subject.names):
            continue
        for criterion in plan.criteria or tuple(table.criteria):
            lines = [line for line in _list_lines(table, criterion) if line.planned == plan]
            if lines and isinstance(lines[0], Comparison):
                return criterion, lines[0]
    return None


def _list_lines(table: ScoreTable, criterion: str) -> tuple[Line, ...]:
    judge = next(iter(in_view.judges(table, criterion)), None)
    if judge is None:
        return ()
    view = in_view.get_judge_table(table, judge)
    return in_view.of_plan(view, list_planned(choice.workspace()), criterion, judge)


def _draw_chart(item: Item, table: ScoreTable) -> None:
    """Draw the planned comparison that an item is about, under its criterion; all of them where it is about none."""
    criterion = item.query["criterion"]
    lines = list(_list_lines(table, criterion))
    if item.pair is not None:
        sides = {item.pair.a, item.pair.b}
        about = [line for line in lines if line.planned and {line.planned.a, line.planned.b} == sides]
        lines = about or lines
    if lines:
        _draw_forest(table, criterion, lines, title=item.title)


def _draw_forest(table: ScoreTable, criterion: str, lines: list[Line], fairness: str = "", title: str = "") -> None:
    """Draw differences as Results draws them. `fairness` is the kind of the verdict that stands above them, and `title`
    that of the item: neither is said again. Where no score differs, there is no picture, but on how many questions.
    """
    judge = next(iter(in_view.judges(table, criterion)))
    view = in_view.get_judge_table(table, judge)
    if is_level(lines):
        level.draw_pairs(view, choice.workspace(), lines, view.criteria[criterion])
    else:
        forest.draw_picture(view, choice.workspace(), lines, view.criteria[criterion], fairness, title)


# A note with the text it is on, and what somebody put there from a page.


def _draw_note(item: Item, note: Note) -> None:
    show.draw(note_form.draw_note(note))
    if (overdue := t("agenda.overdue", day=note.due)) in item.facts:
        show.draw(show.h('<p class="rb-warn">{}</p>', overdue))
    side = anchors.find_side(note.anchor)
    if side is None:
        return
    try:
        shown_side: ShownSide = show_side(choice.workspace(), side)
    except SideError:
        return  # the note says so
    number = int(note.anchor.get("message", 0))
    if number < len(shown_side.messages):
        marked_message.draw_noted(shown_side.messages[number], note)


def _draw_entry(entry: Mapping[str, object]) -> None:
    if not entry:
        return
    try:
        show.draw(entry_shown.draw(read_entry(entry)))
    except (KeyError, TypeError, ValueError):
        show.notice(t("agenda.unreadable"), "warning")
