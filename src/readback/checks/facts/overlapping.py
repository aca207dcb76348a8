"""Where a text repeats another one; spans count characters of the text as it is.

A repeated text counts when it is whole, or when one of its sentences of five words or more does; punctuation,
blanks and capitals aside. A short one (fewer than SHORT characters) must be a sentence of its own, so that "Be brief."
is found in "Be brief. Why?" and not in "Tell her to be brief.". One that ends a sentence must not be continued in the
other text: "You are an assistant." is not repeated by "You are an assistant manager". What was edited lightly is found
by its likeness (`_near`). RUN words in a row that make no whole sentence are a partial hit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from readback.checks.facts import near_texts
from readback.checks.facts.sentence_edges import ENDS, after, before, begins, goes_on
from readback.checks.facts.text_units import SEEDS, Index, Unit, index, may_hold
from readback.checks.facts.text_words import GAP, Words, letters, span, stems, words

EDGE = 1.25  # what a hit word by word counts more than one that is only like it
HEAD, TRIES = 32, 8  # characters by which a long part is looked for, and how often before Python's own search
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


SHORT = 20  # characters: below, a text is words anybody may use
LONG = 5  # words from which a text counts even where the sentence goes on
RUN, RUN_LETTERS = 8, 24  # words in a row, and their letters, that nobody writes twice by chance
THRESHOLD = 0.8  # how much alike two texts must be, where nothing else is said

How = Literal["exact", "spacing", "edited", "part"]
Seeds = Sequence[tuple[int, tuple[tuple[int, int], ...]]]  # word of the text, then (unit, word of it) for each


@dataclass(frozen=True, slots=True)
class Hit:
    """`text[start:end]` repeats text number `which`, alike by `share` where `needed` was asked for.

    `how`: character by character; blanks, capitals and punctuation aside; edited; or only a part of it.
    """

    start: int
    end: int
    which: int
    how: How = "exact"
    share: float = 1.0
    needed: float = THRESHOLD

    @property
    def part(self) -> bool:
        return self.how == "part"


def overlaps(text: str, sources: Sequence[str], threshold: float = THRESHOLD, edits: bool = True) -> tuple[Hit, ...]:
    """Every stretch of `text` that repeats one of `sources`, in order; no two overlap, the longest one wins.

    `edits`: whether what is only alike, and parts, count too. Time is in proportion to the text's length.
    """
    looked = index(tuple(sources))
    if not edits and not may_hold(text, looked):
        return ()
    own, beginnings = words(text), stems(text)
    pairs = looked.pairs
    seeds = [(at, pairs[pair]) for at, pair in enumerate(pairwise(beginnings)) if pair in pairs][:SEEDS]
    if not seeds and not looked.single:
        return ()
    found = list(_whole(text, own, seeds, looked))
    complete = {one.unit.which for one in found if one.unit.whole}
    found = [one for one in found if one.unit.whole or one.unit.which not in complete]
    found = list(joined(chosen(found, len(own)), own))
    if edits:
        rest = _by_unit(seeds, looked, complete)
        there = {one.unit for one in found}
        found += _edited(text, own, {unit: at for unit, at in rest.items() if unit not in there}, threshold)
        found += _runs(own, {unit: at for unit, at in rest.items() if unit.whole})
    return tuple(_hit(text, one, sources, threshold) for one in joined(chosen(found, len(own)), own))


def places(text: str, part: str) -> Iterator[tuple[int, int]]:
    """Where `part` is in `text`: exactly, else with blanks, capitals and punctuation aside."""
    if part and (start := find(text, part)) >= 0:
        while start >= 0:
            yield start, start + len(part)
            start = find(text, part, start + len(part))
        return
    wanted, own, trimmed = words(part), words(text), part.strip()
    at = _next(own, wanted, 0)
    while at is not None:
        start, end = span(text, at)[0], span(text, at + len(wanted) - 1)[1]
        opening, closing = trimmed[: span(trimmed, 0)[0]], trimmed[span(trimmed, -1)[1] :]
        opened, closed = text.endswith(opening, 0, start), text.startswith(closing, end)
        yield start - len(opening) * opened, end + len(closing) * closed
        at = _next(own, wanted, at + len(wanted))


def find(text: str, part: str, at: int = 0) -> int:
    """As `text.find(part, at)`, by the first characters of a long part: Python's own search prepares itself for each
    long part, which costs more than to look.
    """
    if len(part) <= HEAD:
        return text.find(part, at)
    head = part[:HEAD]
    for _ in range(TRIES):
        if (at := text.find(head, at)) < 0 or text.startswith(part, at):
            return at
        at += 1
    return text.find(part, at)


def blanked(text: str, holes: Iterable[tuple[int, int]]) -> str:
    """`text` with the spans replaced by gaps of the same length."""
    parts: list[str] = []
    at = 0
    for start, end in sorted(holes):
        parts += (text[at:start], GAP * (end - max(start, at)))
        at = max(at, end)
    return "".join((*parts, text[at:]))


def normal(text: str) -> str:
    """`text` in one case, with one space for every run of blanks and none at its ends."""
    return " ".join(text.casefold().split())


def _whole(text: str, own: Words, seeds: Seeds, looked: Index) -> Iterator[Found]:
    """The units that are in the text word by word, with what is beside them in both texts."""
    starts = [(at, number) for at, here in seeds for number, place in here if not place]
    if looked.single:
        starts += [(at, number) for at, word in enumerate(stems(text)) for number in looked.single.get(word, ())]
    for at, number in starts:
        unit = looked.units[number]
        one = Found(at, at + len(unit.words), unit)
        if own[at : one.last] == unit.words and _stands(text, one, unit.size >= LONG, unit.characters >= SHORT):
            yield one if unit.whole else _grown(own, one, looked.whole[unit.which], looked.bounds[unit.which])


def _grown(own: Words, one: Found, whole: Words, bounds: frozenset[int]) -> Found:
    """A sentence with those before and after it that are the same in both texts; `bounds` are where each begins."""
    first, last = one.first, one.last
    shift = one.unit.at - first
    while first and first + shift and own[first - 1] == whole[first - 1 + shift]:
        first -= 1
    while last < len(own) and last + shift < len(whole) and own[last] == whole[last + shift]:
        last += 1
    while first + shift not in bounds:
        first += 1
    while last + shift not in bounds:
        last -= 1
    return replace(one, first=first, last=last)


def _by_unit(seeds: Seeds, looked: Index, complete: set[int]) -> dict[Unit, list[tuple[int, int]]]:
    """By unit: the words of the text that begin one of its pairs, and that pair's place; of texts not yet found."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for at, here in seeds:
        for number, place in here:
            found[number].append((at, place))
    return {looked.units[n]: at for n, at in found.items() if looked.units[n].which not in complete}


def _edited(
    text: str, own: Words, by_unit: Mapping[Unit, Sequence[tuple[int, int]]], threshold: float
) -> Iterator[Found]:
    """What is like a unit: inside another sentence only where it is long, or very near."""
    budget = [near_texts.WORK]
    for unit, seeds in by_unit.items():
        if not near_texts.worth_it(unit):
            continue
        for hit in near_texts.similar(own, stems(text), unit, seeds, threshold, budget):
            first, last = _to_the_ends(text, own, hit)
            one = Found(first, last, unit, False, True, hit.share, hit.needed)
            near = near_texts.nearer(threshold)
            inside = unit.size >= near_texts.MIDDLE or (unit.size >= near_texts.SHORT and one.share >= near)
            if _stands(text, one, inside, inside):
                yield one


def _to_the_ends(text: str, own: Words, hit: near_texts.Similar) -> tuple[int, int]:
    """The hit with the changed words at its ends, as far as they belong to the same sentence."""
    first, last = hit.first, hit.last
    while first > 0 and hit.first - first < hit.before and _neighbours(text, own, first - 1):
        first -= 1
    while last < len(own) and last - hit.last < hit.after and _neighbours(text, own, last - 1):
        last += 1
    return first, last


def _neighbours(text: str, own: Words, at: int) -> bool:
    """Whether a word and the one after it are in one sentence, on one line."""
    between = text[span(text, at)[1] : span(text, at + 1)[0]]
    return GAP not in (own[at][0], own[at + 1][0]) and not any(char in ENDS or char in "\n\r" for char in between)


def _runs(own: Words, by_unit: Mapping[Unit, Sequence[tuple[int, int]]]) -> Iterator[Found]:
    """RUN words and more in a row that are in a row in the other text, too."""
    for unit, seeds in by_unit.items():
        first = last = shift = -1
        same = (seed for seed in seeds if own[seed[0] : seed[0] + 2] == unit.words[seed[1] : seed[1] + 2])
        for at, place in (*sorted(same, key=lambda seed: (seed[0] - seed[1], seed[0])), (len(own) + 1, -1)):
            if shift == at - place and at == last - 1:
                last += 1
                continue
            if last - first >= RUN and sum(map(letters, own[first:last])) >= RUN_LETTERS:
                yield Found(first, last, unit, part=True)
            first, last, shift = at, at + 2, at - place


def _stands(text: str, one: Found, may_go_on: bool, may_be_inside: bool) -> bool:
    """Whether the hit is a sentence of its own, as far as it must be."""
    start, end = span(text, one.first)[0], span(text, one.last - 1)[1]
    return may_go_on or (not goes_on(after(text, end)) and (may_be_inside or begins(before(text, start))))


def _hit(text: str, one: Found, sources: Sequence[str], threshold: float) -> Hit:
    start, end = span(text, one.first)[0], span(text, one.last - 1)[1]
    said = text[start:end]
    end += bool(text[end : end + 1]) and text[end] in ENDS
    how: How = (
        "part" if one.part else "edited" if one.edited else "exact" if said in sources[one.unit.which] else "spacing"
    )
    return Hit(start, end, one.unit.which, how, one.share, one.needed or threshold)


def _next(own: Words, wanted: Words, at: int) -> int | None:
    """Where the words `wanted` stand next, from `at`."""
    while wanted:
        try:
            at = own.index(wanted[0], at)
        except ValueError:
            return None
        if own[at : at + len(wanted)] == wanted:
            return at
        at += 1
    return None


# What was found of a text in another, in words: which hits stay where they overlap, and which make one.


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
