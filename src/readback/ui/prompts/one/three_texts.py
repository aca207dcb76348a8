"""Three texts beside each other: what was trained on, what the model reads, and the messages that both are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readback.compare.texts import Change
from readback.html import exact
from readback.types import Message, Segment
from readback.ui.common import show
from readback.ui.common.draw.text.message import role_title
from readback.ui.prompts.two_texts.compare_rows import WORTH, Fold, Row, Span, rows
from readback.ui.prompts.two_texts.compare_text import Describe, Text, side_by_side
from readback.words import t

AT_ONCE = 60_000  # characters of each column on the page at once


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters [start, end) of message number `message` are in the served text from `at` on."""

    message: int
    start: int
    end: int
    at: int


class Column:
    """The third column: of each row what is in it of the messages; every character of them comes once."""

    def __init__(self, messages: Sequence[Message], served: str, describe: Describe, whitespace: bool) -> None:
        self._messages = messages
        self._texts = [Text(message.segments, describe, whitespace) for message in messages]
        self._left = list(placed(messages, served))

    def take_text(self, span: Span) -> str:
        """Return what belongs to a stretch of the served text; spans are asked for in order."""
        return "".join(self._take_stretches(span[1]))

    def rest(self) -> str:
        """Return what is nowhere in it."""
        return "".join(self._take_stretches(None))

    def _take_stretches(self, until: int | None) -> Iterator[str]:
        while self._left and (until is None or self._left[0].at < until):
            stretch = self._left.pop(0)
            if until is None:
                room = stretch.end
            else:
                room = min(stretch.end, stretch.start + until - stretch.at)
            yield self._html(stretch, stretch.start, room)
            if room < stretch.end:
                self._left.insert(0, Stretch(stretch.message, room, stretch.end, stretch.at + room - stretch.start))

    def _html(self, stretch: Stretch, start: int, end: int) -> str:
        text = self._texts[stretch.message].html((start, end))
        if start:
            return text
        role = show.h('<span class="rb-role">{}</span>', role_title(self._messages[stretch.message].role))
        return f'{role}<div class="rb-said">{text}</div>'


def placed(messages: Sequence[Message], served: str) -> Iterator[Stretch]:
    """Where each message begins in the served text, in order; one that is not there as it is goes with the next."""
    at = 0
    for number, message in enumerate(messages):
        text = message.text
        inner = text.strip()
        offset = served.find(text, at) if text else -1
        before = 0
        if offset < 0 and inner:
            offset, before = served.find(inner, at), text.index(inner)
        if offset < 0:
            yield Stretch(number, 0, len(text), at)
            continue
        yield Stretch(number, 0, len(text), max(offset - before, at))
        at = offset + len(text) - before


def html(
    trained: Sequence[Segment],
    served: Sequence[Segment],
    messages: Sequence[Message],
    changes: Sequence[Change],
    describe: tuple[Describe, Describe],
    *,
    whitespace: bool,
    whole: bool,
    rest: Sequence[Segment] = (),
) -> tuple[str, bool]:
    """Return the rows as HTML, and whether all are shown. `rest` is what the training text goes on with; `describe`
    says where a stretch comes from, in training and elsewhere.
    """
    a, b = (Text(text, by, whitespace) for text, by in zip((trained, served), describe, strict=True))
    third = Column(messages, b.text, describe[1], whitespace)
    bounded_rows, complete = _bounded(list(rows(a.text, b.text, changes, whole=whole)))
    body = side_by_side(a, b, bounded_rows, third.take_text)
    if not complete:
        return body, False
    left = third.rest()
    if left:
        body += _row("", "", left)
    if rest:
        answer = Text(rest, describe[0], whitespace)
        body += _row(
            _answer(answer.html((0, len(answer.text))), len(answer.text)),
            show.h('<em class="rb-small">{}</em>', t("training_text.answers")),
            "",
        )
    return body, True


def _answer(text: str, characters: int) -> str:
    """Return what the training text goes on with; folded where it is long, for it is not compared."""
    if characters <= WORTH:
        return text
    words = exact.text(t("training_text.answer", n=characters))
    return f'<details class="rb-fold"><summary>{words}</summary>{text}</details>'


def _row(a: str, b: str, c: str) -> str:
    names = ("rb-a", "rb-b", "rb-c-cell")
    cells = "".join(f'<div class="rb-cell {name}">{cell}</div>' for name, cell in zip(names, (a, b, c), strict=True))
    return f'<div class="rb-row rb-after">{cells}</div>'


def _bounded(all_rows: Sequence[Row | Fold]) -> tuple[list[Row | Fold], bool]:
    """As many rows as a browser draws at once."""
    bounded_rows: list[Row | Fold] = []
    weight = 0
    for row in all_rows:
        if isinstance(row, Row):
            parts = row.parts
        else:
            parts = (row.part,)
        weight += max(part.a[1] - part.a[0] for part in parts) + max(part.b[1] - part.b[0] for part in parts)
        if bounded_rows and weight > AT_ONCE:
            return bounded_rows, False
        bounded_rows.append(row)
    return bounded_rows, True
