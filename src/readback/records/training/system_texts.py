"""Count the system texts of training rows, and decide whether several of them are intended.

Rows generated from a frame (`OS: linux, Shell: bash. Output the command.`) have many system texts, none of which is the
only one that the model was trained with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher

from readback.types import Systems

DISTINCT = 64  # distinct texts that are counted apart; the rest is counted as one
LONGEST = 400  # words of a text in which the frame is searched
SEVERAL, MANY = 3, 10  # distinct texts: may share a frame; intended, whatever they share
NEARLY_ALL = 0.9  # share of rows from which one text counts as the text of the whole file
LEAST = 5  # words of a frame; fewer may be shared by accident


def summarize(texts: Iterable[str]) -> Systems:
    """Return the summary of the system texts of rows."""
    counts = Counter[str]()
    for text in texts:
        count_text(counts, text)
    return summarize_counts(counts)


def count_text(counts: Counter[str], text: str, rows: int = 1) -> None:
    """Count the text of `rows` rows; the key "" counts texts beyond DISTINCT."""
    counts[text if text in counts or len(counts) < DISTINCT else ""] += rows


def summarize_counts(counts: Counter[str]) -> Systems:
    """Return the summary of counted system texts."""
    if len(counts) < SEVERAL:
        return Systems(counts.total(), len(counts), max(counts.values(), default=0))
    frame, *rest = (text.split()[:LONGEST] for text in counts if text)
    for words in rest:
        frame = _find_shared_words(frame, words)
    return Systems(counts.total(), len(counts), max(counts.values()), tuple(frame))


def is_intended(systems: Systems, text: str, served: str | None = None) -> bool:
    """Tell whether a row's text is one of several intended texts.

    They are intended if there are many, or if they share a frame with one another and with the served text.
    """
    if systems.texts < SEVERAL or systems.most >= NEARLY_ALL * systems.rows:
        return False
    if systems.texts >= MANY:
        return True
    frame = [*systems.frame]
    longest = len(text.split()[:LONGEST])
    if served is not None:
        served_words = served.split()[:LONGEST]
        longest = max(longest, len(served_words))
        frame = _find_shared_words(frame, served_words)
    return len(frame) >= LEAST and 2 * len(frame) > longest


def _find_shared_words(first: list[str], second: list[str]) -> list[str]:
    """Return the words that two texts have in the same order."""
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    return [word for start, _, size in blocks for word in first[start : start + size]]
