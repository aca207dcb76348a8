"""Which contexts of a record are inside the texts that are sent, and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from readback.checks.facts import stored_prompt
from readback.checks.facts.outside_contexts import RETRIEVED, standing
from readback.checks.facts.overlapping import find
from readback.types import Segment, Values

Sent = Literal["there", "absent", "unknown"]


@dataclass(frozen=True, slots=True)
class Place:
    """One context by its number in the record (from 1): where it is, as offsets into the text of that index.

    `sent` is unknown where it is not there character by character and the texts hold contexts in another form.
    """

    number: int
    sent: Sent
    text: int = 0
    start: int = 0
    end: int = 0


def inside(prompt: str, context: str) -> tuple[int, int] | None:
    """Where a context is in a prompt character by character; the number in front of it may be left out there."""
    if (start := find(prompt, context)) >= 0:
        return start, start + len(context)
    bare = stored_prompt.bare(context)
    return next((span for span in standing(prompt, context) if prompt[slice(*span)].endswith(bare)), None)


def places(fields: Values, texts: Sequence[Sequence[Segment]], whole: bool) -> tuple[Place, ...]:
    """Where each context of a record is in the texts; nothing for a record that lists none.

    `whole`: each context is sent as it is or not at all, so that one which is not found is absent. An object is looked
    for by its longest text.
    """
    contexts = listed(fields)
    strings = ["".join(segment.text for segment in segments) for segments in texts]
    others = not whole and any(_retrieved(segment) for segments in texts for segment in segments)
    found = ((number, context, _text(context)) for number, context in enumerate(contexts, 1))
    return tuple(
        _place(number, text, strings, others or (not whole and isinstance(context, Mapping)))
        for number, context, text in found
        if text
    )


def _place(number: int, context: str, texts: Sequence[str], others: bool) -> Place:
    for index, text in enumerate(texts):
        if span := inside(text, context):
            return Place(number, "there", index, *span)
    return Place(number, "unknown" if others else "absent")


def listed(fields: Values) -> Sequence[Any]:
    """The contexts of a row of the prompt formats; else the first list under a name that records keep them by."""
    if found := stored_prompt.contexts(fields):
        return found[1]
    named = (value for name, value in fields.items() if isinstance(value, list) and RETRIEVED.search(name))
    return next((value for value in named if value), ())


def _text(context: Any) -> str:
    if isinstance(context, Mapping):
        return max(_texts(context), key=len, default="")
    return "" if context is None else str(context).strip()


def _texts(held: Any) -> Iterator[str]:
    if isinstance(held, str):
        yield held.strip()
    elif isinstance(held, Mapping):
        for value in held.values():
            yield from _texts(value)


def _retrieved(segment: Segment) -> bool:
    """Whether a template has written something of what was retrieved, or nobody knows what wrote it."""
    return segment.origin == "unknown" or bool(
        segment.origin == "variable" and segment.name and RETRIEVED.search(segment.name)
    )
