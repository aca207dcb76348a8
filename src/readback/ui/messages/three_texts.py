"""Three texts beside each other: what was trained on, what the model reads, and the messages that both are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readback.compare.texts import Change
from readback.html import exact
from readback.types import Message, Segment
from readback.ui.common import show
from readback.ui.common.draw.message import role_title
from readback.ui.compare.compare_rows import WORTH, Fold, Row, Span, rows
from readback.ui.compare.compare_text import Describe, Text, side_by_side
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

    def of(self, span: Span) -> str:
        """What belongs to a stretch of the served text; spans are asked for in order."""
        return "".join(self._taken(span[1]))

    def rest(self) -> str:
        """What is nowhere in it."""
        return "".join(self._taken(None))

    def _taken(self, until: int | None) -> Iterator[str]:
        while self._left and (until is None or self._left[0].at < until):
            one = self._left.pop(0)
            room = one.end if until is None else min(one.end, one.start + until - one.at)
            yield self._html(one, one.start, room)
            if room < one.end:
                self._left.insert(0, Stretch(one.message, room, one.end, one.at + room - one.start))

    def _html(self, one: Stretch, start: int, end: int) -> str:
        text = self._texts[one.message].html((start, end))
        if start:
            return text
        role = show.h('<span class="rb-role">{}</span>', role_title(self._messages[one.message].role))
        return f'{role}<div class="rb-said">{text}</div>'


def placed(messages: Sequence[Message], served: str) -> Iterator[Stretch]:
    """Where each message begins in the served text, in order; one that is not there as it is goes with the next."""
    at = 0
    for number, message in enumerate(messages):
        text = message.text
        inner = text.strip()
        found = served.find(text, at) if text else -1
        before = 0
        if found < 0 and inner:
            found, before = served.find(inner, at), text.index(inner)
        if found < 0:
            yield Stretch(number, 0, len(text), at)
            continue
        yield Stretch(number, 0, len(text), max(found - before, at))
        at = found + len(text) - before


def html(
    trained: Sequence[Segment], served: Sequence[Segment], messages: Sequence[Message], changes: Sequence[Change],
    describe: tuple[Describe, Describe], *, whitespace: bool, whole: bool, rest: Sequence[Segment] = (),
) -> tuple[str, bool]:  # fmt: skip
    """The rows as HTML, and whether all of them are shown. `rest` is what the training text goes on with; `describe`
    says where a stretch comes from, in training and elsewhere.
    """
    a, b = (Text(one, by, whitespace) for one, by in zip((trained, served), describe, strict=True))
    third = Column(messages, b.text, describe[1], whitespace)
    kept, complete = _bounded(list(rows(a.text, b.text, changes, whole=whole)))
    body = side_by_side(a, b, kept, third.of)
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
    """What the training text goes on with; folded where it is long, for it is not compared."""
    if characters <= WORTH:
        return text
    said = exact.text(t("training_text.answer", n=characters))
    return f'<details class="rb-fold"><summary>{said}</summary>{text}</details>'


def _row(a: str, b: str, c: str) -> str:
    names = ("rb-a", "rb-b", "rb-c-cell")
    cells = "".join(f'<div class="rb-cell {name}">{cell}</div>' for name, cell in zip(names, (a, b, c), strict=True))
    return f'<div class="rb-row rb-after">{cells}</div>'


def _bounded(found: Sequence[Row | Fold]) -> tuple[list[Row | Fold], bool]:
    """As many rows as a browser draws at once."""
    kept: list[Row | Fold] = []
    weight = 0
    for one in found:
        parts = one.parts if isinstance(one, Row) else (one.part,)
        weight += max(part.a[1] - part.a[0] for part in parts) + max(part.b[1] - part.b[0] for part in parts)
        if kept and weight > AT_ONCE:
            return kept, False
        kept.append(one)
    return kept, True
