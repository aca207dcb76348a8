"""The reference of a record, exactly; and what its citations and those of the answer come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import streamlit as st

from readback.records.fields import row_fields
from readback.records.training import training_reader
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


def replies(record: Record) -> tuple[Reply, ...]:
    """Return the reference of the record, and the answers that its row is to teach."""
    return tuple(_replies(record))


def draw(
    replies_in_view: Sequence[Reply],
    answer: Answer | None,
    assembly: Assembly,
    findings: Sequence[Finding],
    masked: bool,
) -> None:
    """Draw the texts, with the findings about their fields; and with citations switched on the numbers of those and
    of the answer, which stands beside the messages.
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
    texts = [(reply.title, reply.text) for reply in replies_in_view]
    if answer is not None and answer.text is not None:
        texts.append((t("replies.answer_of", condition=answer.condition), answer.text))
    if cited_source is not None and texts:
        show.draw(cited_numbers.tables(texts, cited_source))


def _replies(record: Record) -> Iterator[Reply]:
    if row_fields.read_reference(record.fields) is None:
        row = training_reader.read(record.fields)
    else:
        row = None
    for name, turns in row.answers if row else ():
        for stretch in turns[-1].stretches:
            place = row_fields.locate_field(record, stretch.field)
            yield Reply(f"reply-{name}", t(f"training_row.{name}"), stretch.text, stretch.field, place)
    if (field := row_fields.read_reference(record.fields)) is not None:
        place = row_fields.locate_field(record, field.name)
        yield Reply("reference", t("replies.reference", field=field.name), field.value, field.name, place)
