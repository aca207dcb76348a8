"""Which stretch of a rendered chat template came from where: as it was followed, else by where its text is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readback.serving.chat.traced import GIVEN, SERVING, UNKNOWN
from readback.types import Message, Origin

SHORTEST = 8  # characters of a text that is looked for: shorter ones stand anywhere


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text. `stretch`: which segment of which message it is of; `line` of the template."""

    text: str
    origin: Origin = "unknown"
    name: str | None = None
    line: int | None = None
    stretch: tuple[int, int] | None = None


def pieces(
    text: str, told: Sequence[Sequence[int]] | None, messages: Sequence[Message], names: Sequence[str]
) -> tuple[Piece, ...]:
    """The text in pieces; `told` are its spans, None where it could not be followed. `names` of the variables."""
    every = [(i, j) for i, message in enumerate(messages) for j in range(len(message.segments))]
    made: list[Piece] = []
    at = 0
    for length, source in told if told is not None else [(len(text), UNKNOWN)]:
        part = text[at : at + length]
        at += length
        if 0 <= source < GIVEN:
            made.append(Piece(part, stretch=every[source]))
        elif source >= GIVEN:
            made.append(Piece(part, "variable", names[source - GIVEN]))
        elif source == UNKNOWN:
            made.append(Piece(part))
        else:
            made.append(Piece(part, "serving", line=SERVING - source or None))
    if any(piece.origin == "unknown" and piece.stretch is None for piece in made):
        made = _looked_for(made, messages)
    return tuple(_together(piece for piece in made if piece.text))


def _together(made: Iterator[Piece]) -> Iterator[Piece]:
    """Neighbours of one source as one; what the server writes without a line goes with what it writes beside it."""
    last: Piece | None = None
    for piece in made:
        joined = last and _both(last, piece)
        if joined:
            last = joined
            continue
        if last:
            yield last
        last = piece
    if last:
        yield last


def _both(one: Piece, other: Piece) -> Piece | None:
    """Both as one, where they are of one source; no `replace` of dataclasses here, which takes most of the time."""
    if one.origin != other.origin or one.name != other.name or one.stretch != other.stretch:
        return None
    if one.line != other.line and one.line and other.line:
        return None
    return Piece(one.text + other.text, one.origin, one.name, one.line or other.line, one.stretch)


def _looked_for(made: list[Piece], messages: Sequence[Message]) -> list[Piece]:
    """The pieces, with texts of messages found in those of unknown origin: whole messages, then their segments."""
    seen = {piece.stretch[0] for piece in made if piece.stretch}
    for i, message in enumerate(messages):
        if i in seen:
            continue
        whole = [(i, j, segment.text) for j, segment in enumerate(message.segments)]
        found = _found(made, whole)
        for one in whole if found is None and len(whole) > 1 else ():
            made = _found(made, [one]) or made
        made = found or made
    return made


def _found(made: list[Piece], parts: list[tuple[int, int, str]]) -> list[Piece] | None:
    """The pieces with these neighbouring parts put in where their text is, if it is at one place only."""
    full = "".join(text for _, _, text in parts)
    for looked in (full, full.strip()):
        if len(looked) < SHORTEST:
            return None
        places = [(n, piece.text.find(looked)) for n, piece in enumerate(made) if _open(piece) and looked in piece.text]
        if len(places) != 1 or sum(piece.text.count(looked) for piece in made) != 1:
            continue
        n, at = places[0]
        around = made[n]
        inner = list(_cut(parts, full.find(looked), len(looked)))
        before, after = around.text[:at], around.text[at + len(looked) :]
        return [*made[:n], replace(around, text=before), *inner, replace(around, text=after), *made[n + 1 :]]
    return None


def _open(piece: Piece) -> bool:
    return piece.origin == "unknown" and piece.stretch is None


def _cut(parts: list[tuple[int, int, str]], start: int, length: int) -> Iterator[Piece]:
    at = 0
    for i, j, text in parts:
        inside = text[max(0, start - at) : max(0, start + length - at)]
        at += len(text)
        if inside:
            yield Piece(inside, stretch=(i, j))
