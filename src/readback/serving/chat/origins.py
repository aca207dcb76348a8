"""Find where each stretch of a rendered chat template came from: by its traced source, else by its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readback.serving.chat.traced_text import FIRST_VARIABLE, SERVING, UNKNOWN
from readback.types import Message, Origin

SHORTEST = 8  # characters of a text that is searched for: shorter ones may stand anywhere


@dataclass(frozen=True, slots=True)
class Piece:
    """Hold a stretch of the text.

    `stretch` says of which message and segment it is, `line` where the template wrote it.
    """

    text: str
    origin: Origin = "unknown"
    name: str | None = None
    line: int | None = None
    stretch: tuple[int, int] | None = None


def list_pieces(
    text: str, spans: Sequence[Sequence[int]] | None, messages: Sequence[Message], names: Sequence[str]
) -> tuple[Piece, ...]:
    """Return the text in pieces.

    `spans` are its traced spans, None where tracing failed; `names` are the names of the variables.
    """
    stretches: list[tuple[int, int]] = []
    for i, message in enumerate(messages):
        stretches.extend((i, j) for j in range(len(message.segments)))
    if spans is None:
        spans = [(len(text), UNKNOWN)]
    pieces: list[Piece] = []
    at = 0
    for length, source in spans:
        part = text[at : at + length]
        at += length
        if 0 <= source < FIRST_VARIABLE:
            pieces.append(Piece(part, stretch=stretches[source]))
        elif source >= FIRST_VARIABLE:
            pieces.append(Piece(part, "variable", names[source - FIRST_VARIABLE]))
        elif source == UNKNOWN:
            pieces.append(Piece(part))
        else:
            pieces.append(Piece(part, "serving", line=SERVING - source or None))
    if any(piece.origin == "unknown" and piece.stretch is None for piece in pieces):
        pieces = _search_messages(pieces, messages)
    return tuple(_join_neighbours(piece for piece in pieces if piece.text))


def _join_neighbours(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Yield the pieces with neighbours of one source joined.

    What the server writes without a line is joined to what it writes next to it.
    """
    last: Piece | None = None
    for piece in pieces:
        both = last and _join_two(last, piece)
        if both:
            last = both
            continue
        if last:
            yield last
        last = piece
    if last:
        yield last


def _join_two(first: Piece, second: Piece) -> Piece | None:
    """Return two pieces as one if they are of one source.

    This does not use `replace` of dataclasses, which would take most of the time.
    """
    if first.origin != second.origin or first.name != second.name or first.stretch != second.stretch:
        return None
    if first.line != second.line and first.line and second.line:
        return None
    return Piece(first.text + second.text, first.origin, first.name, first.line or second.line, first.stretch)


def _search_messages(pieces: list[Piece], messages: Sequence[Message]) -> list[Piece]:
    """Return the pieces, with texts of messages located in those of unknown origin.

    Whole messages are searched first, then their segments.
    """
    traced_messages = {piece.stretch[0] for piece in pieces if piece.stretch}
    for i, message in enumerate(messages):
        if i in traced_messages:
            continue
        parts = [(i, j, segment.text) for j, segment in enumerate(message.segments)]
        with_message = _insert_parts(pieces, parts)
        if with_message:
            pieces = with_message
        elif with_message is None and len(parts) > 1:
            for part in parts:
                pieces = _insert_parts(pieces, [part]) or pieces
    return pieces


def _insert_parts(pieces: list[Piece], parts: list[tuple[int, int, str]]) -> list[Piece] | None:
    """Return the pieces with these neighbouring parts put in where their text is, if that is exactly one place."""
    full = "".join(text for _, _, text in parts)
    for target in (full, full.strip()):
        if len(target) < SHORTEST:
            return None
        hits = [n for n, piece in enumerate(pieces) if _is_unknown(piece) and target in piece.text]
        if len(hits) != 1 or sum(piece.text.count(target) for piece in pieces) != 1:
            continue
        n = hits[0]
        whole = pieces[n]
        at = whole.text.find(target)
        inner = _list_parts(parts, full.find(target), len(target))
        before = replace(whole, text=whole.text[:at])
        after = replace(whole, text=whole.text[at + len(target) :])
        return [*pieces[:n], before, *inner, after, *pieces[n + 1 :]]
    return None


def _is_unknown(piece: Piece) -> bool:
    return piece.origin == "unknown" and piece.stretch is None


def _list_parts(parts: list[tuple[int, int, str]], start: int, length: int) -> Iterator[Piece]:
    at = 0
    for i, j, text in parts:
        inside = text[max(0, start - at) : max(0, start + length - at)]
        at += len(text)
        if inside:
            yield Piece(inside, stretch=(i, j))
