"""Find blocks of text that one message contains twice: paragraphs, and passages that follow themselves.

Usually an instruction was registered twice, or two steps append the same text. It costs tokens and may confuse a model.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from readback.checks.facts.contexts import STORED, find_in_message
from readback.checks.facts.leaked_texts import OWN, find_folded, find_leaks
from readback.checks.facts.repetitions import blank_out
from readback.checks.facts.text_units import (
    GAP,
    Words,
    count_letters,
    list_word_starts,
    locate_words,
    split_words,
)
from readback.records.record_memo import remember
from readback.types import Diagnostic, Location, Message, RuleContext, Segment, Values

PARAGRAPH, PARAGRAPH_LETTERS = 8, 36  # words and letters: shorter lines are often meant to come again
PASSAGE = 12  # words of a passage that follows itself inside a paragraph
RUN = 3  # words: natural text repeats few runs of three
SEARCHED = 50_000  # words at the start of a text in which passages are searched: each costs a window of words
BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
MOST = 20  # blocks of one text that are reported; more tell nothing more

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


class Repetition(NamedTuple):
    """The span `first` is there again at the span `again`, but for punctuation, blanks and capitals."""

    first: tuple[int, int]
    again: tuple[int, int]
    words: int


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each repeated block, without those that fmt-system-text-in-user reports."""
    fields = case.record.fields if case.record else {}
    for message in case.assembly.messages if case.assembly else ():
        repetitions = _find_unintended(message, fields)
        if repetitions and message.role == "user":
            leaks = find_leaks(case, message.text, find_folded(case, message), find_in_message(message, fields))
            spans = [(leak.start, leak.end) for leak in leaks if not leak.inside]
            repetitions = [
                repetition
                for repetition in repetitions
                if not _is_within(repetition.first, spans) and not _is_within(repetition.again, spans)
            ]
        yield from (_build_diagnostic(message, repetition) for repetition in repetitions)


def _find_unintended(message: Message, fields: Values) -> list[Repetition]:
    """Return the repetitions of a message outside of its contexts; several conditions send the same message."""
    segments = message.segments
    key = (find_repetitions, id(segments))
    return remember(fields, key, lambda: (segments, _compute_unintended(message, fields)))[1]


def _compute_unintended(message: Message, fields: Values) -> list[Repetition]:
    outside = blank_out(message.text, find_in_message(message, fields))
    return [repetition for repetition in _find_repetitions(outside) if _is_unintended(message, repetition)]


@lru_cache(maxsize=64)
def _find_repetitions(text: str) -> tuple[Repetition, ...]:
    """Return the repetitions; cached, since a system message is the same for every record."""
    return tuple(find_repetitions(text))


def _build_diagnostic(message: Message, repetition: Repetition) -> Diagnostic:
    (start, end), (first_start, first_end) = repetition.again, repetition.first
    text = message.text[start:end]
    values = {
        "role": message.role,
        "words": repetition.words,
        "first": f"{first_start}–{first_end}",
        "first_by": _name_writer(_find_segment(message, first_start)[1]),
        "again": f"{start}–{end}",
        "again_by": _name_writer(_find_segment(message, start)[1]),
        "text": text,
    }
    return Diagnostic(CODE, values, Location(role=message.role, start=start, end=end), text)


def _is_unintended(message: Message, repetition: Repetition) -> bool:
    """Return whether neither data that come twice nor a loop made the second block."""
    first_number, first = _find_segment(message, repetition.first[0])
    again_number, again = _find_segment(message, repetition.again[0])
    in_one_prompt = first.name in STORED and first_number == again_number
    if first.origin in DATA and again.origin in DATA and not in_one_prompt:
        return False
    is_looped = first_number != again_number and first.origin in OWN and first.place == again.place
    return not (is_looped and first.place.file)


def _find_segment(message: Message, offset: int) -> tuple[int, Segment]:
    """Return the segment of a character, with its number."""
    end = 0
    for number, segment in enumerate(message.segments):
        end += len(segment.text)
        if offset < end:
            return number, segment
    return len(message.segments), message.segments[-1]


def _name_writer(segment: Segment) -> str:
    if segment.name:
        return f"{segment.origin} {segment.name}"
    return segment.origin


def _is_within(block: tuple[int, int], spans: list[tuple[int, int]]) -> bool:
    return any(start <= block[0] and block[1] <= end + 1 for start, end in spans)


def find_repetitions(text: str) -> Iterator[Repetition]:
    """Yield the blocks that a text contains twice, in the order of the second place; each as long as possible."""
    words = split_words(text)
    if len(words) < 2 * PARAGRAPH or not _may_repeat(words):
        return
    candidates = [*_find_paragraphs(words, _list_paragraph_starts(text)), *_find_passages(words[:SEARCHED])]
    candidates.sort(key=lambda candidate: (candidate[1], -candidate[2]))
    end = count = 0
    for first, again, size in candidates:
        if again >= end and count < MOST:
            end = again + size
            count += 1
            spans = locate_words(text, first, first + size), locate_words(text, again, again + size)
            yield Repetition(*spans, size)


def _may_repeat(words: Words) -> bool:
    """Return whether as many runs of RUN words come again as the shortest block has; without them no block does."""
    runs = set(zip(*(words[start:] for start in range(RUN)), strict=False))
    return len(words) - RUN + 1 - len(runs) > min(PARAGRAPH, PASSAGE) - RUN


def _list_paragraph_starts(text: str) -> list[int]:
    """Return the words with which paragraphs begin, and the number of words."""
    starts = list_word_starts(text)
    breaks = (bisect_left(starts, blank.end()) for blank in BLANK_LINE.finditer(text))
    return sorted({0, len(starts), *breaks})


def _find_paragraphs(words: Words, bounds: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (first, again, words) of paragraphs that come again, with those after them that do, too."""
    starts: dict[Words, int] = {}
    for number, (start, end) in enumerate(pairwise(bounds)):
        paragraph = words[start:end]
        if len(paragraph) < PARAGRAPH or _has_gap(paragraph):
            continue
        if sum(map(count_letters, paragraph)) < PARAGRAPH_LETTERS:
            continue
        first = starts.setdefault(paragraph, start)
        if first == start:
            continue
        size = end - start
        for next_end in bounds[number + 2 :]:
            length = next_end - start
            if first + length > start or words[start:next_end] != words[first : first + length]:
                break
            size = length
        yield first, start, size


def _find_passages(words: Words) -> Iterator[tuple[int, int, int]]:
    """Yield (first, again, words) of PASSAGE words or more with the same words right after them."""
    starts: dict[Words, int] = {}
    start = 0
    while start + PASSAGE <= len(words):
        window = words[start : start + PASSAGE]
        first = starts.get(window)
        starts[window] = start
        size = start - first if first is not None else 0
        may_follow = first is not None and size >= PASSAGE and not _has_gap(window)
        if first is not None and may_follow and words[first:start] == words[start : start + size]:
            yield first, start, size
            start += size
        else:
            start += 1


def _has_gap(words: Words) -> bool:
    return any(word[0] == GAP for word in words)
