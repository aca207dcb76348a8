"""Keep with each stretch of a text where it comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

# A number is the caller's own; a pair is a line and column of the template; ACTION stands for the action that prints
# the text, where the template's program writes it; None is unknown.
Source: TypeAlias = int | tuple[int, int] | None
Piece: TypeAlias = tuple[str, Source]
ACTION = -1
SURROGATES = re.compile("[\ud800-\udfff]")
BYTES = re.compile("[\udc80-\udcff]")


class TracedText(str):
    """Represent a text that is made of pieces, each with its source."""

    __slots__ = ("pieces",)
    pieces: tuple[Piece, ...]


def replace_surrogates(text: str) -> str:
    """Replace each half of a character by U+FFFD, as Go does when it reads JSON."""
    if has_surrogates(text):
        return SURROGATES.sub("\ufffd", text)
    return text


def has_surrogates(text: str) -> bool:
    """Return whether a text contains halves of characters, or single bytes of them."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def join_pieces(pieces: Iterable[Piece]) -> str:
    """Join pieces into one text; a plain string if the source of every piece is unknown."""
    filled = tuple(piece for piece in pieces if piece[0])
    if all(source is None for _, source in filled):
        return "".join(text for text, _ in filled)
    value = TracedText("".join(text for text, _ in filled))
    value.pieces = filled
    return value


def list_pieces(text: str) -> tuple[Piece, ...]:
    """Return the pieces of any text."""
    if isinstance(text, TracedText):
        return text.pieces
    return ((text, None),)


def map_text(text: str, change: Callable[[str], str]) -> str:
    """Apply `change` to a text; the pieces survive where changing each of them gives the same text."""
    whole = change(str(text))
    if not isinstance(text, TracedText):
        return whole
    changed = join_pieces((change(part), source) for part, source in text.pieces)
    if changed == whole:
        return changed
    return whole


def encode_text(text: str) -> bytes:
    """Return the bytes of a text, in which a lone surrogate stands for a byte that is not UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def decode_bytes(data: bytes) -> str:
    """Return the text of bytes; a byte that is not UTF-8 becomes a lone surrogate."""
    return data.decode("utf-8", "surrogateescape")


def slice_bytes(text: str, start: int, end: int) -> str:
    """Return the bytes from `start` to `end` as text; a character may be split."""
    if not isinstance(text, TracedText):
        if text.isascii():
            return text[start:end]
        return decode_bytes(encode_text(text)[start:end])
    parts: list[Piece] = []
    at = 0
    for part, source in text.pieces:
        data = encode_text(part)
        parts.append((decode_bytes(data[max(0, start - at) : max(0, end - at)]), source))
        at += len(data)
    return join_pieces(parts)


def repair_characters(parts: Iterable[Piece]) -> list[Piece]:
    """Join split characters across pieces again; a byte that belongs to none becomes U+FFFD."""
    parts = list(parts)
    if not any(has_surrogates(text) for text, _ in parts):
        return parts
    repaired: list[Piece] = []
    for text, source in parts:
        if repaired and BYTES.match(text) and BYTES.match(repaired[-1][0], len(repaired[-1][0]) - 1):
            previous_text, previous_source = repaired.pop()
            text = previous_text + text
            if source != previous_source:
                source = None
        repaired.append((text, source))
    return [(BYTES.sub("\ufffd", decode_bytes(encode_text(text))), source) for text, source in repaired]
