"""Align two texts that went through chat templates: a token of a chat format is one word, a block is found whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from readback.compare.alignment import Budget, align
from readback.compare.spelling import is_unseen
from readback.compare.texts import Change, absorb_scraps, make_change, merge_changes

MARKER = r"<\|[^<>|\s]{1,60}\|>|<</?[A-Z]{1,20}>>|</?[A-Za-z_][\w-]{0,30}>|\[/?[A-Z_]{2,30}\]"
MARKED = re.compile(MARKER)
TOKEN = re.compile(rf"{MARKER}|[\w\u0300-\u036f]+|[^\w\s]|\s")
LONG = 240_000  # characters of both sides that are aligned token by token; of longer texts only the ends are
SLIDE = 120  # characters over which a block is slid


def align_marked(a: str, b: str) -> tuple[Change, ...]:
    """Equal and differing stretches in turns, covering both texts; they begin and end between the tokens of TOKEN."""
    if len(a) + len(b) > LONG:  # then what lies between the shared ends is one change
        return tuple(merge_changes(_compare_ends(a, b)))
    one, other = TOKEN.findall(a), TOKEN.findall(b)
    starts_a, starts_b = _list_starts(one), _list_starts(other)
    found: list[Change] = []
    at_a = at_b = 0
    for i, j, n in (*align(one, other, Budget()), (len(one), len(other), 0)):
        found.append(make_change(False, (starts_a[at_a], starts_a[i]), (starts_b[at_b], starts_b[j])))
        found.append(make_change(True, (starts_a[i], starts_a[i + n]), (starts_b[j], starts_b[j + n])))
        at_a, at_b = i + n, j + n
    made = merge_changes(_bridge_blanks(merge_changes(absorb_scraps(merge_changes(found), a, b)), a))
    return tuple(merge_changes(_slide_to_markers(made, a, b)))


def list_differing(a: str, b: str) -> Iterator[Change]:
    """The differing stretches; one of white space reaches over the white space that both have around it."""
    for one in align_marked(a, b):
        if one.kind != "equal":
            yield _whole_blank(_narrow(one, a, b), a, b)


def _narrow(one: Change, a: str, b: str) -> Change:
    """A change inside a word without the letters that both have, where nobody sees what is left of it."""
    text_a, text_b = a[slice(*one.a)], b[slice(*one.b)]
    most = min(len(text_a), len(text_b))
    head = count_shared(text_a, text_b, most)
    tail = count_shared(text_a[head:][::-1], text_b[head:][::-1], most - head)
    left_a, left_b = text_a[head : len(text_a) - tail], text_b[head : len(text_b) - tail]
    if not (head or tail) or (left_a and not is_unseen(left_a)) or (left_b and not is_unseen(left_b)):
        return one
    return make_change(False, (one.a[0] + head, one.a[1] - tail), (one.b[0] + head, one.b[1] - tail))


def _whole_blank(one: Change, a: str, b: str) -> Change:
    """A change of white space together with the white space that both sides have right around it."""
    (start_a, end_a), (start_b, end_b) = one.a, one.b
    if (a[start_a:end_a] + b[start_b:end_b]).strip():
        return one
    while start_a and start_b and a[start_a - 1] == b[start_b - 1] and a[start_a - 1].isspace():
        start_a, start_b = start_a - 1, start_b - 1
    while end_a < len(a) and end_b < len(b) and a[end_a] == b[end_b] and a[end_a].isspace():
        end_a, end_b = end_a + 1, end_b + 1
    return make_change(False, (start_a, end_a), (start_b, end_b))


def _bridge_blanks(found: Sequence[Change], a: str) -> Iterator[Change]:
    """The changes with the equal blanks between two of them: a lone newline is found again anywhere."""
    for at, one in enumerate(found):
        between = one.kind == "equal" and 0 < at < len(found) - 1 and not a[slice(*one.a)].strip()
        yield make_change(False, one.a, one.b) if between else one


def _slide_to_markers(found: Sequence[Change], a: str, b: str) -> list[Change]:
    """The changes, a block that only one side has slid back to where its own first token is.

    Of `<u>A</u><u>B</u>` against `<u>B</u>`, what is more is `<u>A</u>` and not `A</u><u>`.
    """
    made = list(found)
    for at in range(1, len(made)):
        before, one = made[at - 1], made[at]
        if one.kind not in ("added", "removed") or before.kind != "equal":
            continue
        text, (start, end) = (b, one.b) if one.kind == "added" else (a, one.a)
        shift = _find_marker_shift(text, start, end, before.a[1] - before.a[0])
        if not shift:
            continue
        made[at - 1] = make_change(True, (before.a[0], before.a[1] - shift), (before.b[0], before.b[1] - shift))
        made[at] = make_change(False, (one.a[0] - shift, one.a[1] - shift), (one.b[0] - shift, one.b[1] - shift))
        after = (one.a[1] - shift, one.a[1]), (one.b[1] - shift, one.b[1])
        if at + 1 < len(made):
            made[at + 1] = make_change(True, (after[0][0], made[at + 1].a[1]), (after[1][0], made[at + 1].b[1]))
        else:
            made.append(make_change(True, *after))
    return made


def _find_marker_shift(text: str, start: int, end: int, room: int) -> int:
    """How far a stretch is slid back so that it begins with a token of a chat format; 0 where it does, or never can."""
    if MARKED.match(text, start):
        return 0
    for shift in range(1, min(room, end - start, SLIDE) + 1):
        if text[start - shift] != text[end - shift]:
            return 0
        if MARKED.match(text, start - shift):
            return shift
    return 0


def _list_starts(parts: Sequence[str]) -> list[int]:
    found = [0]
    for part in parts:
        found.append(found[-1] + len(part))
    return found


def _compare_ends(a: str, b: str) -> Iterator[Change]:
    """What two long texts share at their ends, and the rest as one change."""
    most = min(len(a), len(b))
    head = count_shared(a, b, most)
    tail = count_shared(a[head:][::-1], b[head:][::-1], most - head)
    yield make_change(True, (0, head), (0, head))
    yield make_change(False, (head, len(a) - tail), (head, len(b) - tail))
    yield make_change(True, (len(a) - tail, len(a)), (len(b) - tail, len(b)))


def count_shared(a: str, b: str, most: int) -> int:
    """How many characters two texts share at their beginning; found by halves, since they may be long."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[low:middle] == b[low:middle] else (low, middle - 1)
    return low
