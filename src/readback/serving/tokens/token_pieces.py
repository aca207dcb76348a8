"""Split a text where tokens meet, in characters, although tokens consist of bytes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

Span = tuple[int, int]  # the first character and the one beyond the last


@dataclass(frozen=True, slots=True)
class Piece:
    """Hold a stretch of whole characters and the ids of its tokens.

    Most stretches are one token. A character of several tokens is one stretch with all of them; a stretch without a
    token holds blanks that a tokenizer drops. `special`: the model does not read it as text.
    """

    start: int
    end: int
    ids: tuple[int, ...]
    special: bool = False

    @property
    def id(self) -> int | None:
        """Return the token's id if the stretch is one token."""
        if len(self.ids) == 1:
            return self.ids[0]
        return None


def replace_surrogates(text: str) -> str:
    """Return the text as a tokenizer takes it: a lone surrogate, which UTF-8 cannot encode, becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


def split_by_bytes(text: str, tokens: Iterable[tuple[int, bytes, bool]], *, composed: bool) -> Iterator[Piece]:
    """Yield the pieces of a text from consecutive tokens (id, bytes, special).

    `composed`: the tokens spell the text's NFC.
    """
    borders = _find_borders(text, composed=composed)
    start, end = 0, 0
    ids: list[int] = []
    for number, token_bytes, special in tokens:
        ids.append(number)
        end += len(token_bytes)
        border = borders[end]
        if border > start:
            yield Piece(start, border, tuple(ids), special)
            start, ids = border, []


def split_by_spans(size: int, tokens: Iterable[tuple[int, int, int, bool]]) -> Iterator[Piece]:
    """Yield the pieces of a text of `size` characters; its tokens (id, start, end, special) may overlap or leave gaps.

    Tokens without a character belong to the stretch before them.
    """
    start, end, mark = 0, 0, False
    ids: list[int] = []
    for number, first, last, special in tokens:
        if first >= end and last > first:
            yield from _build_piece(start, end, ids, mark)
            yield from _build_piece(end, first, (), False)
            start, ids, mark = first, [], special
        ids.append(number)
        end = max(end, last)
    yield from _build_piece(start, end, ids, mark)
    yield from _build_piece(end, size, (), False)


def count_by_part(pieces: Iterable[Piece], sizes: Sequence[int]) -> tuple[int, ...]:
    """Return how many tokens begin in each of the consecutive parts, `sizes` characters long."""
    counts, ends, at = [0] * len(sizes), tuple(accumulate(sizes)), 0
    for piece in pieces:
        while at < len(ends) - 1 and ends[at] <= piece.start:
            at += 1
        if counts:
            counts[at] += len(piece.ids)
    return tuple(counts)


def _build_piece(start: int, end: int, ids: Sequence[int], special: bool) -> Iterator[Piece]:
    if end > start or ids:
        yield Piece(start, end, tuple(ids), special)


def _find_borders(text: str, *, composed: bool) -> Sequence[int]:
    """Return for each byte offset the character that begins there, counted in `text`; 0 inside a character."""
    if text.isascii():
        return range(len(text) + 1)
    borders, at = [0], 0
    needs_composing = composed and not unicodedata.is_normalized("NFC", text)
    for run in _split_runs(text) if needs_composing else text:
        if composed:
            composed_run = unicodedata.normalize("NFC", run)
        else:
            composed_run = run
        at += len(run)
        borders.extend([0] * (len(composed_run.encode()) - 1))
        borders.append(at)
    return borders


def _split_runs(text: str) -> Iterator[str]:
    """Yield stretches of a text that are composed independently of their neighbours."""
    start = 0
    for at in range(1, len(text)):
        char = text[at]
        if char.isascii() or (unicodedata.combining(char) == 0 and _stays_alone(text[start:at], char)):
            yield text[start:at]
            start = at
    if text:
        yield text[start:]


def _stays_alone(before: str, char: str) -> bool:
    """Return whether a starting character stays alone: Korean jamo and some vowel signs do not."""
    joined = unicodedata.normalize("NFC", before + char)
    return joined == unicodedata.normalize("NFC", before) + unicodedata.normalize("NFC", char)
