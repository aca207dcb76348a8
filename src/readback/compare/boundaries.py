"""Put changes where a reader would have put them: at whole lines and sentences, and no scraps between them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from readback.compare.change import Change, blank, change

SLIDE = 1_000  # characters over which a change is moved
SCRAP = 24  # characters of an equal stretch inside a line that may be shown as changed with its neighbours
SENTENCE_END = ".!?:;…»”)"
WORD = re.compile(r"\w")


def resolved(found: Sequence[Change], a: str, b: str) -> list[Change]:
    """What is only added or only removed, slid to the best of the places that make the same text."""
    made = list(found)
    for at in range(len(made)):
        one = made[at]
        if one.kind not in ("added", "removed"):
            continue
        text, (start, end) = (b, one.b) if one.kind == "added" else (a, one.a)
        shift = _best(text, start, end, _room(made, at - 1), _room(made, at + 1))
        if not shift:
            continue
        made[at] = Change(one.kind, _moved(one.a, shift), _moved(one.b, shift))
        if at:
            before = made[at - 1]
            made[at - 1] = Change("equal", _ends(before.a, shift), _ends(before.b, shift))
        if at + 1 < len(made):
            after = made[at + 1]
            made[at + 1] = Change("equal", _begins(after.a, shift), _begins(after.b, shift))
        elif shift < 0:
            made.append(Change("equal", (made[at].a[1], one.a[1]), (made[at].b[1], one.b[1])))
    return made


def glued(found: Sequence[Change], a: str, b: str) -> list[Change]:
    """Changes with the scraps between them: stretches of a line that stay, and are short beside what changes."""
    made: list[Change] = []
    for at, one in enumerate(found):
        scrap = one.kind == "equal" and 0 < at < len(found) - 1 and _scrap(found[at - 1 : at + 2], a, b)
        made.append(change(False, one.a, one.b) if scrap else one)
    return made


def _scrap(three: Sequence[Change], a: str, b: str) -> bool:
    before, one, after = three
    length = one.a[1] - one.a[0]
    if length > SCRAP or "changed" not in (before.kind, after.kind):
        return False
    text = a[slice(*one.a)]
    if "\n" in text or "\r" in text or blank(before, a, b) or blank(after, a, b):
        return False
    return not WORD.search(text) or 2 * length <= min(_size(before), _size(after))


def _size(one: Change) -> int:
    return max(one.a[1] - one.a[0], one.b[1] - one.b[0])


def _room(found: Sequence[Change], at: int) -> int:
    """How far a change may move into its neighbour: at the ends of a text all of it, else one character stays."""
    if not 0 <= at < len(found):
        return 0
    length = found[at].a[1] - found[at].a[0]
    return min(SLIDE, length - (0 < at < len(found) - 1))


def _best(text: str, start: int, end: int, left: int, right: int) -> int:
    """The shift of text[start:end] by at most `left` or `right` that begins and ends best."""
    best, chosen = _worth(text, start) + _worth(text, end), 0
    for shift in range(1, left + 1):
        if text[start - shift] != text[end - shift]:
            break
        if (worth := _worth(text, start - shift) + _worth(text, end - shift)) > best:
            best, chosen = worth, -shift
    for shift in range(1, right + 1):
        if text[start + shift - 1] != text[end + shift - 1]:
            break
        if (worth := _worth(text, start + shift) + _worth(text, end + shift)) > best:
            best, chosen = worth, shift
    return chosen


def _worth(text: str, at: int) -> int:
    """How good a place for the edge of a change is: 5 for a paragraph, down to 0 inside a word."""
    if at in (0, len(text)) or text[at - 2 : at] == "\n\n":
        return 5
    before, after = text[at - 1], text[at]
    if before == "\n":
        return 4
    if before.isspace():
        return 0 if after.isspace() and before != "\r" else 3 if text[at - 2 : at - 1] in SENTENCE_END else 2
    return 0 if before.isalnum() and after.isalnum() else 1


def _moved(span: tuple[int, int], by: int) -> tuple[int, int]:
    return span[0] + by, span[1] + by


def _ends(span: tuple[int, int], by: int) -> tuple[int, int]:
    return span[0], span[1] + by


def _begins(span: tuple[int, int], by: int) -> tuple[int, int]:
    return span[0] + by, span[1]
