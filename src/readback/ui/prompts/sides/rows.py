"""Several texts as rows of cells: what all have is in one row, what differs in the next, so that columns stay level."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from readback.compare.texts import Change

FOLDED = 1_500  # characters that all texts share, from which on the middle of them is folded away
NEAR = 2  # lines that stay in view at each end of it

Span = tuple[int, int]
Mark = Literal["", "del", "ins", "gone"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one text; `mark` says whether the first text has it alone (del), or another (ins).

    gone: an empty stretch where the first text has more.
    """

    span: Span
    mark: Mark = ""


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row, the first text's first. `number` counts those that differ from 1, else 0."""

    cells: tuple[tuple[Piece, ...], ...]
    number: int = 0
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Other:
    """A text and what became of the first text in it."""

    text: str
    changes: Sequence[Change]

    def find(self, at: int, stop: int) -> int | None:
        """Return where an equal stretch of the first text begins here; None where it is not equal."""
        last = bisect_right(self.changes, at, key=lambda change: change.a[0]) - 1
        change = self.changes[last] if last >= 0 else None
        if change is None or change.kind != "equal" or stop > change.a[1]:
            return None
        return change.b[0] + at - change.a[0]


def align(first: str, others: Sequence[Other], number: int = 1, whole: bool = False) -> Iterator[Row]:
    """Yield the rows of a text and others; the cells of a column, joined, are its text. `number` is that of the first
    row that differs. `whole` folds nothing.
    """
    at, places = 0, [0] * len(others)
    for start, stop in _find_shared(first, others):
        starts = [other.find(start, stop) or 0 for other in others]
        if at < start or any(place < begin for place, begin in zip(places, starts, strict=True)):
            yield _make_row((at, start), list(zip(places, starts, strict=True)), others, number)
            number += 1
        for begin, end, folded in _split(first, start, stop, whole):
            spans = [(place + begin - start, place + end - start) for place in starts]
            yield Row(tuple((Piece(span),) for span in ((begin, end), *spans)), folded=folded)
        at, places = stop, [place + stop - start for place in starts]
    ends = [len(other.text) for other in others]
    if at < len(first) or places != ends:
        yield _make_row((at, len(first)), list(zip(places, ends, strict=True)), others, number)


def _find_shared(first: str, others: Sequence[Other]) -> Iterator[Span]:
    """Yield the stretches of whole lines of the first text that are equal in every other."""
    shared: list[Span] = [(0, len(first))] if first else []
    for other in others:
        equal = [change.a for change in other.changes if change.kind == "equal"]
        shared = list(_intersect(shared, equal))
    for start, stop in shared:
        places = [other.find(start, stop) or 0 for other in others]
        texts = [(first, start), *((other.text, place) for other, place in zip(others, places, strict=True))]
        begin = start
        if not all(place == 0 or text[place - 1] == "\n" for text, place in texts):
            begin = first.find("\n", start, stop) + 1
        length = stop - start
        end = stop
        if not all(place + length == len(text) for text, place in texts):
            end = first.rfind("\n", start, stop) + 1
        if begin < end and (begin or start == 0):
            yield begin, end


def _intersect(spans: Sequence[Span], others: Sequence[Span]) -> Iterator[Span]:
    """Yield what is in a span of both lists, which are in order."""
    at = 0
    for start, stop in spans:
        while at < len(others) and others[at][1] <= start:
            at += 1
        following = at
        while following < len(others) and others[following][0] < stop:
            yield max(start, others[following][0]), min(stop, others[following][1])
            following += 1


def _make_row(span: Span, spans: Sequence[Span], others: Sequence[Other], number: int) -> Row:
    """Make a row that differs: of the first text what any other has not, of the others what the first has not."""
    changed = sorted(
        (max(change.a[0], span[0]), min(change.a[1], span[1]))
        for other in others
        for change in other.changes
        if change.kind != "equal"
    )
    pieces: list[Piece] = []
    at = span[0]
    for start, stop in changed:
        start = max(start, at)
        if start >= stop:
            continue
        if at < start:
            pieces.append(Piece((at, start)))
        pieces.append(Piece((start, stop), "del"))
        at = stop
    if at < span[1]:
        pieces.append(Piece((at, span[1])))
    cells = [tuple(_cut_other(other, within)) for other, within in zip(others, spans, strict=True)]
    return Row((tuple(pieces), *cells), number)


def _cut_other(other: Other, within: Span) -> Iterator[Piece]:
    for change in other.changes:
        start, stop = max(change.b[0], within[0]), min(change.b[1], within[1])
        if start < stop:
            yield Piece((start, stop), "" if change.kind == "equal" else "ins")
        elif change.kind != "equal" and change.b[0] == change.b[1] and within[0] <= change.b[0] <= within[1]:
            yield Piece((change.b[0], change.b[0]), "gone")


def _split(text: str, start: int, stop: int, whole: bool) -> Iterator[tuple[int, int, bool]]:
    """Yield a shared stretch, the middle of a long one folded."""
    head, tail = start, stop
    for _ in range(NEAR):
        head = text.find("\n", head, stop) + 1 or stop
        tail = text.rfind("\n", start, max(tail - 1, start)) + 1 or start
    if whole or tail - head < FOLDED:
        yield start, stop, False
        return
    if start < head:
        yield start, head, False
    yield head, tail, True
    if tail < stop:
        yield tail, stop, False
