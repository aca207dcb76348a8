"""The part of a prompt that is not retrieved text: contexts are found by their segment's name, or by their text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from readback.rules import _stored
from readback.rules._overlap import places
from readback.types import Message, Values

# Names under which records and templates keep what was retrieved; the last is the current Albert program's.
RETRIEVED = re.compile(
    r"(?:^|[._\]])(?:contexts?|documents?|docs|passages?|chunks?|snippets?|retrieved|sources|\w+_chunks|\w+_collection)"
    r"(?:\[\d+\]|\.|$)"
)
STORED = ("rag.prompt", "rag_prompt", "prompt")  # whole prompts that hold contexts
BLOCK = re.compile(r"(?:^|\n)Context:\n(.*)\n\n?Question:", re.DOTALL)  # where a stored prompt keeps them

Spans = list[tuple[int, int]]


def in_message(message: Message, fields: Values) -> Spans:
    """Where a message holds retrieved text, in order."""
    spans: Spans = []
    start = 0
    for segment in message.segments:
        end = start + len(segment.text)
        data = segment.origin in ("variable", "default", "unknown")
        if data and segment.name in STORED:
            spans.extend((start + a, start + b) for a, b in in_stored(segment.text, fields))
        elif data and segment.name and RETRIEVED.search(segment.name):
            spans.append((start, end))
        elif segment.origin == "unknown":
            spans.extend((start + a, start + b) for a, b in in_stored(segment.text, fields))
        start = end
    return merged(spans)


def in_stored(text: str, fields: Values) -> Spans:
    """Where a stored prompt holds the row's contexts; a row that lists none: its block between Context and Question."""
    known = _stored.context_texts(fields)
    if known:
        return merged(span for context in known for span in places(text, context))
    return [match.span(1) for match in BLOCK.finditer(text)]


def merged(spans: Iterable[tuple[int, int]]) -> Spans:
    """The spans in order, those that touch as one."""
    return list(_merge(sorted(spans)))


def _merge(spans: Spans) -> Iterator[tuple[int, int]]:
    if not spans:
        return
    start, end = spans[0]
    for a, b in spans[1:]:
        if a > end:
            yield start, end
            start, end = a, b
        else:
            end = max(end, b)
    yield start, end
