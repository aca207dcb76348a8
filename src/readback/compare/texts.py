"""What differs between two texts, by words, blanks and line ends; every character of both is accounted for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from readback.compare.alignment import Budget, Pairs, align, similar
from readback.compare.boundaries import glued, resolved
from readback.compare.change import Change, Kind, blank, change, joined

__all__ = ["Change", "Compared", "Kind", "blank", "changes", "compared", "same_but_blanks"]

TOKEN = re.compile(r"[\w\u0300-\u036f]+|\r\n|[\n\r]|[^\S\n\r]+|[^\w\s]")  # word, line end, run of blanks, sign
LINE = re.compile(r"[^\r\n]+|\r\n|[\r\n]")  # a line end by itself: the last line may lack it
WORDY = 400_000  # characters beyond shared ends up to which words are compared: a third of a second
WORD = 3  # letters of a word that is worth keeping where little else is equal
LONG = 20_000  # characters of a line that is compared as a whole


class Compared(NamedTuple):
    """The changes, and whether they are `coarse`: a stretch that differs was too long to look into."""

    changes: tuple[Change, ...]
    coarse: bool = False


def changes(a: str, b: str) -> tuple[Change, ...]:
    """What turns `a` into `b`, in the order of the text; never raises, never takes long."""
    return compared(a, b).changes


def compared(a: str, b: str) -> Compared:
    """The changes of two texts, and whether they are coarse."""
    budget = Budget()
    found = joined(_stretches(_blocks(a, b, budget), len(a), len(b)))
    found = joined(resolved(found, a, b))
    return Compared(tuple(joined(glued(found, a, b))), budget.spent)


def same_but_blanks(a: str, b: str) -> bool:
    """Whether two texts that differ do so in nothing but white space."""
    return a != b and "".join(a.split()) == "".join(b.split())


def _blocks(a: str, b: str, budget: Budget) -> Iterator[tuple[int, int, int]]:
    """Stretches that are equal: start in a, start in b, length. First what both share at the ends, then the rest."""
    head = _shared(min(len(a), len(b)), lambda low, high: a[low:high] == b[low:high])
    head = _line(a, head) if head < len(a) or head < len(b) else head
    while _inside(a, head) or _inside(b, head):
        head -= 1
    most = min(len(a), len(b)) - head
    tail = _shared(most, lambda low, n: a[len(a) - n : len(a) - low] == b[len(b) - n : len(b) - low])
    tail = len(a) - _next_line(a, len(a) - tail)
    while tail and (_inside(a, len(a) - tail) or _inside(b, len(b) - tail)):
        tail -= 1
    yield 0, 0, head
    one, other = a[head : len(a) - tail], b[head : len(b) - tail]
    yield from ((head + i, head + j, n) for i, j, n in _within(one, other, budget))
    yield len(a) - tail, len(b) - tail, tail


def _shared(most: int, same: Callable[[int, int], bool]) -> int:
    """The greatest n up to `most` for which everything up to n is the same; found by halving."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if same(low, middle) else (low, middle - 1)
    return low


def _line(text: str, at: int) -> int:
    """Where the line begins that a position is in, if that is near: a line that moved is known by all of it."""
    start = text.rfind("\n", max(0, at - LONG), at) + 1
    return start if start or at <= LONG else at


def _next_line(text: str, at: int) -> int:
    """Where the next line end is, if that is near."""
    end = text.find("\n", at, at + LONG)
    return end if end >= 0 else len(text) if at + LONG >= len(text) else at


def _inside(text: str, at: int) -> bool:
    """Whether a token goes on across this position."""
    found = TOKEN.match(text, at - 1) if 0 < at < len(text) else None
    return found is not None and found.end() > at


def _within(a: str, b: str, budget: Budget) -> Iterator[tuple[int, int, int]]:
    """Equal lines, and equal words between them; of a text beyond WORDY only so much of it."""
    lines_a, lines_b = LINE.findall(a), LINE.findall(b)
    starts_a, starts_b = _starts(lines_a), _starts(lines_b)
    left = WORDY
    small = len(a) + len(b) <= WORDY  # then what is between two anchors is better looked at by words than by lines
    for i, i_end, j, j_end, same in _turns(
        align(lines_a, lines_b, budget, search=not small), len(lines_a), len(lines_b)
    ):
        at_a, to_a, at_b, to_b = starts_a[i], starts_a[i_end], starts_b[j], starts_b[j_end]
        if same:
            yield at_a, at_b, to_a - at_a
        elif at_a < to_a and at_b < to_b:
            if (size := to_a - at_a + to_b - at_b) > left:
                budget.spent = True
            else:
                left -= size
                yield from _words(a[at_a:to_a], b[at_b:to_b], at_a, at_b, budget)


def _words(a: str, b: str, at_a: int, at_b: int, budget: Budget) -> Iterator[tuple[int, int, int]]:
    words_a, words_b = TOKEN.findall(a), TOKEN.findall(b)
    starts_a, starts_b = _starts(words_a), _starts(words_b)
    found = align(words_a, words_b, budget) if similar(words_a, words_b) else _ends(words_a, words_b)
    for i, j, n in found:
        yield at_a + starts_a[i], at_b + starts_b[j], starts_a[i + n] - starts_a[i]


def _ends(a: Sequence[str], b: Sequence[str]) -> Pairs:
    """What texts that have little in common begin and end with, where that is more than a scrap."""
    most = min(len(a), len(b))
    head = next((n for n in range(most) if a[n] != b[n]), most)
    tail = next((n for n in range(most - head) if a[-1 - n] != b[-1 - n]), most - head)
    pairs = [(0, 0, head), (len(a) - tail, len(b) - tail, tail)]
    return [(i, j, n) for i, j, n in pairs if any(len(word) >= WORD and word.isalnum() for word in a[i : i + n])]


def _starts(parts: Sequence[str]) -> list[int]:
    found = [0]
    for part in parts:
        found.append(found[-1] + len(part))
    return found


def _turns(pairs: Pairs, end_a: int, end_b: int) -> Iterator[tuple[int, int, int, int, bool]]:
    """Stretches that do not match and those that do: start and end in a, in b, and which it is."""
    at_a = at_b = 0
    for i, j, n in (*pairs, (end_a, end_b, 0)):
        if at_a < i or at_b < j:
            yield at_a, i, at_b, j, False
        if n:
            yield i, i + n, j, j + n, True
        at_a, at_b = i + n, j + n


def _stretches(blocks: Iterable[tuple[int, int, int]], end_a: int, end_b: int) -> Iterator[Change]:
    for i, i_end, j, j_end, same in _turns([*blocks], end_a, end_b):
        yield change(same, (i, i_end), (j, j_end))
