"""A text as words with their places; punctuation, blanks and capitals left aside, gaps kept as words of their own."""

from __future__ import annotations

import re
from functools import lru_cache

GAP = "\0"  # stands for what is not looked at
IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # scripts without blanks: each character is taken as a word
IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
PLAIN = re.compile(r"\w+(?:['’]\w+)*|\0+")
MIXED = re.compile(rf"[{IDEOGRAPHS}]|[^\W{IDEOGRAPHS}]+(?:['’][^\W{IDEOGRAPHS}]+)*|\0+")
STEM = 5  # letters that two forms of one word share
KEPT = 2  # long texts whose words are kept: the same stored prompt goes through several conditions, one after another
SHORT = 20_000  # characters of a text that is kept beside
MANY = 64  # others: contexts are asked about again and again

Words = tuple[str, ...]


def words(text: str) -> Words:
    """The words of `text` in one case, with one kind of apostrophe."""
    return _short(text) if len(text) < SHORT else _long(text)


def _words(text: str) -> Words:
    if text.isascii():  # most prompts are: the same, quicker
        return tuple(PLAIN.findall(text.lower()))
    return tuple(map(str.casefold, _pattern(text).findall(text.replace("’", "'"))))


_short, _long = lru_cache(maxsize=MANY)(_words), lru_cache(maxsize=KEPT)(_words)


def span(text: str, at: int) -> tuple[int, int]:
    """Where word number `at` of `text` is."""
    start = starts(text)[at]
    found = _pattern(text).match(text, start)
    return start, found.end() if found else start


@lru_cache(maxsize=KEPT)
def starts(text: str) -> tuple[int, ...]:
    """Where each word of `text` begins."""
    return tuple(map(re.Match.start, _pattern(text).finditer(text)))


@lru_cache(maxsize=KEPT)
def _pattern(text: str) -> re.Pattern[str]:
    """The plain one where it does: it appears twice as fast."""
    return MIXED if IDEOGRAPH.search(text) else PLAIN


@lru_cache(maxsize=KEPT)
def stems(text: str) -> Words:
    """The beginnings of the words: what `expliques` and `expliquez`, `book` and `books` have in common."""
    return tuple(map(stem, words(text)))


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The beginning of a word without a plural's s; no grammar, but the same for both texts that are compared."""
    return (word[:STEM].rstrip("s") or word) if word.isalpha() else word


def even(text: str) -> str:
    """`text` as `words` reads it: in one case, with one kind of apostrophe."""
    return text.replace("’", "'").casefold()


def letters(word: str) -> int:
    """What a word weighs: its letters; an ideograph says as much as three; a gap is never worth going over."""
    if word[0] == GAP:
        return 10_000
    return 3 if len(word) == 1 and _is_ideograph(word) else len(word)


def count(found: Words) -> float:
    """How many words these are; two ideographs make about one."""
    return sum(0.5 if len(word) == 1 and _is_ideograph(word) else 1 for word in found)


def _is_ideograph(char: str) -> bool:
    return char >= "\u3040" and (
        "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff"
    )
