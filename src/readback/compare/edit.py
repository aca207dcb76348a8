"""What was edited between two lists of messages, as a short name that equal edits of other records share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

AROUND = 16  # characters of the line beside an edit that are a part of it: the same words elsewhere are another edit
Texts = Sequence[tuple[str, str]]  # role, text


def edit(a: Texts, b: Texts) -> str:
    """16 hex digits over what has to be taken from A and put into it to get B, and what is beside that on its line.

    Where a text was changed in two places, what lies between them belongs to the edit; between values of a record that
    makes an edit of its own. The same edit the other way round has another name.
    """
    start = _common(a, b)
    end = _common(a[start:][::-1], b[start:][::-1])
    one, other = a[start : len(a) - end], b[start : len(b) - end]
    parts: list[object]
    if [role for role, _ in one] == [role for role, _ in other]:
        parts = [[role, *_between(x, y)] for (role, x), (_, y) in zip(one, other, strict=True) if x != y]
    else:
        parts = ["roles", list(one), list(other)]
    text = json.dumps(parts, separators=(",", ":"))  # ASCII: a lone surrogate is an escape
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _between(a: str, b: str) -> tuple[str, str, str, str]:
    """The end of the line before, what A has, what B has, the beginning of the line after."""
    start = _common(a, b)
    end = _common(a[start:][::-1], b[start:][::-1])
    last = len(a) - end
    before, after = a[max(0, start - AROUND) : start], a[last : last + AROUND]
    return before.rpartition("\n")[2], a[start:last], b[start : len(b) - end], after.partition("\n")[0]


def _common(a: Sequence[object], b: Sequence[object]) -> int:
    """How many items are the same from the beginning, by halves: comparing slices is quick."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
