"""Split texts into words and sentences with their places, and index them so that repetitions are found quickly.

Words leave punctuation, blanks and capitals aside. Characters that are not to be looked at are replaced by GAP, which
is a word.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, groupby, pairwise

GAP = "\0"  # stands for a character that is not looked at
IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # scripts without blanks: each character counts as a word
IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
PLAIN = re.compile(r"\w+(?:['’]\w+)*|\0+")
MIXED = re.compile(rf"[{IDEOGRAPHS}]|[^\W{IDEOGRAPHS}]+(?:['’][^\W{IDEOGRAPHS}]+)*|\0+")
STEM = 5  # letters that two forms of one word share
LONG_TEXTS = 2  # long texts whose words are cached: several conditions send the same stored prompt one after another
SHORT = 20_000  # characters: texts below are cached beside the long ones
SHORT_TEXTS = 64  # short texts whose words are cached: rules ask about contexts again and again

ENDS = ".!?…:;,。！？：；，"
# What separates the items of a list: punctuation, brackets, quotes, a line end, a bullet or number before an item.
SEPARATOR = re.compile(
    r"""([,;:|/"`“”„«»()\[\]{}<>=•、，；：]|(?<=[.!?…])\s+|(?<=[。！？])|[\n\r]|(?:^|(?<=\s))(?:[-–—*+]|\d+[.)])(?=\s))"""
)
INNER_SEPARATORS = ',;:|/"`“”„«»()[]{}<>=、，；：'  # those that also occur inside a sentence
STOPS = ".!?…。！？"
MIN_LIST_ITEMS = 3  # items from which on a text is a list of names
MAX_NAME_WORDS = 3  # words up to which an item is a name
NEIGHBOURHOOD = 40  # characters before and after a span that are looked at

MIN_CHARACTERS = 4  # below, even a whole text says nothing
MIN_SENTENCE_WORDS, MIN_SENTENCE_CHARACTERS = 5, 20  # of a sentence that counts by itself
# A sentence ends with its mark, at a blank line, or where the next line is a list item or a heading.
BREAK = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n\s*\n|\n(?=[ \t]*(?:[-*•–]|\d+[.)]|#+)[ \t])")
ASCII = bytes(range(0x80))
# Characters outside ASCII that casefold to ASCII letters: ß, ŉ, ſ, İ, ǰ, ẖ to ẞ, K, ﬀ to ﬆ.
BECOME_ASCII = re.compile(
    b"\xc3\x9f|\xc5[\x89\xbf]|\xc4\xb0|\xc7\xb0|\xe1\xba[\x96-\x9e]|\xe2\x84\xaa|\xef\xac[\x80-\x86]"
)
MAX_SEEDS = 100_000  # common pairs of words that are followed up; only a hostile text has more

Words = tuple[str, ...]
Pair = tuple[str, str]


# Words


def split_words(text: str) -> Words:
    """Return the words of a text, casefolded and with one kind of apostrophe."""
    if len(text) < SHORT:
        return _split_short(text)
    return _split_long(text)


def _split(text: str) -> Words:
    if text.isascii():  # most prompts are, and this is quicker
        return tuple(PLAIN.findall(text.lower()))
    return tuple(map(str.casefold, _choose_pattern(text).findall(text.replace("’", "'"))))


_split_short, _split_long = lru_cache(maxsize=SHORT_TEXTS)(_split), lru_cache(maxsize=LONG_TEXTS)(_split)


def locate_word(text: str, index: int) -> tuple[int, int]:
    """Return start and end of the word with that index; a negative index counts from the last word."""
    start = list_word_starts(text)[index]
    match = _choose_pattern(text).match(text, start)
    return start, match.end() if match else start


def locate_words(text: str, first: int, end: int) -> tuple[int, int]:
    """Return start and end of the words from index `first` up to `end`, which is not included."""
    return locate_word(text, first)[0], locate_word(text, end - 1)[1]


@lru_cache(maxsize=LONG_TEXTS)
def list_word_starts(text: str) -> tuple[int, ...]:
    """Return the character with which each word begins."""
    return tuple(map(re.Match.start, _choose_pattern(text).finditer(text)))


@lru_cache(maxsize=LONG_TEXTS)
def _choose_pattern(text: str) -> re.Pattern[str]:
    """Return PLAIN for a text without ideographs: it is twice as fast."""
    if IDEOGRAPH.search(text):
        return MIXED
    return PLAIN


@lru_cache(maxsize=LONG_TEXTS)
def list_stems(text: str) -> Words:
    """Return the stem of each word, which `expliques` and `expliquez`, `book` and `books` have in common."""
    return tuple(map(cut_stem, split_words(text)))


@lru_cache(maxsize=1 << 16)
def cut_stem(word: str) -> str:
    """Return the first letters of a word without a plural's s. No grammar, but the same for both texts compared."""
    if word.isalpha():
        return word[:STEM].rstrip("s") or word
    return word


def fold(text: str) -> str:
    """Return a text as `split_words` reads it: casefolded, with one kind of apostrophe."""
    return text.replace("’", "'").casefold()


def count_letters(word: str) -> int:
    """Return the weight of a word: its letters. An ideograph counts as three; a gap is never worth bridging."""
    if word[0] == GAP:
        return 10_000
    if len(word) == 1 and _is_ideograph(word):
        return 3
    return len(word)


def count_words(words: Words) -> float:
    """Return the number of words, in which two ideographs count as one."""
    return sum(0.5 if len(word) == 1 and _is_ideograph(word) else 1 for word in words)


def _is_ideograph(char: str) -> bool:
    return char >= "\u3040" and (
        "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff"
    )


# The edges of a span: whether it is a sentence


def get_following(text: str, end: int) -> str:
    """Return the text right after a span that ends at `end`."""
    return text[end : end + NEIGHBOURHOOD]


def get_preceding(text: str, start: int) -> str:
    """Return the text right before a span that begins at `start`."""
    return text[max(0, start - NEIGHBOURHOOD) : start]


def is_continued(following: str) -> bool:
    """Return whether the sentence continues: a small letter or a digit follows on the same line."""
    char = following.lstrip(" \t\u00a0")[:1]
    return char.isalnum() and not char.isupper() and not _has_no_case(char)


def is_sentence_start(preceding: str) -> bool:
    """Return whether a sentence begins after this text: at its start, after a line end, punctuation, a mark or GAP."""
    last = preceding.rstrip(" \t\u00a0")[-1:]
    return not last or last in ENDS or last in "\n\r\"'`«‹“„‘「(*#>-" + GAP


def _has_no_case(char: str) -> bool:
    """Return whether a letter belongs to a script without capitals, where case cannot show a sentence's start."""
    return char.isalpha() and char.upper() == char.lower()


def is_list_of_names(text: str, shared: Container[str], limit: float) -> bool:
    """Return whether a text is a list of names and has fewer than `limit` of the `shared` words outside of it.

    A list has three items or more, each of at most three words and none a sentence by itself ("Be kind.").
    """
    has_list, outside = False, 0.0
    for is_name, group in groupby(_split_items(text), lambda item: item[1]):
        items = [item for item, _ in group]
        if is_name and len(items) >= MIN_LIST_ITEMS:
            has_list = True
        else:
            outside += sum(count_words(tuple(word for word in item if word in shared)) for item in items)
    return has_list and outside < limit


def _split_items(text: str) -> list[tuple[Words, bool]]:
    """Return the words of each stretch between separators, and whether it may be a name in a list."""
    items = []
    parts = SEPARATOR.split(text)
    for separator, part in zip(["\n", *parts[1::2]], parts[::2], strict=True):
        words = split_words(part)
        if words:
            is_sentence = count_words(words) > 1 and part.rstrip()[-1:] in STOPS and separator not in INNER_SEPARATORS
            items.append((words, count_words(words) <= MAX_NAME_WORDS and not is_sentence))
    return items


# Units: whole texts and their sentences


@dataclass(frozen=True, slots=True)
class Unit:
    """A whole text, or one of its sentences.

    `source` is the index of the text and `first` the index of the unit's first word in it. `size` counts words, two
    ideographs as one; `characters` without blanks at the ends. `longest` are its two longest words.
    """

    source: int
    first: int
    words: Words
    stems: Words
    letters: int
    size: float
    characters: int
    is_whole: bool
    longest: Words


@dataclass(frozen=True)
class Index:
    """Units, and for each pair of neighbouring stems where it occurs: (index of the unit, index of the word).

    `single` are the units of one word. `texts` has the words of each text, `sentence_starts` the indices of words with
    which its sentences begin, and its end. Each unit has one of the `anchors` among its words.
    """

    units: tuple[Unit, ...]
    pairs: Mapping[Pair, tuple[tuple[int, int], ...]]
    single: Mapping[str, tuple[int, ...]]
    texts: tuple[Words, ...]
    sentence_starts: tuple[frozenset[int], ...]
    anchors: tuple[str, ...]

    @cached_property
    def ascii_anchors(self) -> tuple[bytes, ...] | None:
        """The anchors as bytes, if all of them are letters and digits of ASCII."""
        anchors = [word.encode() for word in self.anchors if word.isascii() and word.isalnum()]
        if len(anchors) == len(self.anchors):
            return tuple(anchors)
        return None


@lru_cache(maxsize=64)
def build_index(sources: tuple[str, ...]) -> Index:
    """Return the index of some texts; cached, since every prompt is searched for a workspace's system texts."""
    units = tuple(unit for number, source in enumerate(sources) for unit in _list_units(number, source))
    pairs: dict[Pair, list[tuple[int, int]]] = defaultdict(list)
    single: dict[str, list[int]] = defaultdict(list)
    for number, unit in enumerate(units):
        for position, pair in enumerate(pairwise(unit.stems)):
            pairs[pair].append((number, position))
        if len(unit.words) == 1:
            single[unit.stems[0]].append(number)
    return Index(
        units,
        {pair: tuple(positions) for pair, positions in pairs.items()},
        {word: tuple(numbers) for word, numbers in single.items()},
        tuple(map(split_words, sources)),
        tuple(map(_list_sentence_starts, sources)),
        _choose_anchors(units),
    )


def _list_sentence_starts(source: str) -> frozenset[int]:
    lengths = [len(split_words(sentence)) for sentence in BREAK.split(source)]
    return frozenset(accumulate(lengths, initial=0))


def _choose_anchors(units: Iterable[Unit]) -> tuple[str, ...]:
    frequency = Counter(word for unit in units for word in unit.longest)
    return tuple(dict.fromkeys(max(unit.longest, key=lambda word: (frequency[word], word)) for unit in units))


def may_contain(text: str, index: Index) -> bool:
    """Return whether a text may contain one of the units word by word, judged by its longest words.

    This is much quicker than to search; False is sure.
    """
    if not text.isascii() and index.ascii_anchors is not None and _has_none(text, index.ascii_anchors):
        return False
    folded = fold(text)
    present = {word for word in index.anchors if word in folded}
    if not present:
        return False
    return any(
        not present.isdisjoint(unit.longest) and all(word in folded for word in unit.longest) for unit in index.units
    )


def _has_none(text: str, words: Iterable[bytes]) -> bool:
    """Return whether a text surely has none of some words, compared as bytes, of which only ASCII is lowered."""
    raw = text.encode("utf-8", "surrogatepass")
    if BECOME_ASCII.search(raw.translate(None, ASCII)):
        return False
    lower = raw.lower()
    return not any(word in lower for word in words)


def _list_units(number: int, source: str) -> Iterator[Unit]:
    whole = _build_unit(number, 0, source, True)
    if not whole.words or whole.characters < MIN_CHARACTERS:
        return
    yield whole
    earlier = {whole.words}
    first = 0
    for sentence in BREAK.split(source):
        unit = _build_unit(number, first, sentence, False)
        first += len(unit.words)
        is_long = unit.size >= MIN_SENTENCE_WORDS and unit.characters >= MIN_SENTENCE_CHARACTERS
        if is_long and unit.words not in earlier:
            earlier.add(unit.words)
            yield unit


def _build_unit(number: int, first: int, text: str, is_whole: bool) -> Unit:
    words = split_words(text)
    return Unit(
        source=number,
        first=first,
        words=words,
        stems=tuple(map(cut_stem, words)),
        letters=sum(map(count_letters, words)),
        size=count_words(words),
        characters=len(" ".join(text.split()).rstrip(".!?… ")),
        is_whole=is_whole,
        longest=tuple(sorted(set(words), key=len, reverse=True)[:2]),
    )
