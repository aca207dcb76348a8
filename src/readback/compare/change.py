"""A stretch of two texts that is equal, or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["equal", "removed", "added", "changed"]


@dataclass(frozen=True, slots=True)
class Change:
    """Character spans (start, end) of a stretch in both texts, and what became of it.

    All `a` spans in order cover the first text exactly, all `b` spans the second; equal and other stretches take turns.
    """

    kind: Kind
    a: tuple[int, int]
    b: tuple[int, int]


def change(same: bool, a: tuple[int, int], b: tuple[int, int]) -> Change:
    """The change of two spans: equal where that is known, else what their lengths say."""
    kind: Kind = "changed" if a[0] < a[1] and b[0] < b[1] else "removed" if a[0] < a[1] else "added"
    return Change("equal" if same else kind, a, b)


def joined(found: Iterable[Change]) -> list[Change]:
    """Neighbours of one sort, equal or not, as one; nothing that is empty."""
    made: list[Change] = []
    for one in found:
        if one.a[0] == one.a[1] and one.b[0] == one.b[1]:
            continue
        same = one.kind == "equal"
        if made and (made[-1].kind == "equal") == same:
            last = made.pop()
            made.append(change(same, (last.a[0], one.a[1]), (last.b[0], one.b[1])))
        else:
            made.append(one)
    return made


def blank(one: Change, a: str, b: str) -> bool:
    """Whether nothing but white space is removed, added or exchanged."""
    return one.kind != "equal" and not (a[slice(*one.a)] + b[slice(*one.b)]).strip()
