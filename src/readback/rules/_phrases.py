"""Phrases that open a system message, where they are in a text: whole words, and the role they name unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from readback.dialects.leak_phrases import GO_ON, PHRASES, ROLES
from readback.rules._sentence_edges import after, before, begins, goes_on
from readback.rules._units import SEEDS, index, may_hold
from readback.rules._words import span, stems, words
from readback.types import Leaks


class Said(NamedTuple):
    """`text[start:end]` is `phrase`."""

    start: int
    end: int
    phrase: str


def listed(leaks: Leaks) -> tuple[str, ...]:
    """The phrases that are looked for: those of the workspace, else the usual ones."""
    return PHRASES if leaks.phrases is None else leaks.phrases


def phrases(text: str, known: Sequence[str]) -> tuple[Said, ...]:
    """Where the phrases stand, in order; of two at one place the longer. Punctuation and capitals are left aside."""
    looked = index(tuple(known))
    if not may_hold(text, looked.units):
        return ()
    own, beginnings = words(text), stems(text)
    every = (
        (at, number)
        for at, pair in enumerate(pairwise(beginnings))
        if pair in looked.pairs
        for number, place in looked.pairs[pair]
        if not place
    )
    starts = list(islice(every, SEEDS))
    if looked.single:
        starts += [(at, number) for at, word in enumerate(beginnings) for number in looked.single.get(word, ())]
    found: list[Said] = []
    for at, number in sorted(starts, key=lambda start: (start[0], -len(looked.units[start[1]].words))):
        unit = looked.units[number]
        if unit.whole and own[at : at + len(unit.words)] == unit.words:
            one = Said(span(text, at)[0], span(text, at + len(unit.words) - 1)[1], known[unit.which])
            if (not found or one.start >= found[-1].end) and _as_meant(text, one):
                found.append(one)
    return tuple(found)


def _as_meant(text: str, one: Said) -> bool:
    """Whether a phrase that names a role opens a sentence and names no other role with its next word."""
    if not one.phrase.casefold().startswith(ROLES):
        return True
    following = after(text, one.end)
    next_word = words(following)[:1]
    return begins(before(text, one.start)) and (not goes_on(following) or next_word[0] in GO_ON)
