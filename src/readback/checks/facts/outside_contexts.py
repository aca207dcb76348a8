"""The part of a prompt that is not retrieved text: contexts are found by their segment's name, or by their text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from readback.checks.facts import stored_prompt
from readback.checks.facts.overlapping import places
from readback.records import record_memo
from readback.types import Message, Segment, Values

# Names under which records and templates keep what was retrieved; the last is the current Albert program's.
RETRIEVED = re.compile(
    r"(?:^|[._\]])(?:contexts?|documents?|docs|passages?|chunks?|snippets?|retrieved|sources|\w+_chunks|\w+_collection)"
    r"(?:\[\d+\]|\.|$)"
)
STORED = ("rag.prompt", "rag_prompt", "prompt")  # whole prompts that hold contexts
BLOCK = re.compile(r"(?:^|\n)Context:\n(.*)\n\n?Question:", re.DOTALL)  # where a stored prompt keeps them
NUMBER = re.compile(r"(?:^|(?<=\n))\[\d+\]")  # what a context begins with

Spans = list[tuple[int, int]]


def in_message(message: Message, fields: Values) -> Spans:
    """Where a message holds retrieved text, in order."""
    parts = message.segments  # the same ones where several conditions send the same
    return record_memo.remember(fields, (in_message, id(parts)), lambda: (parts, _in_message(parts, fields)))[1]


def _in_message(parts: tuple[Segment, ...], fields: Values) -> Spans:
    spans: Spans = []
    start = 0
    for segment in parts:
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
    """Where a stored prompt holds the row's contexts; a row that lists none: its block between Context and Question.

    The number in front of a context is the prompt's or the row's: it belongs to the context in both.
    """
    return record_memo.remember(fields, (in_stored, text), lambda: _in_stored(text, fields))


def _in_stored(text: str, fields: Values) -> Spans:
    known = stored_prompt.context_texts(fields)
    if known:
        return merged(span for context in known for span in standing(text, context))
    return [match.span(1) for match in BLOCK.finditer(text)]


def from_number(text: str, start: int) -> int:
    """Where a context that begins at `start` begins with the number in front of it, if it has one on its line."""
    line = text.rfind("\n", 0, start) + 1
    number = stored_prompt.NUMBER.match(text[line:start])
    return line if number and number.end() == start - line else start


def standing(text: str, context: str) -> Spans:
    """Where a context is in a prompt: as the row has it, else from the beginning of a line without its number."""
    found = [(from_number(text, start), end) for start, end in places(text, context)]
    if found or not (alone := stored_prompt.bare(context)) or alone == context:
        return found
    without = ((from_number(text, start), end) for start, end in places(text, alone))
    return [(start, end) for start, end in without if text[:start][-1:] in ("", "\n")]


def open_ends(text: str, contexts: Iterable[tuple[int, int]]) -> Spans:
    """What may be context and may be not, where no record lists them: behind the first line of a block's last one."""
    known = set(contexts)
    found: Spans = []
    for match in BLOCK.finditer(text):
        if match.span(1) in known:
            start, end = match.span(1)
            last = [number.start() for number in NUMBER.finditer(text, start, end)][-1:] or [start]
            line = text.find("\n", last[0], end)
            if line >= 0:
                found.append((line, end))
    return found


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
