"""Find the retrieved contexts of a record in what is sent, and the numbers by which an answer may cite them.

Contexts are found by the name of the variable that wrote them, or by their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from readback.checks.facts import stored_prompt
from readback.checks.facts.repetitions import find, find_places
from readback.citations.marks import MARK as MARK
from readback.citations.marks import find_context_marks as find_context_marks
from readback.citations.marks import find_marks as find_marks
from readback.citations.marks import find_other_styles as find_other_styles
from readback.records import record_memo
from readback.types import Assembly, Message, Segment, Values

# Names under which records and templates keep what was retrieved; the last is the current Albert program's.
RETRIEVED = re.compile(
    r"(?:^|[._\]])(?:contexts?|documents?|docs|passages?|chunks?|snippets?|retrieved|sources|\w+_chunks|\w+_collection)"
    r"(?:\[\d+\]|\.|$)"
)
STORED = ("rag.prompt", "rag_prompt", "prompt")  # fields of whole prompts that contain contexts
BLOCK = re.compile(r"(?:^|\n)Context:\n(.*)\n\n?Question:", re.DOTALL)  # where a stored prompt has its contexts
LEADING_NUMBER = re.compile(r"(?:^|(?<=\n))\[\d+\]")  # what a context begins with
# A number in brackets that begins a line, perhaps after a word: [1] text, Source [2]: text.
LABEL = re.compile(r"^[ \t>*#-]*(?:[A-Za-z]+[ \t]+)?\[(\d{1,4})\]", re.MULTILINE)
NUMBER = re.compile(r"\[(\d{1,4})\]")  # a number in brackets anywhere
ELEMENT = re.compile(r"[\w.]+\[\d+\]")  # an element of a list: docs[0], rag.contexts[2]

Spans = list[tuple[int, int]]
State = Literal["there", "absent", "unknown"]


# Spans of contexts in a text


def find_in_message(message: Message, fields: Values) -> Spans:
    """Return the spans of a message that are retrieved text, in order."""
    segments = message.segments  # the same object in every condition that sends the same message
    key = (find_in_message, id(segments))
    return record_memo.remember(fields, key, lambda: (segments, _find_in_segments(segments, fields)))[1]


def _find_in_segments(segments: tuple[Segment, ...], fields: Values) -> Spans:
    spans: Spans = []
    offset = 0
    for segment in segments:
        end = offset + len(segment.text)
        is_data = segment.origin in ("variable", "default", "unknown")
        is_prompt = segment.origin == "unknown" or (is_data and segment.name in STORED)
        if is_data and segment.name not in STORED and segment.name and RETRIEVED.search(segment.name):
            spans.append((offset, end))
        elif is_prompt:
            spans.extend((offset + a, offset + b) for a, b in find_in_prompt(segment.text, fields))
        offset = end
    return _merge_spans(spans)


def find_in_prompt(text: str, fields: Values) -> Spans:
    """Return the spans of a stored prompt that are the row's contexts, each with the number in front of it.

    For a row that lists no contexts: the block between `Context:` and `Question:`.
    """
    return record_memo.remember(fields, (find_in_prompt, text), lambda: _find_in_prompt(text, fields))


def _find_in_prompt(text: str, fields: Values) -> Spans:
    contexts = stored_prompt.list_context_texts(fields)
    if contexts:
        return _merge_spans(span for context in contexts for span in find_context(text, context))
    return [match.span(1) for match in BLOCK.finditer(text)]


def extend_to_number(text: str, start: int) -> int:
    """Return the start of the number in front of a context that begins at `start`, else `start`."""
    line = text.rfind("\n", 0, start) + 1
    number = stored_prompt.NUMBER.match(text[line:start])
    if number and number.end() == start - line:
        return line
    return start


def find_context(text: str, context: str) -> Spans:
    """Return the spans of a context in a prompt: as the row has it, else at the start of a line without its number."""
    spans = [(extend_to_number(text, start), end) for start, end in find_places(text, context)]
    if spans:
        return spans
    without_number = stored_prompt.remove_number(context)
    if not without_number or without_number == context:
        return spans
    spans = [(extend_to_number(text, start), end) for start, end in find_places(text, without_number)]
    return [(start, end) for start, end in spans if text[:start][-1:] in ("", "\n")]


def find_uncertain_ends(text: str, contexts: Iterable[tuple[int, int]]) -> Spans:
    """Return the spans that may be context or not: in each block all after the first line of its last context.

    Only needed if the record lists no contexts.
    """
    context_spans = set(contexts)
    spans: Spans = []
    for match in BLOCK.finditer(text):
        if match.span(1) not in context_spans:
            continue
        start, end = match.span(1)
        last = start
        for number in LEADING_NUMBER.finditer(text, start, end):
            last = number.start()
        line_end = text.find("\n", last, end)
        if line_end >= 0:
            spans.append((line_end, end))
    return spans


def _merge_spans(spans: Iterable[tuple[int, int]]) -> Spans:
    """Return the spans in order, with those that touch or overlap as one."""
    merged: Spans = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


# The place of each context that a record lists


@dataclass(frozen=True, slots=True)
class ContextPlace:
    """The place of a context, with its number in the record (from 1), as offsets into the text of that index.

    `state` is unknown if it is not there character by character and the texts contain contexts in another form.
    """

    number: int
    state: State
    text: int = 0
    start: int = 0
    end: int = 0


def locate_context(prompt: str, context: str) -> tuple[int, int] | None:
    """Return the span of a context in a prompt character by character, perhaps without its number; None if absent."""
    start = find(prompt, context)
    if start >= 0:
        return start, start + len(context)
    without_number = stored_prompt.remove_number(context)
    spans = find_context(prompt, context)
    return next((span for span in spans if prompt[slice(*span)].endswith(without_number)), None)


def locate_contexts(fields: Values, texts: Sequence[Sequence[Segment]], whole: bool) -> tuple[ContextPlace, ...]:
    """Return the place of each context of a record in the texts; nothing for a record that lists none.

    If `whole`, a context is sent as it is or not at all, so that one which is not found is absent. An object is
    searched for by its longest text.
    """
    strings = ["".join(segment.text for segment in segments) for segments in texts]
    has_other_forms = not whole and any(_may_be_retrieved(segment) for segments in texts for segment in segments)
    places = []
    for number, context in enumerate(list_contexts(fields), 1):
        text = get_context_text(context)
        if text:
            is_uncertain = has_other_forms or (not whole and isinstance(context, Mapping))
            places.append(_find_place(number, text, strings, is_uncertain))
    return tuple(places)


def _find_place(number: int, context: str, texts: Sequence[str], is_uncertain: bool) -> ContextPlace:
    for index, text in enumerate(texts):
        span = locate_context(text, context)
        if span:
            return ContextPlace(number, "there", index, *span)
    return ContextPlace(number, "unknown" if is_uncertain else "absent")


def list_contexts(fields: Values) -> Sequence[Any]:
    """Return the contexts of a row of the prompt formats, else the first list under a usual name for contexts."""
    field = stored_prompt.find_contexts(fields)
    if field:
        return field[1]
    lists = (value for name, value in fields.items() if isinstance(value, list) and RETRIEVED.search(name))
    return next((value for value in lists if value), ())


def get_context_text(context: Any) -> str:
    """Return the text of a context, of an object its longest one; "" where it has none."""
    if isinstance(context, Mapping):
        return max(_list_texts(context), key=len, default="")
    if context is None:
        return ""
    return str(context).strip()


def _list_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value.strip()
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _list_texts(item)


def _may_be_retrieved(segment: Segment) -> bool:
    """Return whether a template wrote something that was retrieved, or the writer is not known."""
    if segment.origin == "unknown":
        return True
    return segment.origin == "variable" and bool(segment.name) and bool(RETRIEVED.search(segment.name or ""))


# The numbers of contexts


def find_sent_numbers(fields: Values, assembly: Assembly) -> frozenset[int] | None:
    """Return the numbers of the contexts that were sent: those written before them, else 1 to their count.

    None if that cannot be known: the record lists no contexts and the messages number none, or contexts were sent in
    another form than the record has them.
    """
    if not assembly.messages:
        return None
    messages = [message for message in assembly.messages if message.role != "assistant"]
    labels = frozenset(int(hit[1]) for message in messages for hit in LABEL.finditer(message.text))
    places = locate_contexts(fields, [message.segments for message in messages], whole=False)
    count = sum(place.state == "there" for place in places)
    if labels and len(labels) >= count:
        return labels
    if labels:
        # Contexts that follow each other on one line have labels that begin no line.
        return frozenset(int(hit[1]) for message in messages for hit in NUMBER.finditer(message.text))
    if not places:
        return None
    if any(place.state == "unknown" for place in places):
        elements = _list_elements(messages)
        # a number beyond the record's own is wrong anyway
        if elements is None:
            count = len(places)
        else:
            count = len(elements)
    return frozenset(range(1, count + 1))


def _list_elements(messages: Sequence[Message]) -> frozenset[str] | None:
    """Return the elements of lists of contexts that a template wrote (`docs[0]`); None if it wrote other things."""
    elements: set[str] = set()
    for message in messages:
        for segment in message.segments:
            if segment.origin == "unknown":
                return None
            if segment.origin != "variable" or not segment.name or not RETRIEVED.search(segment.name):
                continue
            element = ELEMENT.match(segment.name)
            if element is None:
                return None
            elements.add(element[0])
    return frozenset(elements)
