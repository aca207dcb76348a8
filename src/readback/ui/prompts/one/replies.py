"""The reference of a record and what a model answered, exactly; and what their citations come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import streamlit as st

from readback.records import row_fields, training_reader
from readback.types import Answer, Assembly, Finding, Location, Record, Segment
from readback.ui.common import show
from readback.ui.common.draw import cited, message
from readback.ui.prompts.one import cited_numbers
from readback.words import t


@dataclass(frozen=True, slots=True)
class Reply:
    """A text that answers: its name on the page, its heading, where it is."""

    name: str
    title: str
    text: str
    field: str | None
    place: Location


def replies(record: Record, answer: Answer | None) -> tuple[Reply, ...]:
    """Return the reference of the record, the answers that its row is to teach, and the model's reply."""
    return tuple(_replies(record, answer))


def draw(replies_in_view: Sequence[Reply], assembly: Assembly, findings: Sequence[Finding], masked: bool) -> None:
    """Draw the texts, with the findings about their fields; and with citations switched on the numbers of those."""
    if not replies_in_view:
        return
    show.draw(show.h('<h2 class="rb-section">{}</h2>', t("replies.title")))
    cited_source = cited.source(assembly) if cited.on() else None
    numbered = list(enumerate(findings, 1))
    sides = [st.container()] if len(replies_in_view) == 1 else st.columns(2, gap="small")
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
    if cited_source is not None:
        show.draw(cited_numbers.tables([(reply.title, reply.text) for reply in replies_in_view], cited_source))


def _replies(record: Record, answer: Answer | None) -> Iterator[Reply]:
    row = training_reader.read(record.fields) if row_fields.read_reference(record.fields) is None else None
    for name, turns in row.answers if row else ():
        for stretch in turns[-1].stretches:
            place = row_fields.locate_field(record, stretch.field)
            yield Reply(f"reply-{name}", t(f"training_row.{name}"), stretch.text, stretch.field, place)
    if (field := row_fields.read_reference(record.fields)) is not None:
        place = row_fields.locate_field(record, field.name)
        yield Reply("reference", t("replies.reference", field=field.name), field.value, field.name, place)
    if answer is not None and answer.text is not None:
        title = t("replies.answer", condition=answer.condition)
        yield Reply("answer", title, answer.text, None, answer.place)
