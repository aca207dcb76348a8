"""What was found of a text in another, in words: which hits stay where they overlap, and which make one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from readback.rules._units import Unit
from readback.rules._words import GAP, Words, letters

EDGE = 1.25  # what a hit word by word counts more than one that is only like it
BETWEEN = 4  # words between two sentences of one text that are no sentence of their own


@dataclass(frozen=True, slots=True)
class Found:
    """Words `first` to `last` (not included) are `unit`, or a `part` of it, or like it by `share` (`edited`)."""

    first: int
    last: int
    unit: Unit
    part: bool = False
    edited: bool = False
    share: float = 1.0
    needed: float = 0.0


def chosen(found: Iterable[Found], length: int) -> list[Found]:
    """Those that stay where hits overlap: the longest, and rather one word by word than one that is only like it."""
    taken = bytearray(length)
    kept = []
    for one in sorted(found, key=_rank):
        if taken.find(1, one.first, one.last) < 0:
            taken[one.first : one.last] = b"\1" * (one.last - one.first)
            kept.append(one)
    return sorted(kept, key=lambda one: one.first)


def joined(found: Iterable[Found], own: Words) -> Iterator[Found]:
    """Neighbouring sentences of one text as one hit, with the few words between them that are none of its sentences."""
    last: Found | None = None
    for one in found:
        if last and _go_together(last, one, own):
            last = _both(last, one, own)
            continue
        if last:
            yield last
        last = one
    if last:
        yield last


def _rank(one: Found) -> tuple[bool, float, int, int]:
    long = (one.last - one.first) * (1 if one.edited else EDGE)
    return one.part, -long, one.first, one.unit.which


def _go_together(one: Found, other: Found, own: Words) -> bool:
    if one.unit.which != other.unit.which or (one.unit.whole and other.unit.whole and not (one.part or other.part)):
        return False
    between = own[one.last : other.first]
    return len(between) <= BETWEEN and not any(word[0] == GAP for word in between)


def _both(one: Found, other: Found, own: Words) -> Found:
    """Both as one; the words between them are taken for others."""
    weight = [sum(map(letters, own[hit.first : hit.last])) for hit in (one, other)]
    every = sum(map(letters, own[one.first : other.last]))
    share = (weight[0] * one.share + weight[1] * other.share) / every
    edited = one.edited or other.edited or one.last < other.first
    return Found(one.first, other.last, one.unit, one.part and other.part, edited, share, max(one.needed, other.needed))
