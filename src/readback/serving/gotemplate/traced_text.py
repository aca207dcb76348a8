"""Texts that know where each stretch of them comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

# A number is the caller's own; a pair is a line and column of the template; HERE is the action that prints it, for
# what the template's program writes; None is not known.
Source: TypeAlias = int | tuple[int, int] | None
Piece: TypeAlias = tuple[str, Source]
HERE = -1
SURROGATES = re.compile("[\ud800-\udfff]")
BYTES = re.compile("[\udc80-\udcff]")


class Told(str):
    """A text with its pieces, which join to it."""

    __slots__ = ("pieces",)
    pieces: tuple[Piece, ...]


def clean(text: str) -> str:
    """A text from JSON as Go reads it: half a character is U+FFFD."""
    return SURROGATES.sub("\ufffd", text) if torn(text) else text


def torn(text: str) -> bool:
    """Whether halves of characters, or single bytes of them, are in a text."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def told(pieces: Iterable[Piece]) -> str:
    """The pieces as one text; a plain one where nothing is known of any."""
    kept = tuple(piece for piece in pieces if piece[0])
    if all(source is None for _, source in kept):
        return "".join(text for text, _ in kept)
    value = Told("".join(text for text, _ in kept))
    value.pieces = kept
    return value


def pieces(text: str) -> tuple[Piece, ...]:
    """The pieces of any text."""
    return text.pieces if isinstance(text, Told) else ((text, None),)


def mapped(text: str, change: Callable[[str], str]) -> str:
    """`change` of a text; it keeps its pieces where changing each of them comes to the same."""
    whole = change(str(text))
    if not isinstance(text, Told):
        return whole
    changed = told((change(part), source) for part, source in text.pieces)
    return changed if changed == whole else whole


def encoded(text: str) -> bytes:
    """The bytes of a text: Go's texts are bytes, and one that is no UTF-8 is a lone surrogate here."""
    return text.encode("utf-8", "surrogateescape")


def decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def cut(text: str, start: int, end: int) -> str:
    """The bytes from `start` to `end`; a character may be split."""
    if not isinstance(text, Told):
        return text[start:end] if text.isascii() else decoded(encoded(text)[start:end])
    found: list[Piece] = []
    at = 0
    for part, source in text.pieces:
        data = encoded(part)
        found.append((decoded(data[max(0, start - at) : max(0, end - at)]), source))
        at += len(data)
    return told(found)


def mended(found: Iterable[Piece]) -> list[Piece]:
    """Pieces whose split characters are whole again; a byte that belongs to none becomes U+FFFD."""
    found = list(found)
    if not any(torn(text) for text, _ in found):
        return found
    whole: list[Piece] = []
    for text, source in found:
        if whole and BYTES.match(text) and BYTES.match(whole[-1][0], len(whole[-1][0]) - 1):
            before, other = whole.pop()
            text, source = before + text, source if source == other else None
        whole.append((text, source))
    return [(BYTES.sub("\ufffd", decoded(encoded(text))), source) for text, source in whole]
