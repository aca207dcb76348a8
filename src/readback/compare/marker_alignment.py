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
    """Return equal and differing stretches in turns, covering both texts, with their edges between tokens of TOKEN."""
    if len(a) + len(b) > LONG:  # then what lies between the shared ends is one change
        return tuple(merge_changes(_compare_ends(a, b)))
    tokens_a, tokens_b = TOKEN.findall(a), TOKEN.findall(b)
    starts_a, starts_b = _list_starts(tokens_a), _list_starts(tokens_b)
    stretches: list[Change] = []
    at_a = at_b = 0
    for i, j, n in (*align(tokens_a, tokens_b, Budget()), (len(tokens_a), len(tokens_b), 0)):
        stretches.append(make_change(False, (starts_a[at_a], starts_a[i]), (starts_b[at_b], starts_b[j])))
        stretches.append(make_change(True, (starts_a[i], starts_a[i + n]), (starts_b[j], starts_b[j + n])))
        at_a, at_b = i + n, j + n
    changes = merge_changes(_bridge_blanks(merge_changes(absorb_scraps(merge_changes(stretches), a, b)), a))
    return tuple(merge_changes(_slide_to_markers(changes, a, b)))


def list_differing(a: str, b: str) -> Iterator[Change]:
    """Yield the differing stretches; a stretch of white space includes the equal white space around it."""
    for change in align_marked(a, b):
        if change.kind != "equal":
            yield _whole_blank(_narrow(change, a, b), a, b)


def _narrow(change: Change, a: str, b: str) -> Change:
    """Return a change inside a word without the letters that both share, where the rest is invisible."""
    text_a, text_b = a[slice(*change.a)], b[slice(*change.b)]
    most = min(len(text_a), len(text_b))
    head = count_shared(text_a, text_b, most)
    tail = count_shared(text_a[head:][::-1], text_b[head:][::-1], most - head)
    left_a, left_b = text_a[head : len(text_a) - tail], text_b[head : len(text_b) - tail]
    if not (head or tail) or (left_a and not is_unseen(left_a)) or (left_b and not is_unseen(left_b)):
        return change
    return make_change(False, (change.a[0] + head, change.a[1] - tail), (change.b[0] + head, change.b[1] - tail))


def _whole_blank(change: Change, a: str, b: str) -> Change:
    """Widen a change that is only white space by the equal white space that both texts have directly around it."""
    (start_a, end_a), (start_b, end_b) = change.a, change.b
    if (a[start_a:end_a] + b[start_b:end_b]).strip():
        return change
    while start_a and start_b and a[start_a - 1] == b[start_b - 1] and a[start_a - 1].isspace():
        start_a, start_b = start_a - 1, start_b - 1
    while end_a < len(a) and end_b < len(b) and a[end_a] == b[end_b] and a[end_a].isspace():
        end_a, end_b = end_a + 1, end_b + 1
    return make_change(False, (start_a, end_a), (start_b, end_b))


def _bridge_blanks(changes: Sequence[Change], a: str) -> Iterator[Change]:
    """Yield the changes; equal blanks between two changes count as changed, since a lone newline matches anywhere."""
    for at, change in enumerate(changes):
        between = change.kind == "equal" and 0 < at < len(changes) - 1 and not a[slice(*change.a)].strip()
        yield make_change(False, change.a, change.b) if between else change


def _slide_to_markers(changes: Sequence[Change], a: str, b: str) -> list[Change]:
    """Return the changes; a block that only one side has is slid back to where its own first token is.

    Of `<u>A</u><u>B</u>` against `<u>B</u>`, what is more is `<u>A</u>` and not `A</u><u>`.
    """
    result = list(changes)
    for at in range(1, len(result)):
        before, change = result[at - 1], result[at]
        if change.kind not in ("added", "removed") or before.kind != "equal":
            continue
        if change.kind == "added":
            text, (start, end) = (b, change.b)
        else:
            text, (start, end) = (a, change.a)
        shift = _find_marker_shift(text, start, end, before.a[1] - before.a[0])
        if not shift:
            continue
        result[at - 1] = make_change(True, (before.a[0], before.a[1] - shift), (before.b[0], before.b[1] - shift))
        result[at] = make_change(
            False, (change.a[0] - shift, change.a[1] - shift), (change.b[0] - shift, change.b[1] - shift)
        )
        after = (change.a[1] - shift, change.a[1]), (change.b[1] - shift, change.b[1])
        if at + 1 < len(result):
            result[at + 1] = make_change(True, (after[0][0], result[at + 1].a[1]), (after[1][0], result[at + 1].b[1]))
        else:
            result.append(make_change(True, *after))
    return result


def _find_marker_shift(text: str, start: int, end: int, room: int) -> int:
    """Return how far a stretch is slid back to begin with a token of a chat format; 0 where it does, or never can."""
    if MARKED.match(text, start):
        return 0
    for shift in range(1, min(room, end - start, SLIDE) + 1):
        if text[start - shift] != text[end - shift]:
            return 0
        if MARKED.match(text, start - shift):
            return shift
    return 0


def _list_starts(parts: Sequence[str]) -> list[int]:
    starts = [0]
    for part in parts:
        starts.append(starts[-1] + len(part))
    return starts


def _compare_ends(a: str, b: str) -> Iterator[Change]:
    """Yield what two long texts share at their ends, and the rest as one change."""
    most = min(len(a), len(b))
    head = count_shared(a, b, most)
    tail = count_shared(a[head:][::-1], b[head:][::-1], most - head)
    yield make_change(True, (0, head), (0, head))
    yield make_change(False, (head, len(a) - tail), (head, len(b) - tail))
    yield make_change(True, (len(a) - tail, len(a)), (len(b) - tail, len(b)))


def count_shared(a: str, b: str, most: int) -> int:
    """Return how many characters two texts share at their beginning, by bisection, since they may be long."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low, high = (middle, high)
        else:
            low, high = (low, middle - 1)
    return low
