"""Whether a stretch of text is a sentence of its own, by what is before it and after it, or a list of names."""

from __future__ import annotations

import re
from collections.abc import Container
from itertools import groupby

from readback.checks.facts.text_words import GAP, Words, count, words

ENDS = ".!?…:;,。！？：；，"
# What is between the items of a list: punctuation, brackets, quotes, a line end, a mark at an item's beginning.
APART = re.compile(
    r"""([,;:|/"`“”„«»()\[\]{}<>=•、，；：]|(?<=[.!?…])\s+|(?<=[。！？])|[\n\r]|(?:^|(?<=\s))(?:[-–—*+]|\d+[.)])(?=\s))"""
)
WITHIN = ',;:|/"`“”„«»()[]{}<>=、，；：'  # of these, what is within a sentence, too
STOPS = ".!?…。！？"
NAMES, NAME = 3, 3  # items of a list, and words of one, from and up to which they are names and no sentences
AROUND = 40  # characters beside a stretch that are looked at


def after(text: str, end: int) -> str:
    return text[end : end + AROUND]


def before(text: str, start: int) -> str:
    return text[max(0, start - AROUND) : start]


def goes_on(following: str) -> bool:
    """Whether the sentence continues: a small letter or a digit follows on the same line."""
    char = following.lstrip(" \t\u00a0")[:1]
    return char.isalnum() and not char.isupper() and not _without_capitals(char)


def begins(preceding: str) -> bool:
    """Whether a sentence begins here: at the start, on a new line, after punctuation or a mark, or after a gap."""
    last = preceding.rstrip(" \t\u00a0")[-1:]
    return not last or last in ENDS or last in "\n\r\"'`«‹“„‘「(*#>-" + GAP


def only_names(text: str, shared: Container[str], enough: float) -> bool:
    """Whether `text` is a list of names, and of the words beside it fewer than `enough` are `shared`.

    A list has three items or more, none of them of more than three words or a sentence by itself ("Be kind.").
    """
    listed, beside = False, 0.0
    for is_name, group in groupby(_parts(text), lambda part: part[1]):
        parts = [part for part, _ in group]
        if is_name and len(parts) >= NAMES:
            listed = True
        else:
            beside += sum(count(tuple(word for word in part if word in shared)) for part in parts)
    return listed and beside < enough


def _parts(text: str) -> list[tuple[Words, bool]]:
    """The words of each part that marks or line ends set apart, and whether it may be a name in a list."""
    found = []
    split = APART.split(text)
    for mark, part in zip(["\n", *split[1::2]], split[::2], strict=True):
        if own := words(part):
            sentence = count(own) > 1 and part.rstrip()[-1:] in STOPS and mark not in WITHIN
            found.append((own, count(own) <= NAME and not sentence))
    return found


def _without_capitals(char: str) -> bool:
    """Whether a letter belongs to a script without capitals: there case does not tell where sentences end."""
    return char.isalpha() and char.upper() == char.lower()
