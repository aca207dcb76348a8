"""The system texts of a file of training rows, counted while it is read: one text, or several that are meant so.

Rows that are made from a frame (`OS: linux, Shell: bash. Output the command.`) have many texts, none of which is *the*
text that the model was trained with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher

from readback.types import Systems

KEPT = 64  # different texts that are told apart; of more it is known that they are many
LONGEST = 400  # words of a text in which the frame is looked for
SEVERAL, MANY = 3, 10  # different texts: made from a frame; meant so, whatever they share
NEARLY_ALL = 0.9  # of the rows, from which on one text is what the file was trained with
LEAST = 5  # words of a frame: fewer are shared by accident


def summed(texts: Iterable[str]) -> Systems:
    """What is known of the system texts of some rows."""
    counts = Counter[str]()
    for text in texts:
        count(counts, text)
    return known(counts)


def count(counts: Counter[str], text: str, rows: int = 1) -> None:
    """Take in the text of more rows; the text "" counts those beyond what is kept."""
    counts[text if text in counts or len(counts) < KEPT else ""] += rows


def known(counts: Counter[str]) -> Systems:
    """The same of texts that were counted."""
    if len(counts) < SEVERAL:
        return Systems(counts.total(), len(counts), max(counts.values(), default=0))
    first, *others = ([*text.split()][:LONGEST] for text in counts if text)
    frame = first
    for words in others:
        frame = _shared(frame, words)
    return Systems(counts.total(), len(counts), max(counts.values()), tuple(frame))


def meant(found: Systems, text: str, served: str | None = None) -> bool:
    """Whether a row's text is one of several that are meant so: they are many, or share a frame with one another and
    with what is served.
    """
    if found.texts < SEVERAL or found.most >= NEARLY_ALL * found.rows:
        return False
    if found.texts >= MANY:
        return True
    frame, words = [*found.frame], max(len(one.split()[:LONGEST]) for one in (text, served or ""))
    with_served = frame if served is None else _shared(frame, served.split()[:LONGEST])
    return len(with_served) >= LEAST and 2 * len(with_served) > words


def _shared(one: list[str], other: list[str]) -> list[str]:
    """The words that two texts have in the same order."""
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return [word for at, _, size in blocks for word in one[at : at + size]]
