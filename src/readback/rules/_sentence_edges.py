"""Whether a stretch of text is a sentence of its own: what stands before it and after it."""

from __future__ import annotations

from readback.rules._words import GAP

ENDS = ".!?…:;,。！？：；，"
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


def _without_capitals(char: str) -> bool:
    """Whether a letter belongs to a script without capitals: there case does not tell where sentences end."""
    return char.isalpha() and char.upper() == char.lower()
