"""Where a text of a message is in what a server made of the messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from readback.types import ModelInput, Segment

LONG = 16  # characters from which a text in the template itself is hardly the same by chance

Span = tuple[int, int]


def placed(model_input: ModelInput) -> Iterator[tuple[Segment, int, int]]:
    """The segments with the offsets at which they begin and end."""
    at = 0
    for segment in model_input.segments:
        yield segment, at, at + len(segment.text)
        at += len(segment.text)


def times(model_input: ModelInput, said: str, others: Iterable[Segment] = ()) -> list[Span]:
    """Every place where a system text is, from left to right.

    What is in the texts of `others` (the question's and the answer's segments) does not count, nor does a short
    text that only the template writes.
    """
    foreign = {_from(one) for one in others}
    found: list[Span] = []
    at = model_input.text.find(said) if said else -1
    while at >= 0:
        end = at + len(said)
        over = [one for one, start, stop in placed(model_input) if start < end and stop > at]
        own = len(said) >= LONG or all(one.origin != "serving" for one in over)
        if own and not any(_from(one) in foreign for one in over):
            found.append((at, end))
        at = model_input.text.find(said, end)
    return found


def _from(segment: Segment) -> tuple[object, ...]:
    return segment.origin, segment.name, segment.place
