"""Lay two assemblies side by side: their messages paired by role and order, and what changed in each."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from readback.compare.first_difference import FirstDifference, find_first_differences
from readback.compare.marker_alignment import LONG, align_marked
from readback.compare.side import ShownSide, match_forms
from readback.compare.texts import Change, compare_texts
from readback.message_parts import mark_of
from readback.types import Message


@dataclass(frozen=True, slots=True)
class MessageDifference:
    """Two messages that stand for each other, or one that is alone; `changes` cover both texts."""

    role_a: str | None
    role_b: str | None
    a: Message | None
    b: Message | None
    changes: tuple[Change, ...]
    coarse: bool = False

    @property
    def equal(self) -> bool:
        """Whether role, text and whatever else the messages say are the same."""
        if self.role_a != self.role_b or not self.same_beside:
            return False
        return all(change.kind == "equal" for change in self.changes)

    @property
    def same_beside(self) -> bool:
        """Whether tool calls, images, names and weights are the same."""
        a, b = (mark_of(one.whole) if one else "" for one in (self.a, self.b))
        return a == b


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two sides. `coarse`: some stretch was too long to look into word by word.

    `partings` are the differences of two texts that went through chat templates; empty for messages.
    """

    a: ShownSide
    b: ShownSide
    messages: tuple[MessageDifference, ...]
    equal: bool
    coarse: bool = False
    first_differences: tuple[FirstDifference, ...] = ()


def compare_sides(a: ShownSide, b: ShownSide) -> Difference:
    """The difference of two sides; equal when roles and texts are the same, character for character.

    Where no messages could be built, there is nothing that is equal.
    """
    a, b = match_forms(a, b)
    served = a.side.layer != b.side.layer and [m.role for m in (*a.messages, *b.messages)] == ["prompt"] * 2
    pairs = tuple(_compare_pair(one, other, served) for one, other in pair_messages(a.messages, b.messages))
    each = ([(m.role, m.text, mark_of(m.whole)) for m in side.messages] for side in (a, b))
    same = next(each) == next(each)
    parted = find_first_differences(a.messages[0].segments, b.messages[0].segments) if served else ()
    return Difference(a, b, pairs, same and bool(a.messages), any(pair.coarse for pair in pairs), parted)


def pair_messages(a: tuple[Message, ...], b: tuple[Message, ...]) -> list[tuple[Message | None, Message | None]]:
    """Messages by role and order; what has no counterpart of its role is alone, at its place."""
    made: list[tuple[Message | None, Message | None]] = []
    matcher = SequenceMatcher(None, [m.role for m in a], [m.role for m in b], autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            made.extend(zip(a[i:i_end], b[j:j_end], strict=True))
        else:
            made.extend((one, None) for one in a[i:i_end])
            made.extend((None, other) for other in b[j:j_end])
    return made


def _compare_pair(a: Message | None, b: Message | None, served: bool) -> MessageDifference:
    if served and a and b and len(a.text) + len(b.text) <= LONG:
        return MessageDifference(a.role, b.role, a, b, align_marked(a.text, b.text))
    found = compare_texts(a.text if a else "", b.text if b else "")
    return MessageDifference(a.role if a else None, b.role if b else None, a, b, found.changes, found.coarse)
