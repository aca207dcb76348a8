"""The message that a finding or a note is about: its exact text with the stretch marked, and its contexts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from readback.checks.facts import contexts, stored_prompt
from readback.checks.facts.contexts import ContextPlace
from readback.checks.groups import paragraphs
from readback.checks.quoted import READ, Quoted, sent_of, where
from readback.html import exact
from readback.html.exact import Mark
from readback.html.templates import render_template
from readback.prompts import assemble
from readback.review.agenda import Item
from readback.review.state import Note
from readback.types import Assembly, Finding, Message, Record, RuleContext, Segment, Selection
from readback.ui.common import show
from readback.ui.common.draw import listing
from readback.ui.common.draw.head import present
from readback.ui.common.draw.text import message, quote
from readback.ui.common.state import choice
from readback.words import sentence, t

LINES, MOST = 30, 3_000  # of a message that is shown whole
AROUND = 700  # characters around the marked stretch of a longer one
CONTEXT = 300  # characters of a context that was not sent
SIGNS = {"there": "✓", "absent": "✗", "unknown": "?"}


@dataclass(frozen=True, slots=True)
class Place:
    """A record with the message that a finding is about, as it is sent."""

    record: Record
    assembly: Assembly
    sent_message: Message


def draw(item: Item) -> None:
    """Draw the first place of an item's findings large; why its rule matters and the other places are folded below."""
    first, *others = item.findings
    show.draw(_build_finding(first, item))
    why = paragraphs(first.code)[1:2]
    if why and not present.on():
        fold = '<details class="rb-small"><summary>{}</summary><p>{}</p></details>'
        show.draw(show.h(fold, t("findings.why_button"), listing.prose(why[0])))
    if others:
        rows = show.join([_build_excerpt(finding) for finding in others])
        show.draw(show.h("<details><summary>{}</summary>{}</details>", t("agenda.places", n=len(others)), rows))


def draw_noted(sent_message: Message, note: Note) -> None:
    """Draw the text that a note is on, with what it marks."""
    start, end = note.anchor.get("start"), note.anchor.get("end")
    marks = (Mark(start, end, 0, "noted", note.text[:200], here=True),) if isinstance(start, int) and end else ()
    show.draw(_build_text(message.role_title(sent_message.role), sent_message.segments, marks))


def _build_finding(finding: Finding, item: Item) -> Markup:
    place = _find_place(finding)
    if place is None:
        return _build_excerpt(finding, with_fix=not present.on())
    at = finding.place
    marks: tuple[Mark, ...] = ()
    if at.start is not None and at.end is not None and at.end > at.start:
        marks = (Mark(at.start, at.end, 0, finding.severity, sentence.finish(finding.message), here=True),)
    if not at.judge:
        strip = _list_contexts(place)
    else:
        strip = []
    marks += tuple(
        Mark(context.start, context.end, 0, "context", t("messages.context", n=context.number))
        for context in (context for context, _ in strip)
        if context.state == "there" and place.assembly.messages[context.text] is place.sent_message
    )
    return render_template(
        "ui/review/marked_message.html.jinja",
        t=t,
        sentence=sentence.finish(finding.message),
        where="" if present.on() else where(at),
        contexts=[{"number": at.number, "sign": SIGNS[at.state], "state": at.state} for at, _ in strip],
        present=sum(context.state == "there" for context, _ in strip),
        text=_build_text(message.role_title(place.sent_message.role), place.sent_message.segments, marks),
        missing=[(number, show.exact_text(text), left) for number, text, left in _list_missing(strip)],
        answers=list(_list_answers(place.record, item, finding)),
        fix=sentence.finish(finding.fix),
    )


def _build_excerpt(finding: Finding, with_fix: bool = False) -> Markup:
    """Return a finding with the stretch it is about, where there is no message to show."""
    if choice.workspace().dataset:
        data = choice.dataset()
    else:
        data = None
    if data is not None:
        part = Quoted(choice.workspace(), data, choice.answer).excerpt(finding)
    else:
        part = None
    advice = show.h('<p class="rb-fix"><strong>{}</strong> {}</p>', t("findings.fix"), sentence.finish(finding.fix))
    return show.h(
        '<div class="rb-evidence"><p>{} {}</p>{}{}<p class="rb-where">{}</p></div>',
        show.severity(finding.severity),
        sentence.finish(finding.message),
        advice if finding.fix and with_fix else "",
        quote.quote(part, finding.severity) if part else "",
        where(finding.place),
    )


def _find_place(finding: Finding) -> Place | None:
    """Return the message that a finding is about; None where it is about none, or about the text a model reads."""
    at, sent = finding.place, sent_of(finding.place)
    if at.index is None or at.role in (None, READ) or sent == Selection() or not choice.workspace().dataset:
        return None
    data = choice.dataset()
    if at.index >= len(data):
        return None
    record = data.record(at.index)
    assembly = assemble.assemble(choice.workspace(), record, sent, choice.answer(sent, record))
    sent_message = next((entry for entry in assembly.messages if entry.role == at.role), None)
    if sent_message is None or (at.end or 0) > len(sent_message.text):
        return None
    return Place(record, assembly, sent_message)


def _build_text(title: str, segments: Sequence[Segment], marks: Sequence[Mark]) -> Markup:
    """Return an exact text: whole where it is short, else the part around the first mark, with what is left out."""
    text = "".join(segment.text for segment in segments)
    start, stop = _find_window(text, marks)
    shifted = [exact.shift_mark(mark, -start) for mark in marks if mark.end > start and mark.start < stop]
    inner = message.markup("evidence", title, exact.cut(segments, start, stop), shifted, start=start)
    before, after = start, len(text) - stop
    return render_template(
        "ui/review/exact_part.html.jinja",
        title=title,
        inner=Markup(inner),  # noqa: S704 (escaped there)
        before=t("findings.left_out", n=before) if before else "",
        after=t("findings.left_out", n=after) if after else "",
    )


def _find_window(text: str, marks: Sequence[Mark]) -> tuple[int, int]:
    if text.count("\n") < LINES and len(text) <= MOST:
        return 0, len(text)
    start = max(min((mark.start for mark in marks), default=0) - AROUND, 0)
    stop = min(len(text), max(max((mark.end for mark in marks[:1]), default=0) + AROUND, start + 2 * AROUND))
    if start:
        line = text.find("\n", start, start + AROUND) + 1
    else:
        line = 0
    return line or start, min(stop, start + MOST)


def _list_contexts(place: Place) -> list[tuple[ContextPlace, str]]:
    """Return the contexts of a record: the place of each in what is sent, and its text."""
    opened, fields = choice.workspace(), place.record.fields
    mode, prompt = stored_prompt.find_sent_prompt(RuleContext(opened, assembly=place.assembly))
    whole = prompt is not None and prompt.syntax == "builder"  # a builder writes each context as it is
    texts = [entry.segments for entry in place.assembly.messages]
    places = contexts.locate_contexts(fields, texts, whole)
    if whole and mode == "instruction" and not any(entry.state == "there" for entry in places):
        return []  # nothing that is missing
    listed = list(contexts.list_contexts(fields))
    return [(entry, _get_words(listed[entry.number - 1])) for entry in places]


def _get_words(context: Any) -> str:
    if isinstance(context, str):
        return context
    if isinstance(context, dict):
        texts = [value for value in context.values() if isinstance(value, str)]
    else:
        texts = []
    return max(texts, key=len, default="")


def _list_missing(strip: Sequence[tuple[ContextPlace, str]]) -> Iterator[tuple[int, str, str]]:
    """Yield the contexts that were not sent: number, text, and how much of it is left out here."""
    for context, text in strip:
        if context.state == "absent" and text:
            left = len(text) - CONTEXT
            yield context.number, text[:CONTEXT], t("findings.left_out", n=left) if left > 0 else ""


def _list_answers(record: Record, item: Item, finding: Finding) -> Iterator[tuple[str, Markup]]:
    """Yield the reference of a record, and what each side of the comparison answered."""
    reference = stored_prompt.find_row_reference(record.fields)
    if reference is not None:
        yield t("agenda.reference"), show.exact_text(reference[1][:CONTEXT])
    names = (item.pair.a, item.pair.b) if item.pair else tuple(filter(None, (finding.place.condition,)))
    for name in names:
        if choice.workspace().condition(name):
            answer = choice.answer(Selection(condition=name), record)
        else:
            answer = None
        if answer is not None and answer.text:
            yield t("agenda.answer_by", name=name), show.exact_text(answer.text[:CONTEXT])
