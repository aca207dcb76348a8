"""Lay two assemblies side by side: pair their messages by role and order, and find what changed in each."""

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
    """Hold two messages that correspond, or one that is alone; `changes` cover both texts."""

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
        a, b = (mark_of(message.whole) if message else "" for message in (self.a, self.b))
        return a == b


@dataclass(frozen=True, slots=True)
class Difference:
    """Hold what differs between two sides. `coarse`: some stretch was too long to look into word by word.

    `first_differences` are those of two texts that went through chat templates; empty for messages.
    """

    a: ShownSide
    b: ShownSide
    messages: tuple[MessageDifference, ...]
    equal: bool
    coarse: bool = False
    first_differences: tuple[FirstDifference, ...] = ()


def compare_sides(a: ShownSide, b: ShownSide) -> Difference:
    """Compare two sides; they are equal when roles and texts are the same, character for character.

    Where no messages could be built, nothing is equal.
    """
    a, b = match_forms(a, b)
    served = a.side.layer != b.side.layer and [message.role for message in (*a.messages, *b.messages)] == ["prompt"] * 2
    pairs = tuple(
        _compare_pair(message_a, message_b, served) for message_a, message_b in pair_messages(a.messages, b.messages)
    )
    each = ([(message.role, message.text, mark_of(message.whole)) for message in side.messages] for side in (a, b))
    same = next(each) == next(each)
    if served:
        first_differences = find_first_differences(a.messages[0].segments, b.messages[0].segments)
    else:
        first_differences = ()
    return Difference(a, b, pairs, same and bool(a.messages), any(pair.coarse for pair in pairs), first_differences)


def explain_unknown_message(difference: Difference, pair: MessageDifference) -> str | None:
    """Return why it is not known what stands against a message that only one side has; None where that is known."""
    if "system" not in (pair.role_a, pair.role_b):
        return None
    if pair.a is None:
        return difference.a.system_unknown
    if pair.b is None:
        return difference.b.system_unknown
    return None


def pair_messages(a: tuple[Message, ...], b: tuple[Message, ...]) -> list[tuple[Message | None, Message | None]]:
    """Pair messages by role and order; a message without a counterpart of its role is alone, at its place."""
    pairs: list[tuple[Message | None, Message | None]] = []
    matcher = SequenceMatcher(None, [message.role for message in a], [message.role for message in b], autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            pairs.extend(zip(a[i:i_end], b[j:j_end], strict=True))
        else:
            pairs.extend((message, None) for message in a[i:i_end])
            pairs.extend((None, message_b) for message_b in b[j:j_end])
    return pairs


def _compare_pair(a: Message | None, b: Message | None, served: bool) -> MessageDifference:
    if served and a and b and len(a.text) + len(b.text) <= LONG:
        return MessageDifference(a.role, b.role, a, b, align_marked(a.text, b.text))
    text_changes = compare_texts(a.text if a else "", b.text if b else "")
    return MessageDifference(
        a.role if a else None, b.role if b else None, a, b, text_changes.changes, text_changes.coarse
    )
