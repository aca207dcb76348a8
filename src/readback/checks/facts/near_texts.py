"""Where a text repeats another one with small edits: a word changed, dropped or put in.

Two texts are as much alike as the share of their letters that is in words both have, in the same order; forms of
one word count with what they begin with. Pairs of
neighbouring words say where it is worth looking; there the words are aligned, and the most similar stretch is taken.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate, takewhile
from typing import NamedTuple

from readback.checks.facts.text_units import Unit
from readback.checks.facts.text_words import Words, letters

WHOLE, SENTENCE = (5, 20), (8, 36)  # words and letters from which a whole text, or a sentence of it, is looked for
SHORT = 8  # words: below, a text must be a sentence of its own, and nearer than asked for
MIDDLE = 12  # words: below, it must be one of them
WORK = 300_000  # words that are aligned in one text at most, whatever somebody made of it
BLOCKS = 200  # matching stretches of one alignment up to which every run of them is weighed

Seeds = Sequence[tuple[int, int]]  # word of the text, word of the unit: the pair that begins there is the same


class Similar(NamedTuple):
    """Words `first` to `last` (not included) of the text are alike by `share`; `needed` was asked for.

    `before` and `after`: words of the other text at its ends that have no counterpart.
    """

    first: int
    last: int
    share: float
    needed: float
    before: int
    after: int


def worth_it(unit: Unit) -> bool:
    """Whether a unit is long enough to be known by something like it."""
    words, letters_ = WHOLE if unit.whole else SENTENCE
    return unit.size >= words and unit.letters >= letters_


def least(unit: Unit) -> int:
    """How many different pairs of neighbouring words make it worth while to align a stretch with a unit."""
    return max(1, len(unit.words) // 4)


def nearer(threshold: float) -> float:
    """What is asked of short texts: half of the rest more, so that "into Dutch" is not taken for "into German"."""
    return (1 + threshold) / 2


def similar(
    own: Words, own_stems: Words, unit: Unit, seeds: Seeds, threshold: float, budget: list[int]
) -> Iterator[Similar]:
    """The stretches of `own` like `unit`, in order; none overlaps another. `budget` holds the words still to align."""
    long = len(unit.words)
    needed = threshold if unit.size >= SHORT else nearer(threshold)
    enough, reach = least(unit), long + long // 3 + 2
    matcher = SequenceMatcher(None, b=unit.stems, autojunk=False)
    at, ahead, free = 0, 0, 0
    near: Counter[int] = Counter()
    while at < len(seeds) and budget[0] > 0:
        here = seeds[at][0]
        while ahead < len(seeds) and seeds[ahead][0] < here + reach:
            near[seeds[ahead][1]] += 1
            ahead += 1
        to = at + 1
        if len(near) >= enough:
            low, high = max(free, here - reach), here + reach
            budget[0] -= high - low
            matcher.set_seq1(own_stems[low:high])
            best = _best(matcher.get_matching_blocks()[:-1], own[low:high], unit)
            if best and best.share >= needed:
                free = low + best.last
                yield best._replace(first=low + best.first, last=free, needed=needed)
                to = bisect_left(seeds, (free, 0), at + 1)
            else:
                to = bisect_left(seeds, (here + max(1, long // 4), 0), at + 1)
        for _, place in seeds[at : min(to, ahead)]:
            near[place] -= 1
            if not near[place]:
                del near[place]
        at, ahead = to, max(ahead, to)


def _best(blocks: Sequence[Match], region: Words, unit: Unit) -> Similar | None:
    """The stretch of `region` that is most like `unit`, both ends of it matching."""
    weight = tuple(accumulate(map(letters, region), initial=0))
    same = [sum(_common(region[b.a + n], unit.words[b.b + n]) for n in range(b.size)) for b in blocks]
    long = len(unit.words)

    def stretch(first: int, last: int, both: int) -> Similar:
        a, b = blocks[first], blocks[last]
        share = 2 * both / (unit.letters + weight[b.a + b.size] - weight[a.a])
        return Similar(a.a, b.a + b.size, share, 0.0, a.b, long - b.b - b.size)

    if not blocks:
        return None
    if len(blocks) > BLOCKS:
        return _trimmed(stretch, same)
    sums = (enumerate(accumulate(same[first:]), first) for first in range(len(blocks)))
    every = (stretch(first, last, both) for first, ends in enumerate(sums) for last, both in ends)
    return max(every, key=lambda one: one.share)


def _trimmed(stretch: Callable[[int, int, int], Similar], same: Sequence[int]) -> Similar:
    """Of many blocks: all of them, without those at the ends that make the stretch less alike."""
    first, last, both = 0, len(same) - 1, sum(same)
    best = stretch(first, last, both)
    while first < last:
        ends = (stretch(first + 1, last, both - same[first]), stretch(first, last - 1, both - same[last]))
        if max(end.share for end in ends) <= best.share:
            break
        if ends[0].share > ends[1].share:
            both, first, best = both - same[first], first + 1, ends[0]
        else:
            both, last, best = both - same[last], last - 1, ends[1]
    return best


def _common(one: str, other: str) -> int:
    """The letters two forms of a word begin with."""
    return (
        letters(one)
        if one == other
        else sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    )
