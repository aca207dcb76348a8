"""Two texts as rows to read beside each other: what changed with a little before and after it, the rest folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from readback.compare.texts import Change

NEAR = 240  # characters kept in view before and after a change, at most
LINES = 2  # and lines
WORTH = 200  # characters that are worth folding away
LONG = 20_000  # characters of one change on the page: the rest is in the downloads

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of both texts; `number` counts the differences of the page from 1, 0 where it is equal."""

    a: Span
    b: Span
    number: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """Parts that are beside each other. `line_a`, `line_b`: the line it begins with, 0 where it begins inside one."""

    parts: tuple[Part, ...]
    line_a: int
    line_b: int


@dataclass(frozen=True, slots=True)
class Fold:
    """An equal stretch that is folded away."""

    part: Part
    lines: int


Piece = tuple[Literal["row", "fold"], tuple[Part, ...]]


def rows(a: str, b: str, changes: Sequence[Change], first: int = 1, whole: bool = False) -> Iterator[Row | Fold]:
    """Yield the rows of two texts; together their spans cover both. Differences are counted from `first`.

    `whole` folds nothing.
    """
    lines_a, lines_b = _Lines(a), _Lines(b)
    for kind, parts in _pieces(a, b, changes, first, whole):
        if kind == "fold":
            start, stop = parts[0].a
            yield Fold(parts[0], a.count("\n", start, stop))
        else:
            yield Row(parts, lines_a.at(parts[0].a[0]), lines_b.at(parts[0].b[0]))


def count(changes: Sequence[Change]) -> int:
    """How many differences there are."""
    return sum(change.kind != "equal" for change in changes)


def _pieces(a: str, b: str, changes: Sequence[Change], first: int, whole: bool) -> Iterator[Piece]:
    """Rows and folds as parts. A row ends where both texts end a line, so that the next ones stand side by side."""
    row: list[Part] = []
    number = first - 1
    for at, change in enumerate(changes):
        if change.kind != "equal":
            number += 1
            row.append(Part(change.a, change.b, number))
            if _ends_lines(a, b, row):
                yield "row", tuple(row)
                row = []
            continue
        head, tail = _split(a[change.a[0] : change.a[1]], at > 0, at < len(changes) - 1, whole)
        for start, stop, folded in (*head, *tail):
            part = Part((change.a[0] + start, change.a[0] + stop), (change.b[0] + start, change.b[0] + stop))
            if folded:
                if row:
                    yield "row", tuple(row)
                yield "fold", (part,)
                row = []
                continue
            for piece in _by_row(a, part, bool(row)):
                row.append(piece)
                if a[piece.a[1] - 1] == "\n":
                    yield "row", tuple(row)
                    row = []
    if row:
        yield "row", tuple(row)


def _split(
    text: str, before: bool, after: bool, whole: bool
) -> tuple[tuple[tuple[int, int, bool], ...], tuple[tuple[int, int, bool], ...]]:
    """Split an equal stretch into (start, stop, folded): what is after a change, the middle, what stays before it."""
    end = len(text)
    head = _head(text) if before else 0
    tail = _tail(text) if after else end
    if whole or tail - head < WORTH:
        return ((0, end, False),), ()
    middle = ((0, head, False),) if head else ()
    return (*middle, (head, tail, True)), (((tail, end, False),) if tail < end else ())


def _head(text: str) -> int:
    """Where what stays in view after a change ends: the rest of its line and a line more, or at a blank."""
    at = 0
    for _ in range(LINES):
        line_end = text.find("\n", at, NEAR)
        if line_end < 0:
            break
        at = line_end + 1
    if at or len(text) <= NEAR:
        return at or len(text)
    return max(text.rfind(" ", 1, NEAR) + 1, 0) or NEAR


def _tail(text: str) -> int:
    """Where what stays in view before a change begins."""
    low, end = max(0, len(text) - NEAR), len(text)
    at = end
    for _ in range(LINES):
        cut = text.rfind("\n", low, at - 1)
        if cut < 0:
            break
        at = cut + 1
    if at < end:
        return at
    cut = text.find(" ", low, end - 1)
    if cut >= 0:
        return cut + 1
    return low


def _by_row(a: str, part: Part, open_row: bool) -> Iterator[Part]:
    """Yield an equal stretch cut after its first line, if a row is open, and after its last line."""
    (start, stop), shift = part.a, part.b[0] - part.a[0]
    if open_row:
        first = a.find("\n", start, stop) + 1
    else:
        first = 0
    last = a.rfind("\n", start, stop) + 1
    cuts = sorted({start, stop, *(cut for cut in (first, last) if start < cut < stop)})
    for begin, end in pairwise(cuts):
        yield Part((begin, end), (begin + shift, end + shift))


def _ends_lines(a: str, b: str, row: Sequence[Part]) -> bool:
    """Whether what a row holds so far is whole lines on both sides, or nothing on one."""
    start_a, start_b, (_, stop_a), (_, stop_b) = row[0].a[0], row[0].b[0], row[-1].a, row[-1].b
    begins = (start_a == 0 or a[start_a - 1] == "\n") and (start_b == 0 or b[start_b - 1] == "\n")
    ends = (start_a == stop_a or a[stop_a - 1] == "\n") and (start_b == stop_b or b[stop_b - 1] == "\n")
    return begins and ends


class _Lines:
    """Line numbers of offsets that are asked for in order."""

    def __init__(self, text: str) -> None:
        self._text, self._counted_to, self._line = text, 0, 1

    def at(self, offset: int) -> int:
        self._line += self._text.count("\n", self._counted_to, offset)
        self._counted_to = offset
        if offset == 0 or self._text[offset - 1] == "\n":
            return self._line
        return 0
