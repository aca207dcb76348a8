"""Find marks that cite numbered contexts: `[1]`, which count, and `[1, 2]`, `[1-3]`, `[#1]`, which do not.

By the *Prompt Format Specification* (ignaciolinari/beyond-the-cutoff) a mark is one number in brackets. Metrics read
every mark; `find_context_marks` leaves out code, links, indexes and the text's own footnotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

MARK = re.compile(r"\[(\d{1,9})\]")
OTHER = re.compile(r"\[(?:#\s?\d{1,3}|\d{1,3}(?:\s?[,;\u2013-]\s?#?\d{1,3})+)\]")
MOST = 99  # beyond it a number in brackets is a year, a page, or data
# Code: from a fence to the next one or the end, and between backticks on one line.
FENCED = r"^[ \t]*(```+|~~~+)[^\n]*(?:\n.*?(?:^[ \t]*\1[^\n]*$|\Z)|\Z)"
CODE = re.compile(rf"{FENCED}|(`+)(?!`)[^\n]*?(?<!`)\2(?!`)", re.MULTILINE | re.DOTALL)
# A line that defines what a number stands for.
DEFINED = re.compile(r"^[ \t>*-]*\[(\d{1,9})\](?::|[ \t]+\S)", re.MULTILINE)
NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*\Z")  # the name right before a mark that may be an index
NEAR = 40  # characters before a mark in which such a name is searched
# Usual names of lists whose elements are taken by number.
LISTS = frozenset({
    "a", "arr", "array", "args", "argv", "b", "buf", "buffer", "cells", "chars", "col", "cols", "columns", "data",
    "df", "dp", "elements", "entries", "f", "grid", "ids", "idx", "index", "input", "inputs", "items", "keys",
    "lines", "list", "lst", "matrix", "nums", "numbers", "output", "outputs", "parts", "points", "result",
    "results", "row", "rows", "s", "stack", "str", "string", "table", "tokens", "tuple", "values", "vec", "vector",
    "words", "x", "y", "z",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mark:
    """One `[n]`, at character offsets."""

    start: int
    end: int
    number: int


def find_marks(text: str) -> tuple[Mark, ...]:
    """Return the marks that metrics read, in the order of the text."""
    return tuple(Mark(match.start(), match.end(), int(match[1])) for match in MARK.finditer(text))


def find_context_marks(text: str, contexts: int) -> tuple[Mark, ...]:
    """Return the marks that cite one of `contexts` numbered sources, or would if there were more of them.

    Left out are marks in code, links (`[3](url)`), indexes (`x[10]`, `[0]` behind a word), numbers that a line of the
    text defines itself (`[7] Smith, 2010`) and numbers that are years or pages.
    """
    if "[" not in text:
        return ()
    prose = _without_code(text)
    notes = _footnotes(prose)
    largest = max(MOST, contexts)
    index_ends = -1  # where the last index ends: a mark right behind it is an index, too (x[3][1])
    context_marks: list[Mark] = []
    for mark in find_marks(prose):
        next_character = prose[mark.end : mark.end + 1]
        if mark.start == index_ends or _is_index(prose, mark.start, mark.end, mark.number):
            index_ends = mark.end
        elif next_character != "(" and mark.number <= largest and (mark.number <= contexts or mark.number not in notes):
            context_marks.append(mark)
    return tuple(context_marks)


def _without_code(text: str) -> str:
    """Return the text with blanks in place of code, so that offsets stay."""
    if "`" not in text and "~~~" not in text:
        return text
    return CODE.sub(lambda match: " " * len(match[0]), text)


def _footnotes(text: str) -> set[int]:
    """Return the numbers that stand in the text and that a later line of it defines."""
    first_offsets: dict[int, int] = {}
    for mark in find_marks(text):
        first_offsets.setdefault(mark.number, mark.start)
    return {int(match[1]) for match in DEFINED.finditer(text) if first_offsets[int(match[1])] < match.start()}


def _is_index(text: str, start: int, end: int, number: int | None = None) -> bool:
    """Return whether a mark takes an element of what is right before it."""
    name = NAME.search(text[max(0, start - NEAR) : start])
    if name is None:
        return False
    word = name[0]
    if number == 0 or word.lower() in LISTS or "_" in word or "." in word:
        return True
    has_digits = word.islower() and any(letter.isdigit() for letter in word)
    is_camel_case = word[0].islower() and any(letter.isupper() for letter in word)
    return has_digits or is_camel_case


def find_other_styles(text: str, contexts: int) -> Iterator[re.Match[str]]:
    """Yield the marks in another spelling, for a record with so many contexts.

    Left out are `[0, 1]` and `[2010-2020]`, `[6, 10]` over four contexts, which comes from a paper's own list of
    references, and marks in code, links and indexes.
    """
    prose = _without_code(text)
    for match in OTHER.finditer(prose):
        if prose[match.end() : match.end() + 1] == "(" or _is_index(prose, match.start(), match.end()):
            continue
        numbers = [int(number) for number in re.findall(r"\d+", match[0])]
        is_rising = all(a < b for a, b in pairwise(numbers))
        if is_rising and 1 <= numbers[0] <= contexts and numbers[-1] <= MOST:
            yield match
