"""The named parts of a message: what a reader calls the stretches that variables, adapters and others wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readback.types import Message, Segment

# What the built-in prompt formats call their two fields; their texts say Question: and Context:.
BUILT = {"instruction": "the question", "contexts": "the context"}
FIXED = {"adapter": "the adapter's text", "instruction": "the user instruction", "serving": "the server's text"}
LONGEST = 60  # characters of a name
WRITTEN = ("system", "task", "template", "joiner", "unknown")  # by hand, and by nobody who has a name


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a message's text that goes by one name."""

    name: str
    start: int
    end: int


def parts(message: Message) -> tuple[Part, ...]:
    """The named parts in the order of the text; one part spans neighbours of one name and the blanks between them.

    A text that is one variable from end to end (a stored prompt) has none: the name would say nothing about a place.
    """
    built = any(s.origin == "template" and (s.name or "").endswith(" format") for s in message.segments)
    found: list[Part] = []
    at, whole = 0, True  # whole: nothing but blanks since the last part
    for segment in message.segments:
        end = at + len(segment.text)
        name = _name(segment, built)
        if name is None:
            whole = whole and not segment.text.strip()
        elif segment.text:
            start = found.pop().start if found and whole and found[-1].name == name else at
            found.append(Part(name, start, end))
            whole = True
        at = end
    return () if [(one.start, one.end) for one in found] == [(0, at)] else tuple(found)


def holding(named: Sequence[Part], start: int, end: int) -> Part | None:
    """The part a stretch lies in."""
    return next((one for one in named if one.start <= start and end <= one.end), None)


def within(named: Sequence[Part], start: int, end: int) -> tuple[Part, ...]:
    """The parts that a stretch holds whole."""
    return tuple(one for one in named if start <= one.start and one.end <= end)


def variable(name: str) -> str:
    """What a reader calls a variable: rag.contexts[2] is the contexts."""
    plain = name.partition("[")[0].rpartition(".")[2][:LONGEST]
    return f"the {plain}" if plain.isalpha() and plain.islower() else f"the variable {plain}"


def _name(segment: Segment, built: bool) -> str | None:
    if segment.origin in WRITTEN:
        return None
    if segment.origin in FIXED:
        return FIXED[segment.origin]
    plain = (segment.name or "").partition("[")[0].rpartition(".")[2]
    return BUILT[plain] if built and plain in BUILT else variable(segment.name or "value")
