"""Find where a text repeats another one, word by word, with small edits or in part.

A repeated text counts when it is whole, or when one of its sentences of five words or more does; punctuation, blanks
and capitals aside. A text of fewer than SHORT characters must be a sentence by itself, so that "Be brief." is found in
"Be brief. Why?" and not in "Tell her to be brief.". A text that ends a sentence must not continue in the other text:
"You are an assistant manager" does not repeat "You are an assistant.". RUN words in a row that make no whole sentence
are a partial repetition.

An edited repetition is as similar as the share of its letters in words that both texts have in the same order; forms of
one word count with the letters they begin with. Common pairs of neighbouring words (seeds) say where to look; there the
words are aligned, and the most similar stretch is taken.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import Match as Block
from difflib import SequenceMatcher
from itertools import accumulate, pairwise, takewhile
from typing import Literal, NamedTuple

from readback.checks.facts.text_units import (
    ENDS,
    GAP,
    MAX_SEEDS,
    Index,
    Unit,
    Words,
    build_index,
    count_letters,
    get_following,
    get_preceding,
    is_continued,
    is_sentence_start,
    list_stems,
    locate_word,
    locate_words,
    may_contain,
    split_words,
)

SHORT = 20  # characters: a text below is words that anybody may use
LONG = 5  # words from which on a text counts even where the sentence continues
RUN, RUN_LETTERS = 8, 24  # words in a row, and their letters, that nobody writes twice by chance
THRESHOLD = 0.8  # similarity of two texts that is required if nothing else is configured

EXACT_BONUS = 1.25  # how much more a word counts in an exact match than in one that is only similar
HEAD, HEAD_SEARCHES = 32, 8  # characters by which a long part is searched, and how often before Python's own search
MAX_GAP = 4  # words between two sentences of one text that still belong to the match

MIN_TEXT, MIN_SENTENCE = (5, 20), (8, 36)  # words and letters of a whole text, of a sentence, to be found edited
SHORT_UNIT = 8  # words: an edited unit below must be a sentence by itself, and more similar than required
MIDDLE_UNIT = 12  # words: an edited unit below must be a sentence by itself, or more similar than required
MAX_ALIGNED = 300_000  # words that are aligned in one text; only a hostile text needs more
MAX_BLOCKS = 200  # matching blocks of one alignment up to which every run of them is weighed

How = Literal["exact", "spacing", "edited", "part"]
Seeds = Sequence[tuple[int, tuple[tuple[int, int], ...]]]  # word of the text, then (unit, word of the unit) for each
UnitSeeds = Sequence[tuple[int, int]]  # of one unit: word of the text, word of the unit


@dataclass(frozen=True, slots=True)
class Hit:
    """`text[start:end]` repeats the source with that index, with a similarity of `share` where `needed` is required.

    `how`: exact, or exact but for blanks, capitals and punctuation, or edited, or only a part.
    """

    start: int
    end: int
    source: int
    how: How = "exact"
    share: float = 1.0
    needed: float = THRESHOLD

    @property
    def part(self) -> bool:
        """Whether only a part of the source is repeated."""
        return self.how == "part"


@dataclass(frozen=True, slots=True)
class Match:
    """Words `first` up to `last` (not included) are `unit`, or a `part` of it, or `edited` and similar by `share`."""

    first: int
    last: int
    unit: Unit
    part: bool = False
    edited: bool = False
    share: float = 1.0
    needed: float = 0.0


class Similar(NamedTuple):
    """Words `first` up to `last` (not included) are similar to a unit by `share`; `needed` is required.

    `before` and `after` count the words at the unit's ends that have no counterpart.
    """

    first: int
    last: int
    share: float
    needed: float
    before: int
    after: int


def find_repetitions(
    text: str, sources: Sequence[str], threshold: float = THRESHOLD, edits: bool = True
) -> tuple[Hit, ...]:
    """Return every stretch of a text that repeats one of the sources, in order, without overlaps: the longest stays.

    Without `edits`, similar stretches and parts do not count. The time is proportional to the text's length.
    """
    index = build_index(tuple(sources))
    if not edits and not may_contain(text, index):
        return ()
    words, stems = split_words(text), list_stems(text)
    pairs = index.pairs
    seeds = [(position, pairs[pair]) for position, pair in enumerate(pairwise(stems)) if pair in pairs][:MAX_SEEDS]
    if not seeds and not index.single:
        return ()
    matches = list(_find_exact(text, words, seeds, index))
    complete = {match.unit.source for match in matches if match.unit.is_whole}
    matches = [match for match in matches if match.unit.is_whole or match.unit.source not in complete]
    matches = list(_join_neighbours(_choose_matches(matches, len(words)), words))
    if edits:
        by_unit = _group_by_unit(seeds, index, complete)
        exact = {match.unit for match in matches}
        similar = {unit: seeds for unit, seeds in by_unit.items() if unit not in exact}
        matches += _find_edited(text, words, similar, threshold)
        matches += _find_runs(words, {unit: seeds for unit, seeds in by_unit.items() if unit.is_whole})
    matches = list(_join_neighbours(_choose_matches(matches, len(words)), words))
    return tuple(_build_hit(text, match, sources, threshold) for match in matches)


def find_places(text: str, part: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each place of `part`: exactly, else with blanks, capitals and punctuation aside."""
    start = find(text, part) if part else -1
    if start >= 0:
        while start >= 0:
            yield start, start + len(part)
            start = find(text, part, start + len(part))
        return
    searched, words, trimmed = split_words(part), split_words(text), part.strip()
    first = _find_words(words, searched, 0)
    while first is not None:
        end_word = first + len(searched)
        start, end = locate_words(text, first, end_word)
        opening, closing = trimmed[: locate_word(trimmed, 0)[0]], trimmed[locate_word(trimmed, -1)[1] :]
        has_opening, has_closing = text.endswith(opening, 0, start), text.startswith(closing, end)
        yield start - len(opening) * has_opening, end + len(closing) * has_closing
        first = _find_words(words, searched, end_word)


def find(text: str, part: str, start: int = 0) -> int:
    """Return what `text.find(part, start)` does, searching a long part by its first characters.

    Python's own search prepares itself for each long part, which costs more than the search.
    """
    if len(part) <= HEAD:
        return text.find(part, start)
    head = part[:HEAD]
    for _ in range(HEAD_SEARCHES):
        start = text.find(head, start)
        if start < 0 or text.startswith(part, start):
            return start
        start += 1
    return text.find(part, start)


def _find_words(words: Words, searched: Words, first: int) -> int | None:
    """Return the index of the next place of some words in a row, from `first` on; None if there is none."""
    while searched:
        try:
            first = words.index(searched[0], first)
        except ValueError:
            return None
        if words[first : first + len(searched)] == searched:
            return first
        first += 1
    return None


def blank_out(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text of the same length in which GAP replaces each character of the spans."""
    parts: list[str] = []
    position = 0
    for start, end in sorted(spans):
        parts += (text[position:start], GAP * (end - max(start, position)))
        position = max(position, end)
    return "".join((*parts, text[position:]))


def normalize(text: str) -> str:
    """Return a text casefolded, with one space for every run of blanks and none at its ends."""
    return " ".join(text.casefold().split())


def find_first_difference(text: str, other: str) -> int:
    """Return the index of the first character in which two texts differ; the shorter length if there is none."""
    pairs = zip(text, other, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(text), len(other)))


# Exact matches


def _find_exact(text: str, words: Words, seeds: Seeds, index: Index) -> Iterator[Match]:
    """Yield the units that are in a text word by word, a sentence with those around it that both texts have."""
    starts = [(first, number) for first, positions in seeds for number, position in positions if not position]
    if index.single:
        for first, word in enumerate(list_stems(text)):
            starts += [(first, number) for number in index.single.get(word, ())]
    for first, number in starts:
        unit = index.units[number]
        match = Match(first, first + len(unit.words), unit)
        if words[first : match.last] != unit.words:
            continue
        if not _has_edges(text, match, unit.size >= LONG, unit.characters >= SHORT):
            continue
        if unit.is_whole:
            yield match
        else:
            yield _extend(words, match, index.texts[unit.source], index.sentence_starts[unit.source])


def _extend(words: Words, match: Match, source: Words, sentence_starts: frozenset[int]) -> Match:
    """Return the match of a sentence with the whole sentences before and after it that are the same in both texts."""
    first, last = match.first, match.last
    shift = match.unit.first - first
    while first and first + shift and words[first - 1] == source[first - 1 + shift]:
        first -= 1
    while last < len(words) and last + shift < len(source) and words[last] == source[last + shift]:
        last += 1
    while first + shift not in sentence_starts:
        first += 1
    while last + shift not in sentence_starts:
        last -= 1
    return replace(match, first=first, last=last)


def _has_edges(text: str, match: Match, may_continue: bool, may_be_inside: bool) -> bool:
    """Return whether a match is a sentence by itself, as far as it must be."""
    if may_continue:
        return True
    start, end = locate_words(text, match.first, match.last)
    if is_continued(get_following(text, end)):
        return False
    return may_be_inside or is_sentence_start(get_preceding(text, start))


# Edited matches


def _group_by_unit(seeds: Seeds, index: Index, complete: set[int]) -> dict[Unit, list[tuple[int, int]]]:
    """Return the seeds of each unit, without the units of texts that were found complete."""
    by_number: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for first, positions in seeds:
        for number, position in positions:
            by_number[number].append((first, position))
    units = {index.units[number]: seeds_of_unit for number, seeds_of_unit in by_number.items()}
    return {unit: seeds_of_unit for unit, seeds_of_unit in units.items() if unit.source not in complete}


def _find_edited(text: str, words: Words, by_unit: Mapping[Unit, UnitSeeds], threshold: float) -> Iterator[Match]:
    """Yield what is similar to a unit; inside another sentence only a long unit, or a very similar stretch, counts."""
    budget = [MAX_ALIGNED]
    for unit, seeds in by_unit.items():
        if not _is_searchable(unit):
            continue
        for similar in _find_similar(words, list_stems(text), unit, seeds, threshold, budget):
            first, last = _extend_to_changed_words(text, words, similar)
            match = Match(first, last, unit, False, True, similar.share, similar.needed)
            is_near = unit.size >= SHORT_UNIT and match.share >= _raise_threshold(threshold)
            may_be_inside = unit.size >= MIDDLE_UNIT or is_near
            if _has_edges(text, match, may_be_inside, may_be_inside):
                yield match


def _is_searchable(unit: Unit) -> bool:
    """Return whether a unit is long enough to be recognised by something similar."""
    if unit.is_whole:
        words, letters = MIN_TEXT
    else:
        words, letters = MIN_SENTENCE
    return unit.size >= words and unit.letters >= letters


def _raise_threshold(threshold: float) -> float:
    """Return the similarity required of short texts, so that "into Dutch" is not taken for "into German"."""
    return (1 + threshold) / 2


def _find_similar(
    words: Words, stems: Words, unit: Unit, seeds: UnitSeeds, threshold: float, budget: list[int]
) -> Iterator[Similar]:
    """Yield the stretches that are similar to a unit, in order, without overlaps.

    `budget` holds the number of words that may still be aligned. A window of the text is aligned where at least a
    quarter of the unit's pairs of words are.
    """
    length = len(unit.words)
    if unit.size >= SHORT_UNIT:
        needed = threshold
    else:
        needed = _raise_threshold(threshold)
    min_pairs, reach = max(1, length // 4), length + length // 3 + 2
    matcher = SequenceMatcher(None, b=unit.stems, autojunk=False)
    current, ahead, free = 0, 0, 0  # indices of seeds: the window's first, and its end; first word not yet taken
    window: Counter[int] = Counter()  # positions in the unit of the seeds in the window
    while current < len(seeds) and budget[0] > 0:
        word = seeds[current][0]
        while ahead < len(seeds) and seeds[ahead][0] < word + reach:
            window[seeds[ahead][1]] += 1
            ahead += 1
        following = current + 1
        if len(window) >= min_pairs:
            low, high = max(free, word - reach), word + reach
            budget[0] -= high - low
            matcher.set_seq1(stems[low:high])
            best = _find_best_stretch(matcher.get_matching_blocks()[:-1], words[low:high], unit)
            if best and best.share >= needed:
                free = low + best.last
                yield best._replace(first=low + best.first, last=free, needed=needed)
                following = bisect_left(seeds, (free, 0), current + 1)
            else:
                following = bisect_left(seeds, (word + max(1, length // 4), 0), current + 1)
        for _, position in seeds[current : min(following, ahead)]:
            window[position] -= 1
            if not window[position]:
                del window[position]
        current, ahead = following, max(ahead, following)


def _find_best_stretch(blocks: Sequence[Block], region: Words, unit: Unit) -> Similar | None:
    """Return the stretch of a region that is most similar to a unit and matches at both ends; None if none matches."""
    weights = tuple(accumulate(map(count_letters, region), initial=0))
    shared = [
        sum(_count_common_letters(region[block.a + n], unit.words[block.b + n]) for n in range(block.size))
        for block in blocks
    ]
    length = len(unit.words)

    def weigh(first: int, last: int, letters: int) -> Similar:
        start, end = blocks[first], blocks[last]
        share = 2 * letters / (unit.letters + weights[end.a + end.size] - weights[start.a])
        return Similar(start.a, end.a + end.size, share, 0.0, start.b, length - end.b - end.size)

    if not blocks:
        return None
    if len(blocks) > MAX_BLOCKS:
        return _trim_stretch(weigh, shared)
    stretches = []
    for first in range(len(blocks)):
        for last, letters in enumerate(accumulate(shared[first:]), first):
            stretches.append(weigh(first, last, letters))
    return max(stretches, key=lambda stretch: stretch.share)


def _trim_stretch(weigh: Callable[[int, int, int], Similar], shared: Sequence[int]) -> Similar:
    """Return the stretch of all blocks without those at its ends that make it less similar."""
    first, last, letters = 0, len(shared) - 1, sum(shared)
    best = weigh(first, last, letters)
    while first < last:
        without_first = weigh(first + 1, last, letters - shared[first])
        without_last = weigh(first, last - 1, letters - shared[last])
        if max(without_first.share, without_last.share) <= best.share:
            break
        if without_first.share > without_last.share:
            letters, first, best = letters - shared[first], first + 1, without_first
        else:
            letters, last, best = letters - shared[last], last - 1, without_last
    return best


def _count_common_letters(word: str, other: str) -> int:
    """Return the number of letters that two forms of a word begin with."""
    if word == other:
        return count_letters(word)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))


def _extend_to_changed_words(text: str, words: Words, similar: Similar) -> tuple[int, int]:
    """Return first and last word of a stretch with the changed words at its ends that are in the same sentence."""
    first, last = similar.first, similar.last
    while first > 0 and similar.first - first < similar.before and _are_in_one_sentence(text, words, first - 1):
        first -= 1
    while last < len(words) and last - similar.last < similar.after and _are_in_one_sentence(text, words, last - 1):
        last += 1
    return first, last


def _are_in_one_sentence(text: str, words: Words, first: int) -> bool:
    """Return whether a word and the next one are in one sentence, on one line."""
    between = text[locate_word(text, first)[1] : locate_word(text, first + 1)[0]]
    if GAP in (words[first][0], words[first + 1][0]):
        return False
    return not any(char in ENDS or char in "\n\r" for char in between)


def _find_runs(words: Words, by_unit: Mapping[Unit, UnitSeeds]) -> Iterator[Match]:
    """Yield RUN words or more in a row that are in a row in the unit, too."""
    for unit, seeds in by_unit.items():
        first = last = shift = -1
        same = [
            (word, position)
            for word, position in seeds
            if words[word : word + 2] == unit.words[position : position + 2]
        ]
        same.sort(key=lambda seed: (seed[0] - seed[1], seed[0]))
        for word, position in (*same, (len(words) + 1, -1)):
            if shift == word - position and word == last - 1:
                last += 1
                continue
            if last - first >= RUN and sum(map(count_letters, words[first:last])) >= RUN_LETTERS:
                yield Match(first, last, unit, part=True)
            first, last, shift = word, word + 2, word - position


# From matches to hits


def _build_hit(text: str, match: Match, sources: Sequence[str], threshold: float) -> Hit:
    start, end = locate_words(text, match.first, match.last)
    how: How = "spacing"
    if match.part:
        how = "part"
    elif match.edited:
        how = "edited"
    elif text[start:end] in sources[match.unit.source]:
        how = "exact"
    if text[end : end + 1] and text[end] in ENDS:
        end += 1
    return Hit(start, end, match.unit.source, how, match.share, match.needed or threshold)


def _choose_matches(matches: Iterable[Match], length: int) -> list[Match]:
    """Return the matches that stay where some overlap: the longest; an exact one before one that is only similar."""
    occupied = bytearray(length)
    chosen = []
    for match in sorted(matches, key=_rank):
        if occupied.find(1, match.first, match.last) < 0:
            occupied[match.first : match.last] = b"\1" * (match.last - match.first)
            chosen.append(match)
    return sorted(chosen, key=lambda match: match.first)


def _rank(match: Match) -> tuple[bool, float, int, int]:
    length = (match.last - match.first) * (1 if match.edited else EXACT_BONUS)
    return match.part, -length, match.first, match.unit.source


def _join_neighbours(matches: Iterable[Match], words: Words) -> Iterator[Match]:
    """Yield neighbouring sentences of one source as one match, with the few words between them."""
    previous: Match | None = None
    for match in matches:
        if previous and _belong_together(previous, match, words):
            previous = _join(previous, match, words)
            continue
        if previous:
            yield previous
        previous = match
    if previous:
        yield previous


def _belong_together(match: Match, following: Match, words: Words) -> bool:
    if match.unit.source != following.unit.source:
        return False
    if match.unit.is_whole and following.unit.is_whole and not (match.part or following.part):
        return False
    between = words[match.last : following.first]
    return len(between) <= MAX_GAP and not any(word[0] == GAP for word in between)


def _join(match: Match, following: Match, words: Words) -> Match:
    """Return two matches as one, in which the words between them count as edited."""
    first_weight = sum(map(count_letters, words[match.first : match.last]))
    second_weight = sum(map(count_letters, words[following.first : following.last]))
    weight = sum(map(count_letters, words[match.first : following.last]))
    return Match(
        first=match.first,
        last=following.last,
        unit=match.unit,
        part=match.part and following.part,
        edited=match.edited or following.edited or match.last < following.first,
        share=(first_weight * match.share + second_weight * following.share) / weight,
        needed=max(match.needed, following.needed),
    )
