"""Blocks of text that one text holds twice: whole paragraphs anywhere, and stretches that follow themselves."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from readback.rules._words import GAP, Words, letters, span, starts, words

PARAGRAPH, PARAGRAPH_LETTERS = 8, 36  # words and letters: shorter lines are often meant to come again
STRETCH = 12  # words of a stretch that follows itself inside a paragraph
LOOKED = 50_000  # words at the start of a text in which such stretches are looked for: each costs a window of words
BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
MOST = 20  # blocks that are told of one text; more tell nothing more


class Twice(NamedTuple):
    """`text[first[0]:first[1]]` stands again at `again`, punctuation, blanks and capitals aside; so many words."""

    first: tuple[int, int]
    again: tuple[int, int]
    words: int


def twice(text: str) -> Iterator[Twice]:
    """The blocks that `text` holds twice, in the order of the second place; each block as long as can be."""
    own = words(text)
    if len(own) < 2 * PARAGRAPH:
        return
    found = sorted((*_paragraphs(own, _bounds(text)), *_stretches(own[:LOOKED])), key=lambda pair: (pair[1], -pair[2]))
    done = told = 0
    for first, again, size in found:
        if again >= done and told < MOST:
            done = again + size
            told += 1
            yield Twice(_span(text, first, size), _span(text, again, size), size)


def _bounds(text: str) -> list[int]:
    """The words with which paragraphs begin, and the number of words."""
    begin = starts(text)
    return sorted({0, len(begin), *(bisect_left(begin, blank.end()) for blank in BLANK_LINE.finditer(text))})


def _paragraphs(own: Words, bounds: list[int]) -> Iterator[tuple[int, int, int]]:
    """(first, again, words): paragraphs that were before, together with those after them that did, too."""
    seen: dict[Words, int] = {}
    for number, (begin, end) in enumerate(pairwise(bounds)):
        paragraph = own[begin:end]
        if len(paragraph) < PARAGRAPH or sum(map(letters, paragraph)) < PARAGRAPH_LETTERS or _has_gap(paragraph):
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
    return span(text, at)[0], span(text, at + size - 1)[1]
