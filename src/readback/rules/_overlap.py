"""Where a text repeats another one, whatever its blanks and capitals; spans count characters of the text as it is.

A repeated text counts when it stands whole, or when one of its sentences of SENTENCE words or more does. A short one
(fewer than SHORT characters) must be a sentence of its own, so that "Be brief." is found in "Be brief. Why?" and not
in "Tell her to be brief.". One that ends a sentence must not be continued in the other text: "You are an assistant."
is not repeated by "You are an assistant manager". RUN words in a row that make no whole sentence are a partial hit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

SHORT = 20  # characters: below, a text is words anybody may use
LEAST = 4  # characters: below, even a whole sentence says nothing
SENTENCE = 5  # words of a sentence that counts on its own
RUN = 8  # words in a row that nobody writes twice by chance
LONG = 5  # words from which a text counts even where the sentence goes on
GAP = "\0"  # stands for what is not looked at

_ENDS = ".!?…:;,。！？：；，"
_BREAK = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n\s*\n")


@dataclass(frozen=True, slots=True)
class Hit:
    """`text[start:end]` repeats the text of number `which`; `part` where it is no whole sentence of it."""

    start: int
    end: int
    which: int
    part: bool = False


@dataclass(frozen=True, slots=True)
class Phrase:
    """What is looked for: blanks and capitals evened out, the last punctuation left off; and `as_it_is`."""

    text: str
    words: int
    as_it_is: str = ""


def overlaps(text: str, sources: Sequence[str]) -> tuple[Hit, ...]:
    """Every stretch of `text` that repeats one of `sources`, in order; no two overlap, the longest one wins."""
    even = normal(text)
    found = [hit for which, source in enumerate(sources) for hit in _of_one(text, even, source, which)]
    taken: list[Hit] = []
    for hit in sorted(_joined(found), key=lambda hit: (hit.part, hit.start - hit.end, hit.which)):
        if all(hit.end <= other.start or other.end <= hit.start for other in taken):
            taken.append(hit)
    return tuple(sorted(taken, key=lambda hit: hit.start))


def _of_one(text: str, even: str, source: str, which: int) -> Iterator[Hit]:
    """The hits of one source; where it stands whole, its parts are not looked for."""
    for number, (part, phrase) in enumerate(_looked_for(source)):
        if phrase.text not in even:
            continue
        spans = tuple(_spans(text, phrase, part))
        yield from (Hit(start, end, which, part) for start, end in spans)
        if spans and not number:
            return


def places(text: str, part: str) -> Iterator[tuple[int, int]]:
    """Where `part` stands in `text`: exactly, else with blanks and capitals evened out."""
    if part and part in text:
        yield from _exactly(text, part)
    elif (phrase := normal(part)) and phrase in normal(text):
        yield from _found(text, phrase)


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """`text` with the spans replaced by gaps of the same length."""
    for start, end in spans:
        text = text[:start] + GAP * (end - start) + text[end:]
    return text


def normal(text: str) -> str:
    """`text` in one case, with one space for every run of blanks and none at its ends."""
    return " ".join(text.casefold().split())


@lru_cache(maxsize=512)
def _looked_for(source: str) -> tuple[tuple[bool, Phrase], ...]:
    whole = _phrase(source)
    if len(whole.text) < LEAST:
        return ()
    sentences = {p.text: p for p in map(_phrase, _BREAK.split(source)) if p.words >= SENTENCE and len(p.text) >= SHORT}
    words = normal(source).split()
    runs = {" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}
    sentences.pop(whole.text, None)
    return (
        (False, whole),
        *((False, sentence) for sentence in sentences.values()),
        *((True, Phrase(run, RUN)) for run in sorted(runs)),
    )


def _phrase(text: str) -> Phrase:
    even = normal(text).rstrip(_ENDS + " ")
    return Phrase(even, len(even.split()), text.strip().rstrip(_ENDS + " "))


def _spans(text: str, phrase: Phrase, part: bool) -> Iterator[tuple[int, int]]:
    for start, end in _found(text, phrase.text, phrase.as_it_is):
        before, after = text[:start], text[end:]
        if _one_word(before[-1:], phrase.text[0]) or _one_word(phrase.text[-1], after[:1]):
            continue
        long_enough = part or phrase.words >= LONG
        if long_enough or (not _goes_on(after) and (len(phrase.text) >= SHORT or _begins(before))):
            yield start, _with_end(text, end)


def _with_end(text: str, end: int) -> int:
    return end + 1 if text[end : end + 1] and text[end] in _ENDS else end


def _goes_on(after: str) -> bool:
    """Whether the sentence continues: a small letter or a digit follows on the same line."""
    follows = after.lstrip(" \t\u00a0")[:1]
    return follows.isalnum() and not follows.isupper() and not _unspaced(follows)


def _one_word(left: str, right: str) -> bool:
    """Whether two neighbours belong to one word."""
    return all(char.isalnum() and not _unspaced(char) for char in (left, right))


def _unspaced(char: str) -> bool:
    """Whether a letter belongs to a script without capitals: there neither case nor blanks tell where words end."""
    return char.isalpha() and char.upper() == char.lower()


def _begins(before: str) -> bool:
    """Whether a sentence begins here: at the start, on a new line, after punctuation or after a gap."""
    last = before.rstrip(" \t\u00a0")[-1:]
    return not last or last in _ENDS or last in "\n\r\"'«“(" + GAP


def _joined(hits: Iterable[Hit]) -> Iterator[Hit]:
    """Partial hits of one source that overlap, as one; the others as they are."""
    parts = sorted((hit for hit in hits if hit.part), key=lambda hit: (hit.which, hit.start))
    yield from (hit for hit in hits if not hit.part)
    last: Hit | None = None
    for hit in parts:
        if last and hit.which == last.which and hit.start <= last.end:
            last = Hit(last.start, max(last.end, hit.end), last.which, True)
            continue
        if last:
            yield last
        last = hit
    if last:
        yield last


def _exactly(text: str, part: str) -> Iterator[tuple[int, int]]:
    start = text.find(part)
    while start >= 0:
        yield start, start + len(part)
        start = text.find(part, start + len(part))


def _found(text: str, phrase: str, as_it_is: str = "") -> Iterator[tuple[int, int]]:
    """Every place of an evened phrase; quickly where it always stands as it was written."""
    if as_it_is and text.count(as_it_is) == normal(text).count(phrase):
        yield from _exactly(text, as_it_is)
        return
    even, starts = _spread(text)
    at = even.find(phrase)
    while at >= 0:
        yield starts[at], starts[at + len(phrase) - 1] + 1
        at = even.find(phrase, at + len(phrase))


@lru_cache(maxsize=8)
def _spread(text: str) -> tuple[str, tuple[int, ...]]:
    """The evened text, and for each of its characters the one of `text` it comes from."""
    chars: list[str] = []
    starts: list[int] = []
    for at, char in enumerate(text):
        if not char.isspace():
            folded = char.casefold()
            chars.extend(folded)
            starts.extend([at] * len(folded))
        elif chars and chars[-1] != " ":
            chars.append(" ")
            starts.append(at)
    return "".join(chars), tuple(starts)
