"""Find where a text of a message is in the model input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from readback.types import ModelInput, Segment

LONG = 16  # characters from which an equal text in the template itself is hardly a coincidence

Span = tuple[int, int]


def locate_segments(model_input: ModelInput) -> Iterator[tuple[Segment, int, int]]:
    """Yield the segments with the offsets at which they begin and end."""
    at = 0
    for segment in model_input.segments:
        yield segment, at, at + len(segment.text)
        at += len(segment.text)


def find_text(model_input: ModelInput, text: str, foreign_segments: Iterable[Segment] = ()) -> list[Span]:
    """Return every place where a system text is, from left to right.

    Places in the texts of `foreign_segments` (the question's and the answer's) do not count, nor does a short text that
    only the template writes.
    """
    foreign_sources = {_get_source(segment) for segment in foreign_segments}
    spans: list[Span] = []
    if text:
        start = model_input.text.find(text)
    else:
        start = -1
    while start >= 0:
        end = start + len(text)
        covered = [segment for segment, first, last in locate_segments(model_input) if first < end and last > start]
        is_from_message = len(text) >= LONG or all(segment.origin != "serving" for segment in covered)
        if is_from_message and not any(_get_source(segment) in foreign_sources for segment in covered):
            spans.append((start, end))
        start = model_input.text.find(text, end)
    return spans


def _get_source(segment: Segment) -> tuple[object, ...]:
    return segment.origin, segment.name, segment.place
