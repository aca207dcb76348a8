"""Compare two texts by words, blanks and line ends; the changes cover every character of both.

Changes are put where a reader would put them: at whole lines and sentences, without scraps between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from readback.compare.alignment import Budget, Pairs, align, are_similar

Kind = Literal["equal", "removed", "added", "changed"]


@dataclass(frozen=True, slots=True)
class Change:
    """Character spans (start, end) of a stretch in both texts, and what became of it.

    All `a` spans in order cover the first text exactly, all `b` spans the second; equal and other stretches take turns.
    """

    kind: Kind
    a: tuple[int, int]
    b: tuple[int, int]


def make_change(same: bool, a: tuple[int, int], b: tuple[int, int]) -> Change:
    """Make the change of two spans: equal if `same`, else of the kind that their lengths say."""
    kind: Kind
    if same:
        kind = "equal"
    elif a[0] == a[1]:
        kind = "added"
    elif b[0] == b[1]:
        kind = "removed"
    else:
        kind = "changed"
    return Change(kind, a, b)


def merge_changes(changes: Iterable[Change]) -> list[Change]:
    """Join neighbours of one sort, equal or not, and drop what is empty."""
    merged: list[Change] = []
    for change in changes:
        if change.a[0] == change.a[1] and change.b[0] == change.b[1]:
            continue
        same = change.kind == "equal"
        if merged and (merged[-1].kind == "equal") == same:
            last = merged.pop()
            merged.append(make_change(same, (last.a[0], change.a[1]), (last.b[0], change.b[1])))
        else:
            merged.append(change)
    return merged


def is_blank_change(change: Change, a: str, b: str) -> bool:
    """Return whether nothing but white space is removed, added or exchanged."""
    return change.kind != "equal" and not (a[slice(*change.a)] + b[slice(*change.b)]).strip()


SLIDE = 1_000  # characters over which a change is moved
SCRAP = 24  # characters of an equal stretch inside a line that may be shown as changed with its neighbours
SENTENCE_END = ".!?:;…»”)"
WORD_CHARACTER = re.compile(r"\w")


def slide_changes(changes: Sequence[Change], a: str, b: str) -> list[Change]:
    """Return the changes; what is only added or only removed is slid to the best place that makes the same text."""
    result = list(changes)
    for at in range(len(result)):
        change = result[at]
        if change.kind not in ("added", "removed"):
            continue
        if change.kind == "added":
            text, (start, end) = (b, change.b)
        else:
            text, (start, end) = (a, change.a)
        shift = _find_shift(text, start, end, _find_room(result, at - 1), _find_room(result, at + 1))
        if not shift:
            continue
        result[at] = Change(change.kind, _shift(change.a, shift), _shift(change.b, shift))
        if at:
            before = result[at - 1]
            result[at - 1] = Change("equal", _shift_end(before.a, shift), _shift_end(before.b, shift))
        if at + 1 < len(result):
            after = result[at + 1]
            result[at + 1] = Change("equal", _shift_start(after.a, shift), _shift_start(after.b, shift))
        elif shift < 0:
            result.append(Change("equal", (result[at].a[1], change.a[1]), (result[at].b[1], change.b[1])))
    return result


def absorb_scraps(changes: Sequence[Change], a: str, b: str) -> list[Change]:
    """Return the changes; short equal stretches of a line between two changes count as changed."""
    result: list[Change] = []
    for at, change in enumerate(changes):
        scrap = change.kind == "equal" and 0 < at < len(changes) - 1 and _is_scrap(changes[at - 1 : at + 2], a, b)
        result.append(make_change(False, change.a, change.b) if scrap else change)
    return result


def _is_scrap(three: Sequence[Change], a: str, b: str) -> bool:
    before, change, after = three
    length = change.a[1] - change.a[0]
    if length > SCRAP or "changed" not in (before.kind, after.kind):
        return False
    text = a[slice(*change.a)]
    if "\n" in text or "\r" in text or is_blank_change(before, a, b) or is_blank_change(after, a, b):
        return False
    return not WORD_CHARACTER.search(text) or 2 * length <= min(_measure(before), _measure(after))


def _measure(change: Change) -> int:
    return max(change.a[1] - change.a[0], change.b[1] - change.b[0])


def _find_room(changes: Sequence[Change], at: int) -> int:
    """Return how far a change may move into its neighbour; inside a text, one character of the neighbour stays."""
    if not 0 <= at < len(changes):
        return 0
    length = changes[at].a[1] - changes[at].a[0]
    return min(SLIDE, length - (0 < at < len(changes) - 1))


def _find_shift(text: str, start: int, end: int, left: int, right: int) -> int:
    """Return the shift of text[start:end] by at most `left` or `right` that begins and ends best."""
    best, chosen = _rate_edge(text, start) + _rate_edge(text, end), 0
    for shift in range(1, left + 1):
        if text[start - shift] != text[end - shift]:
            break
        if (worth := _rate_edge(text, start - shift) + _rate_edge(text, end - shift)) > best:
            best, chosen = worth, -shift
    for shift in range(1, right + 1):
        if text[start + shift - 1] != text[end + shift - 1]:
            break
        if (worth := _rate_edge(text, start + shift) + _rate_edge(text, end + shift)) > best:
            best, chosen = worth, shift
    return chosen


def _rate_edge(text: str, at: int) -> int:
    """Rate a place for the edge of a change: 5 for a paragraph, down to 0 inside a word."""
    if at in (0, len(text)) or text[at - 2 : at] == "\n\n":
        return 5
    before, after = text[at - 1], text[at]
    if before == "\n":
        return 4
    if before.isspace():
        if after.isspace() and before != "\r":
            return 0
        if text[at - 2 : at - 1] in SENTENCE_END:
            return 3
        return 2
    if before.isalnum() and after.isalnum():
        return 0
    return 1


def _shift(span: tuple[int, int], by: int) -> tuple[int, int]:
    return span[0] + by, span[1] + by


def _shift_end(span: tuple[int, int], by: int) -> tuple[int, int]:
    return span[0], span[1] + by


def _shift_start(span: tuple[int, int], by: int) -> tuple[int, int]:
    return span[0] + by, span[1]


TOKEN = re.compile(r"[\w\u0300-\u036f]+|\r\n|[\n\r]|[^\S\n\r]+|[^\w\s]")  # word, line end, run of blanks, sign
LINE = re.compile(r"[^\r\n]+|\r\n|[\r\n]")  # a line end by itself: the last line may lack it
MAX_WORD_CHARACTERS = 400_000  # characters beyond shared ends up to which words are compared: a third of a second
WORD_LENGTH = 3  # letters of a word that is worth keeping where little else is equal
LONG = 20_000  # characters of a line that is compared as a whole


class TextChanges(NamedTuple):
    """The changes, and whether they are `coarse`: a stretch that differs was too long to look into."""

    changes: tuple[Change, ...]
    coarse: bool = False


def list_changes(a: str, b: str) -> tuple[Change, ...]:
    """Return the changes that turn `a` into `b`, in the order of the text; fast for every input, raises nothing."""
    return compare_texts(a, b).changes


def compare_texts(a: str, b: str) -> TextChanges:
    """Return the changes of two texts, and whether they are coarse."""
    budget = Budget()
    changes = merge_changes(_list_stretches(_list_blocks(a, b, budget), len(a), len(b)))
    changes = merge_changes(slide_changes(changes, a, b))
    return TextChanges(tuple(merge_changes(absorb_scraps(changes, a, b))), budget.spent)


def differ_in_blanks(a: str, b: str) -> bool:
    """Return whether two texts differ, but in nothing but white space."""
    return a != b and "".join(a.split()) == "".join(b.split())


def _list_blocks(a: str, b: str, budget: Budget) -> Iterator[tuple[int, int, int]]:
    """Yield the equal stretches: start in a, start in b, length. First what both share at the ends, then the rest."""
    head = _count_shared(min(len(a), len(b)), lambda low, high: a[low:high] == b[low:high])
    if head < len(a) or head < len(b):
        head = _find_line_start(a, head)
    while _is_inside_token(a, head) or _is_inside_token(b, head):
        head -= 1
    most = min(len(a), len(b)) - head
    tail = _count_shared(most, lambda low, n: a[len(a) - n : len(a) - low] == b[len(b) - n : len(b) - low])
    tail = len(a) - _find_next_line(a, len(a) - tail)
    while tail and (_is_inside_token(a, len(a) - tail) or _is_inside_token(b, len(b) - tail)):
        tail -= 1
    yield 0, 0, head
    middle_a, middle_b = a[head : len(a) - tail], b[head : len(b) - tail]
    yield from ((head + i, head + j, n) for i, j, n in _match_inside(middle_a, middle_b, budget))
    yield len(a) - tail, len(b) - tail, tail


def _count_shared(most: int, same: Callable[[int, int], bool]) -> int:
    """Return the greatest n up to `most` for which everything up to n is the same, by bisection."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if same(low, middle):
            low, high = (middle, high)
        else:
            low, high = (low, middle - 1)
    return low


def _find_line_start(text: str, at: int) -> int:
    """Return where the line of a position begins, if that is near: a moved line is recognised as a whole."""
    start = text.rfind("\n", max(0, at - LONG), at) + 1
    if start or at <= LONG:
        return start
    return at


def _find_next_line(text: str, at: int) -> int:
    """Return where the next line end is, if that is near."""
    end = text.find("\n", at, at + LONG)
    if end >= 0:
        return end
    if at + LONG >= len(text):
        return len(text)
    return at


def _is_inside_token(text: str, at: int) -> bool:
    """Return whether a token goes on across this position."""
    if 0 < at < len(text):
        match = TOKEN.match(text, at - 1)
    else:
        match = None
    return match is not None and match.end() > at


def _match_inside(a: str, b: str, budget: Budget) -> Iterator[tuple[int, int, int]]:
    """Yield equal lines, and equal words between them, up to MAX_WORD_CHARACTERS of them."""
    lines_a, lines_b = LINE.findall(a), LINE.findall(b)
    starts_a, starts_b = _list_starts(lines_a), _list_starts(lines_b)
    left = MAX_WORD_CHARACTERS
    small = (
        len(a) + len(b) <= MAX_WORD_CHARACTERS
    )  # then what is between two anchors is better looked at by words than by lines
    for i, i_end, j, j_end, same in _alternate(
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
                yield from _match_words(a[at_a:to_a], b[at_b:to_b], at_a, at_b, budget)


def _match_words(a: str, b: str, at_a: int, at_b: int, budget: Budget) -> Iterator[tuple[int, int, int]]:
    words_a, words_b = TOKEN.findall(a), TOKEN.findall(b)
    starts_a, starts_b = _list_starts(words_a), _list_starts(words_b)
    if are_similar(words_a, words_b):
        pairs = align(words_a, words_b, budget)
    else:
        pairs = _match_ends(words_a, words_b)
    for i, j, n in pairs:
        yield at_a + starts_a[i], at_b + starts_b[j], starts_a[i + n] - starts_a[i]


def _match_ends(a: Sequence[str], b: Sequence[str]) -> Pairs:
    """Return the pairs that two texts begin and end with, where they are more than a scrap; for texts with little in
    common.
    """
    most = min(len(a), len(b))
    head = next((n for n in range(most) if a[n] != b[n]), most)
    tail = next((n for n in range(most - head) if a[-1 - n] != b[-1 - n]), most - head)
    pairs = [(0, 0, head), (len(a) - tail, len(b) - tail, tail)]
    return [(i, j, n) for i, j, n in pairs if any(len(word) >= WORD_LENGTH and word.isalnum() for word in a[i : i + n])]


def _list_starts(parts: Sequence[str]) -> list[int]:
    starts = [0]
    for part in parts:
        starts.append(starts[-1] + len(part))
    return starts


def _alternate(pairs: Pairs, end_a: int, end_b: int) -> Iterator[tuple[int, int, int, int, bool]]:
    """Yield stretches that do not match and those that do: start and end in a, in b, and whether they match."""
    at_a = at_b = 0
    for i, j, n in (*pairs, (end_a, end_b, 0)):
        if at_a < i or at_b < j:
            yield at_a, i, at_b, j, False
        if n:
            yield i, i + n, j, j + n, True
        at_a, at_b = i + n, j + n


def _list_stretches(blocks: Iterable[tuple[int, int, int]], end_a: int, end_b: int) -> Iterator[Change]:
    for i, i_end, j, j_end, same in _alternate([*blocks], end_a, end_b):
        yield make_change(same, (i, i_end), (j, j_end))
