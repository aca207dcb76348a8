"""Marks that number contexts: `[1]`, which count, and `[1, 2]`, `[1-3]`, `[#1]`, which do not.

From the *Prompt Format Specification* (ignaciolinari/beyond-the-cutoff): a mark is one number in brackets. Metrics read
each of them; `citations` leaves out what a reader sees is none: code, links, indexes, footnotes of the text's own.
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
DEFINED = re.compile(
    r"^[ \t>*-]*\[(\d{1,9})\](?::|[ \t]+\S)", re.MULTILINE
)  # a line that says what a number stands for
NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*\Z")  # what is right before a mark that may be an index
NEAR = 40  # characters of it that are looked at
# What people call a list whose elements they take by number.
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


def marks(text: str) -> tuple[Mark, ...]:
    """The marks that metrics read, in the order of the text."""
    return tuple(Mark(hit.start(), hit.end(), int(hit[1])) for hit in MARK.finditer(text))


def citations(text: str, contexts: int) -> tuple[Mark, ...]:
    """Return the marks that cite one of `contexts` numbered sources, or would if there were more of them.

    Left out are marks in code, links (`[3](url)`), indexes (`x[10]`, `[0]` behind a word), numbers that a line of the
    text defines itself (`[7] Smith, 2010`) and numbers that are years or pages.
    """
    if "[" not in text:
        return ()
    prose = _without_code(text)
    notes = _footnotes(prose)
    most = max(MOST, contexts)
    index_ends = -1  # where the last index ends: what follows at once is one, too (x[3][1])
    kept: list[Mark] = []
    for mark in marks(prose):
        after = prose[mark.end : mark.end + 1]
        if mark.start == index_ends or _is_index(prose, mark.start, mark.end, mark.number):
            index_ends = mark.end
        elif after != "(" and mark.number <= most and (mark.number <= contexts or mark.number not in notes):
            kept.append(mark)
    return tuple(kept)


def _without_code(text: str) -> str:
    """Return the text with blanks in place of code, so that offsets stay."""
    return CODE.sub(lambda hit: " " * len(hit[0]), text) if "`" in text or "~~~" in text else text


def _footnotes(text: str) -> set[int]:
    """Return the numbers that stand in the text and that a later line of it defines."""
    first: dict[int, int] = {}
    for mark in marks(text):
        first.setdefault(mark.number, mark.start)
    return {int(hit[1]) for hit in DEFINED.finditer(text) if first[int(hit[1])] < hit.start()}


def _is_index(text: str, start: int, end: int, number: int | None = None) -> bool:
    """Return whether a mark takes an element of what is right before it."""
    name = NAME.search(text[max(0, start - NEAR) : start])
    if name is None:
        return False
    word = name[0]
    if number == 0 or word.lower() in LISTS or "_" in word or "." in word:
        return True
    digits = word.islower() and any(letter.isdigit() for letter in word)
    humps = word[0].islower() and any(letter.isupper() for letter in word)
    return digits or humps


def other_styles(text: str, contexts: int) -> Iterator[re.Match[str]]:
    """Marks in another spelling, for a record with so many contexts.

    `[0, 1]` and `[2010-2020]` are none, and `[6, 10]` over four contexts is from a paper's own list of references.
    Nor are any in code, links and indexes.
    """
    prose = _without_code(text)
    for hit in OTHER.finditer(prose):
        if prose[hit.end() : hit.end() + 1] == "(" or _is_index(prose, hit.start(), hit.end()):
            continue
        numbers = [int(number) for number in re.findall(r"\d+", hit[0])]
        rising = all(a < b for a, b in pairwise(numbers))
        if rising and 1 <= numbers[0] <= contexts and numbers[-1] <= MOST:
            yield hit
