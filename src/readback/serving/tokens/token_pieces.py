"""A text cut where tokens meet, in characters, when tokens count in bytes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

Span = tuple[int, int]  # the first character and the one beyond the last


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of whole characters and the ids of its tokens.

    Most stretches are one token. A character of several tokens is one stretch with all of them, and what no token
    stands for (blanks that a tokenizer drops) a stretch without any. `special`: one that is not a text to the model.
    """

    start: int
    end: int
    ids: tuple[int, ...]
    special: bool = False

    @property
    def id(self) -> int | None:
        """The token's id where the stretch is one token."""
        return self.ids[0] if len(self.ids) == 1 else None


def whole(text: str) -> str:
    """The text as a tokenizer takes it: a lone surrogate, which UTF-8 cannot say, as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


def from_bytes(text: str, tokens: Iterable[tuple[int, bytes, bool]], *, composed: bool) -> Iterator[Piece]:
    """The pieces of a text whose tokens (id, bytes, special) follow each other; `composed`: they spell its NFC."""
    borders = _borders(text, composed=composed)
    start, end = 0, 0
    held: list[int] = []
    for number, spelt, special in tokens:
        held.append(number)
        end += len(spelt)
        if (at := borders[end]) > start:
            yield Piece(start, at, tuple(held), special)
            start, held = at, []


def from_spans(size: int, tokens: Iterable[tuple[int, int, int, bool]]) -> Iterator[Piece]:
    """The pieces of a text of `size` characters; its tokens (id, start, end, special) may overlap or leave gaps.

    Tokens without a character of their own go with the stretch before them.
    """
    start, end, mark = 0, 0, False
    held: list[int] = []
    for number, first, last, special in tokens:
        if first >= end and last > first:
            yield from _piece(start, end, held, mark)
            yield from _piece(end, first, (), False)
            start, held, mark = first, [], special
        held.append(number)
        end = max(end, last)
    yield from _piece(start, end, held, mark)
    yield from _piece(end, size, (), False)


def shares(pieces: Iterable[Piece], sizes: Sequence[int]) -> tuple[int, ...]:
    """How many tokens begin in each of the parts that lie one after the other, `sizes` characters long."""
    counts, ends, at = [0] * len(sizes), tuple(accumulate(sizes)), 0
    for piece in pieces:
        while at < len(ends) - 1 and ends[at] <= piece.start:
            at += 1
        if counts:
            counts[at] += len(piece.ids)
    return tuple(counts)


def _piece(start: int, end: int, ids: Sequence[int], special: bool) -> Iterator[Piece]:
    if end > start or ids:
        yield Piece(start, end, tuple(ids), special)


def _borders(text: str, *, composed: bool) -> Sequence[int]:
    """For each byte offset the character that begins there, counted in `text`; 0 inside a character."""
    if text.isascii():
        return range(len(text) + 1)
    borders, at = [0], 0
    for run in _runs(text) if composed and not unicodedata.is_normalized("NFC", text) else text:
        spelt = unicodedata.normalize("NFC", run) if composed else run
        at += len(run)
        borders.extend([0] * (len(spelt.encode()) - 1))
        borders.append(at)
    return borders


def _runs(text: str) -> Iterator[str]:
    """Stretches of a text that are composed without a look at their neighbours."""
    start = 0
    for at in range(1, len(text)):
        char = text[at]
        if char.isascii() or (unicodedata.combining(char) == 0 and _apart(text[start:at], char)):
            yield text[start:at]
            start = at
    if text:
        yield text[start:]


def _apart(before: str, char: str) -> bool:
    """Whether a character that starts anew also stays alone: Korean jamo and some vowel signs do not."""
    joined = unicodedata.normalize("NFC", before + char)
    return joined == unicodedata.normalize("NFC", before) + unicodedata.normalize("NFC", char)
