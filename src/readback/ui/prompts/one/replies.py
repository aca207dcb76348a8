"""What a record expects, beside the answer; what its row is to teach, below; what all their citations come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import streamlit as st

from readback.records.fields import row_fields
from readback.records.training import training_reader
from readback.types import Answer, Assembly, Finding, Location, Record, Segment
from readback.ui.common import show
from readback.ui.common.draw.text import cited, message
from readback.ui.common.state import hits
from readback.ui.prompts.one import cited_numbers
from readback.ui.prompts.one.answer import LINES
from readback.ui.results import record_answers
from readback.ui.results.record_texts import find_reference_field
from readback.words import t


@dataclass(frozen=True, slots=True)
class Reply:
    """A text that answers: its name on the page, its heading, where it is."""

    name: str
    title: str
    text: str
    field: str | None
    place: Location


def find_expected(record: Record) -> Reply | None:
    """Return the answer that a record expects; None where it names none."""
    field = find_reference_field(record.fields)
    if field is None:
        return None
    place = row_fields.locate_field(record, field.name)
    return Reply("reference", t("replies.reference", field=field.name), field.value, field.name, place)


def draw_expected(
    expected: Reply | None, answer: Answer | None, assembly: Assembly, findings: Sequence[Finding]
) -> None:
    """Draw the text that is expected as the `answer` above it is drawn, with the findings about its field; say where
    the two are equal.
    """
    if expected is None:
        return
    is_equal = answer is not None and answer.text == expected.text
    if is_equal:
        size = t("replies.expected_equal")
    else:
        size = t("messages.characters", n=len(expected.text))
    numbered = [(n, f) for n, f in enumerate(findings, 1) if f.place.field == expected.field]
    show.draw(
        show.h(
            '<div class="rb-head"><h3>{}</h3><span class="rb-small">{} · <code>{}</code></span></div>',
            t("replies.expected"),
            size,
            expected.field,
        )
    )
    if cited.on():
        source = cited.source(assembly)
    else:
        source = None
    marked = (
        *message.marks([f for _, f in numbered], [n for n, _ in numbered]),
        *hits.marks(expected.text),
        *cited.marked(expected.text, source),
    )
    if is_equal and not marked:  # the text stands above, byte for byte
        return
    segment = Segment(expected.text, "variable", expected.field, expected.place)
    record_answers.draw_reply(expected.name, expected.title, segment, marked, LINES)


def take(expected: Reply | None, masked: bool) -> None:
    """Draw the ways to take the expected answer along, in the menu of the page."""
    if expected is not None:
        show.draw(show.h('<p class="rb-menu-title">{}</p>', expected.title))
        message.ways_to_take(expected.name, expected.title, expected.text, masked)


def list_taught(record: Record, expected: Reply | None) -> tuple[Reply, ...]:
    """Return the answers that the row of a record is to teach, without the one that is `expected`."""
    return tuple(_list_taught(record, expected))


def draw(
    replies_in_view: Sequence[Reply],
    expected: Reply | None,
    answer: Answer | None,
    assembly: Assembly,
    findings: Sequence[Finding],
    masked: bool,
) -> None:
    """Draw the texts, with the findings about their fields; and with citations switched on the numbers of those, of
    what is `expected` and of the answer, which stand beside the messages.
    """
    if replies_in_view:
        show.draw(show.h('<h2 class="rb-section">{}</h2>', t("replies.title")))
    if cited.on():
        cited_source = cited.source(assembly)
    else:
        cited_source = None
    numbered = list(enumerate(findings, 1))
    sides = st.columns(2, gap="small") if len(replies_in_view) > 1 else [st.container()]
    for number, reply in enumerate(replies_in_view):
        mine = [(n, f) for n, f in numbered if reply.field is not None and f.place.field == reply.field]
        segment = Segment(reply.text, "variable", reply.field or "answer", reply.place)
        with sides[number % len(sides)]:
            message.message(
                reply.name,
                reply.title,
                (segment,),
                [f for _, f in mine],
                [n for n, _ in mine],
                masked,
                source=cited_source,
            )
    replies_with_expected = (*((expected,) if expected is not None else ()), *replies_in_view)
    texts = [(reply.title, reply.text) for reply in replies_with_expected]
    if answer is not None and answer.text is not None:
        texts.append((t("replies.answer_of", condition=answer.condition), answer.text))
    if cited_source is not None and texts:
        show.draw(cited_numbers.tables(texts, cited_source))


def _list_taught(record: Record, expected: Reply | None) -> Iterator[Reply]:
    if row_fields.read_reference(record.fields) is not None:
        return
    row = training_reader.read(record.fields)
    for name, turns in row.answers if row else ():
        for stretch in turns[-1].stretches:
            if expected is None or stretch.field != expected.field:
                place = row_fields.locate_field(record, stretch.field)
                yield Reply(f"reply-{name}", t(f"training_row.{name}"), stretch.text, stretch.field, place)
