"""What is looked for of each text: the whole and its sentences, with an index of their pairs of neighbouring words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise

from readback.checks.facts.text_words import Words, count, even, letters, stem, words

LEAST = 4  # characters: below, even a whole text says nothing
SENTENCE, SENTENCE_LETTERS = 5, 20  # words and characters of a sentence that counts on its own

# A sentence ends with its mark, at a blank line, or where the next line is an item of a list or a heading.
BREAK = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n\s*\n|\n(?=[ \t]*(?:[-*•–]|\d+[.)]|#+)[ \t])")
ASCII = bytes(range(0x80))
# Characters, beside those of ASCII, that are letters of ASCII in one case: ß, ŉ, ſ, İ, ǰ, ẖ to ẞ, K, ﬀ to ﬆ.
BECOME_ASCII = re.compile(
    b"\xc3\x9f|\xc5[\x89\xbf]|\xc4\xb0|\xc7\xb0|\xe1\xba[\x96-\x9e]|\xe2\x84\xaa|\xef\xac[\x80-\x86]"
)
SEEDS = 100_000  # pairs of words in common that are followed up; only a text made to hold us up has more

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Unit:
    """The words of text number `which`, or of one sentence of it, from its word `at`.

    `size` counts words, two ideographs as one; `characters` as the text is read.
    """

    which: int
    at: int
    words: Words
    stems: Words
    letters: int
    size: float
    characters: int
    whole: bool
    longest: Words


@dataclass(frozen=True)
class Index:
    """Units, and where each pair of neighbouring stems is in them: (unit, word). `single`: units of one word.

    `whole`: the words of each text; `bounds`: those of them with which a sentence begins, and the end. `anchors`: a
    few words, of which each unit has one.
    """

    units: tuple[Unit, ...]
    pairs: Mapping[Pair, tuple[tuple[int, int], ...]]
    single: Mapping[str, tuple[int, ...]]
    whole: tuple[Words, ...]
    bounds: tuple[frozenset[int], ...]
    anchors: tuple[str, ...]

    @cached_property
    def plain(self) -> tuple[bytes, ...] | None:
        """The anchors in ASCII, where all of them are letters and digits of it."""
        every = [word.encode() for word in self.anchors if word.isascii() and word.isalnum()]
        return tuple(every) if len(every) == len(self.anchors) else None


@lru_cache(maxsize=64)
def index(sources: tuple[str, ...]) -> Index:
    """The index of these texts; kept, for the system texts of a workspace are looked for in every prompt."""
    units = tuple(unit for which, source in enumerate(sources) for unit in _units(which, source))
    pairs: dict[Pair, list[tuple[int, int]]] = defaultdict(list)
    single: dict[str, list[int]] = defaultdict(list)
    for number, unit in enumerate(units):
        for at, pair in enumerate(pairwise(unit.stems)):
            pairs[pair].append((number, at))
        if len(unit.words) == 1:
            single[unit.stems[0]].append(number)
    return Index(
        units,
        {pair: tuple(found) for pair, found in pairs.items()},
        {word: tuple(found) for word, found in single.items()},
        tuple(map(words, sources)),
        tuple(frozenset(accumulate((len(words(part)) for part in BREAK.split(one)), initial=0)) for one in sources),
        _anchors(units),
    )


def _anchors(units: Iterable[Unit]) -> tuple[str, ...]:
    often = Counter(word for unit in units for word in unit.longest)
    return tuple(dict.fromkeys(max(unit.longest, key=lambda word: (often[word], word)) for unit in units))


def may_hold(text: str, looked: Index) -> bool:
    """Whether one of the units can be in `text` word by word, by its longest words; much quicker than to look."""
    if not text.isascii() and looked.plain is not None and _has_none(text, looked.plain):
        return False
    read = even(text)
    there = {word for word in looked.anchors if word in read}
    if not there:
        return False
    return any(
        not there.isdisjoint(unit.longest) and all(word in read for word in unit.longest) for unit in looked.units
    )


def _has_none(text: str, plain: Iterable[bytes]) -> bool:
    """Whether surely none of these words is in a text: in bytes, of which only ASCII has to be put in one case."""
    raw = text.encode("utf-8", "surrogatepass")
    if BECOME_ASCII.search(raw.translate(None, ASCII)):
        return False
    lower = raw.lower()
    return not any(word in lower for word in plain)


def _units(which: int, source: str) -> Iterator[Unit]:
    whole = _unit(which, 0, source, True)
    if not whole.words or whole.characters < LEAST:
        return
    yield whole
    seen = {whole.words}
    at = 0
    for sentence in BREAK.split(source):
        one = _unit(which, at, sentence, False)
        at += len(one.words)
        if one.words not in seen and one.size >= SENTENCE and one.characters >= SENTENCE_LETTERS:
            seen.add(one.words)
            yield one


def _unit(which: int, at: int, text: str, whole: bool) -> Unit:
    found = words(text)
    longest = tuple(sorted(set(found), key=len, reverse=True)[:2])
    read = " ".join(text.split()).rstrip(".!?… ")
    return Unit(
        which, at, found, tuple(map(stem, found)), sum(map(letters, found)), count(found), len(read), whole, longest
    )
