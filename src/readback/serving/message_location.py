"""Where a text of a message stands in what a server made of the messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from readback.types import Segment, Wire

LONG = 16  # characters from which a text in the template itself is hardly the same by chance

Span = tuple[int, int]


def placed(wire: Wire) -> Iterator[tuple[Segment, int, int]]:
    """The segments with the offsets at which they begin and end."""
    at = 0
    for segment in wire.segments:
        yield segment, at, at + len(segment.text)
        at += len(segment.text)


def times(wire: Wire, said: str, others: Iterable[Segment] = ()) -> list[Span]:
    """Every place where a system text stands, from left to right.

    What stands in the texts of `others` (the question's and the answer's segments) does not count, nor does a short
    text that only the template writes.
    """
    foreign = {_from(one) for one in others}
    found: list[Span] = []
    at = wire.text.find(said) if said else -1
    while at >= 0:
        end = at + len(said)
        over = [one for one, start, stop in placed(wire) if start < end and stop > at]
        own = len(said) >= LONG or all(one.origin != "serving" for one in over)
        if own and not any(_from(one) in foreign for one in over):
            found.append((at, end))
        at = wire.text.find(said, end)
    return found


def _from(segment: Segment) -> tuple[object, ...]:
    return segment.origin, segment.name, segment.place
