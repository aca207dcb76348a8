"""Marks that number contexts: `[1]`, which count, and `[1, 2]`, `[1-3]`, `[#1]`, which do not.

From the *Prompt Format Specification* (ignaciolinari/beyond-the-cutoff): a mark is one number in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

MARK = re.compile(r"\[(\d{1,9})\]")
OTHER = re.compile(r"\[(?:#\s?\d{1,3}|\d{1,3}(?:\s?[,;\u2013-]\s?#?\d{1,3})+)\]")
MOST = 99  # beyond it a number in brackets is a year, a page, or data


@dataclass(frozen=True, slots=True)
class Mark:
    """One `[n]`, at character offsets."""

    start: int
    end: int
    number: int


def marks(text: str) -> tuple[Mark, ...]:
    """The marks that metrics read, in the order of the text."""
    return tuple(Mark(hit.start(), hit.end(), int(hit[1])) for hit in MARK.finditer(text))


def other_styles(text: str, contexts: int) -> Iterator[re.Match[str]]:
    """Marks in another spelling, for a record with so many contexts.

    `[0, 1]` and `[2010-2020]` are none, and `[6, 10]` over four contexts is from a paper's own list of references.
    """
    for hit in OTHER.finditer(text):
        numbers = [int(number) for number in re.findall(r"\d+", hit[0])]
        rising = all(a < b for a, b in pairwise(numbers))
        if rising and 1 <= numbers[0] <= contexts and numbers[-1] <= MOST:
            yield hit
