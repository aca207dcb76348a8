"""Looks for asm-duplicate-block; its words are in catalogue/en.yml."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from readback.checks.facts.contexts import STORED, Spans, find_in_message
from readback.checks.facts.leaked_texts import OWN, find_folded, find_leaks
from readback.checks.facts.repetitions import blank_out
from readback.checks.facts.text_units import GAP, Words, count_letters, list_word_starts, locate_word, split_words
from readback.records.record_memo import remember
from readback.types import Diagnostic, Location, Message, RuleContext, Segment, Values

PARAGRAPH, PARAGRAPH_LETTERS = 8, 36  # words and letters: shorter lines are often meant to come again
STRETCH = 12  # words of a stretch that follows itself inside a paragraph
RUN = 3  # words: natural text repeats few runs of three
LOOKED = 50_000  # words at the start of a text in which such stretches are looked for: each costs a window of words
BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
MOST = 20  # blocks that are told of one text; more tell nothing more


class Twice(NamedTuple):
    """`text[first[0]:first[1]]` is again at `again`, punctuation, blanks and capitals aside; so many words."""

    first: tuple[int, int]
    again: tuple[int, int]
    words: int


CODE = "asm-duplicate-block"
ON = "assembly"
_NOTE = "Leave a field empty where the text does not say what belongs there."
_FILES = {
    "readback.yml": 'tasks: {parsing: {system: "Extract.", user: "%s"}}\nadapters: [house.yml]\ndataset: data.jsonl\n',
    "data.jsonl": '{"id": "1", "answer": "Nets are handed in on Mondays, washed and cut to lengths of two metres."}\n',
}
PASS = (
    {
        "readback.yml": _FILES["readback.yml"]
        % "{{ answer }}\\n\\nOnce more:\\n\\n{{ answer }}\\n\\nBe brief.\\n\\nBe brief.",
        "data.jsonl": _FILES["data.jsonl"],
        "house.yml": f'tasks: {{parsing: {{system: "{_NOTE}"}}}}\n',
    },
)
FAIL = (
    {
        "readback.yml": _FILES["readback.yml"] % "{{ answer }}",
        "data.jsonl": _FILES["data.jsonl"],
        "house.yml": f'tasks: {{parsing: [{{system: "{_NOTE}"}}, {{system: "{_NOTE}"}}]}}\n',
    },
    {
        "readback.yml": _FILES["readback.yml"] % f"{_NOTE}\\n\\n{{{{ answer }}}}",
        "data.jsonl": _FILES["data.jsonl"],
        "house.yml": f'tasks: {{parsing: {{user: "{_NOTE.upper()}"}}}}\n',
    },
)

DATA = ("variable", "default", "unknown")


def check(case: RuleContext) -> Iterator[Diagnostic]:
    fields = case.record.fields if case.record else {}
    for message in case.assembly.messages if case.assembly else ():
        found = _found(message, fields)
        if found and message.role == "user":
            told = find_leaks(case, message.text, find_folded(case, message), find_in_message(message, fields))
            spans = [(leak.start, leak.end) for leak in told if not leak.inside]
            found = [one for one in found if not any(_within(place, spans) for place in one[:2])]
        yield from (_diagnostic(message, one) for one in found)


def _found(message: Message, fields: Values) -> list[Twice]:
    """The blocks that a message holds twice outside of its contexts; kept, for several conditions send the same one."""
    parts = message.segments
    return remember(
        fields, (twice, id(parts)), lambda: (parts, list(_looked(message, find_in_message(message, fields))))
    )[1]


def _looked(message: Message, contexts: Spans) -> Iterator[Twice]:
    own = blank_out(message.text, contexts)
    return (one for one in _repeated_blocks(own) if _meant_once(message, one))


@lru_cache(maxsize=64)
def _repeated_blocks(text: str) -> tuple[Twice, ...]:
    """Return the blocks that a text holds twice; cached, for a system message is the same for every record."""
    return tuple(twice(text))


def _diagnostic(message: Message, one: Twice) -> Diagnostic:
    (start, end), (a, b) = one.again, one.first
    text = message.text[start:end]
    values = {
        "role": message.role,
        "words": one.words,
        "first": f"{a}–{b}",
        "first_by": _by(_segment(message, a)[1]),
        "again": f"{start}–{end}",
        "again_by": _by(_segment(message, start)[1]),
        "text": text,
    }
    return Diagnostic(CODE, values, Location(role=message.role, start=start, end=end), text)


def _meant_once(message: Message, one: Twice) -> bool:
    """Whether neither data that comes twice nor a loop made the second."""
    (first_at, first), (again_at, again) = _segment(message, one.first[0]), _segment(message, one.again[0])
    stored = first.name in STORED and first_at == again_at
    if first.origin in DATA and again.origin in DATA and not stored:
        return False
    looped = first_at != again_at and first.origin in OWN and first.place.file and first.place == again.place
    return not looped


def _segment(message: Message, at: int) -> tuple[int, Segment]:
    """The segment in which a character is, with its number."""
    end = 0
    for number, segment in enumerate(message.segments):
        end += len(segment.text)
        if at < end:
            return number, segment
    return len(message.segments), message.segments[-1]


def _by(segment: Segment) -> str:
    return f"{segment.origin} {segment.name}" if segment.name else segment.origin


def _within(place: tuple[int, int], spans: list[tuple[int, int]]) -> bool:
    return any(start <= place[0] and place[1] <= end + 1 for start, end in spans)


# Blocks of text that one text holds twice: whole paragraphs anywhere, and stretches that follow themselves.


def twice(text: str) -> Iterator[Twice]:
    """The blocks that `text` holds twice, in the order of the second place; each block as long as can be."""
    own = split_words(text)
    if len(own) < 2 * PARAGRAPH or not _comes_again(own):
        return
    found = sorted((*_paragraphs(own, _bounds(text)), *_stretches(own[:LOOKED])), key=lambda pair: (pair[1], -pair[2]))
    done = told = 0
    for first, again, size in found:
        if again >= done and told < MOST:
            done = again + size
            told += 1
            yield Twice(_span(text, first, size), _span(text, again, size), size)


def _comes_again(own: Words) -> bool:
    """Whether as many runs of RUN words were there before as the shortest block has: where not, no block was."""
    runs = set(zip(*(own[at:] for at in range(RUN)), strict=False))
    return len(own) - RUN + 1 - len(runs) > min(PARAGRAPH, STRETCH) - RUN


def _bounds(text: str) -> list[int]:
    """The words with which paragraphs begin, and the number of words."""
    begin = list_word_starts(text)
    return sorted({0, len(begin), *(bisect_left(begin, blank.end()) for blank in BLANK_LINE.finditer(text))})


def _paragraphs(own: Words, bounds: list[int]) -> Iterator[tuple[int, int, int]]:
    """(first, again, words): paragraphs that were before, together with those after them that did, too."""
    seen: dict[Words, int] = {}
    for number, (begin, end) in enumerate(pairwise(bounds)):
        paragraph = own[begin:end]
        if len(paragraph) < PARAGRAPH or sum(map(count_letters, paragraph)) < PARAGRAPH_LETTERS or _has_gap(paragraph):
            continue
        first = seen.setdefault(paragraph, begin)
        if first != begin:
            size = end - begin
            for further in bounds[number + 2 :]:
                if first + further - begin > begin or own[begin:further] != own[first : first + further - begin]:
                    break
                size = further - begin
            yield first, begin, size


def _stretches(own: Words) -> Iterator[tuple[int, int, int]]:
    """(first, again, words): STRETCH words or more with the same words right after them."""
    seen: dict[Words, int] = {}
    at = 0
    while at + STRETCH <= len(own):
        window = own[at : at + STRETCH]
        first = seen.get(window)
        seen[window] = at
        size = at - first if first is not None else 0
        if first is not None and size >= STRETCH and own[first:at] == own[at : at + size] and not _has_gap(window):
            yield first, at, size
            at += size
            continue
        at += 1


def _has_gap(some: Words) -> bool:
    return any(word[0] == GAP for word in some)


def _span(text: str, at: int, size: int) -> tuple[int, int]:
    return locate_word(text, at)[0], locate_word(text, at + size - 1)[1]
