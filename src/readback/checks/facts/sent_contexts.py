"""By which numbers an answer may cite the contexts that its prompt held."""

from __future__ import annotations

import re
from collections.abc import Sequence

from readback.checks.facts import context_places
from readback.checks.facts.outside_contexts import RETRIEVED
from readback.types import Assembly, Message, Values

# A line that a number in brackets begins, with a word before it perhaps: [1] text, Source [2]: text.
LABEL = re.compile(r"^[ \t>*#-]*(?:[A-Za-z]+[ \t]+)?\[(\d{1,4})\]", re.MULTILINE)

NUMBER = re.compile(r"\[(\d{1,4})\]")  # a number in brackets, wherever it stands

ELEMENT = re.compile(r"[\w.]+\[\d+\]")  # one of a list: docs[0], rag.contexts[2]


def listed(fields: Values) -> int:
    """Return how many contexts a record lists."""
    return len(context_places.listed(fields))


def numbers(fields: Values, assembly: Assembly) -> frozenset[int] | None:
    """Return the numbers of the contexts that were sent: those written before them, else 1 to their count.

    None where that cannot be known: the record lists no contexts and the messages number none, or contexts were sent in
    another form than the record has them.
    """
    if not assembly.messages:
        return None
    asked = [message for message in assembly.messages if message.role != "assistant"]
    labels = frozenset(int(hit[1]) for message in asked for hit in LABEL.finditer(message.text))
    places = context_places.places(fields, [message.segments for message in asked], whole=False)
    if labels and len(labels) >= sum(place.sent == "there" for place in places):
        return labels
    if labels:
        # Contexts that follow each other on one line have labels that begin no line.
        return frozenset(int(hit[1]) for message in asked for hit in NUMBER.finditer(message.text))
    if not places:
        return None
    count = sum(place.sent == "there" for place in places)
    if any(place.sent == "unknown" for place in places):
        elements = _elements(asked)
        count = len(places) if elements is None else len(elements)  # a number beyond the record's own is wrong anyway
    return frozenset(range(1, count + 1))


def _elements(messages: Sequence[Message]) -> frozenset[str] | None:
    """Return the elements of lists of contexts that a template wrote (`docs[0]`); None where it wrote other things."""
    written: set[str] = set()
    for message in messages:
        for segment in message.segments:
            if segment.origin == "unknown":
                return None
            if segment.origin != "variable" or not segment.name or not RETRIEVED.search(segment.name):
                continue
            element = ELEMENT.match(segment.name)
            if element is None:
                return None
            written.add(element[0])
    return frozenset(written)
