"""Join segments to texts and texts to messages, by rules that only append.

Source: the *Prompt Assembly System* page of biocypher/karenina. Nothing is stripped or normalised, and a text is
present when its length is above zero: a single space is appended like any other text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring

from readback.message_parts import mark_of
from readback.types import Message, Segment

Segments = tuple[Segment, ...]
JOINER = Segment("\n\n", "joiner")


def drop_empty(segments: Iterable[Segment]) -> Segments:
    """Return the segments without empty ones; their text stays the same."""
    listed = tuple(segments)
    if "" not in [segment.text for segment in listed]:
        return listed
    return tuple(segment for segment in listed if segment.text)


def append_segments(base: Segments, extra: Segments) -> Segments:
    """Return `base`, a blank line and `extra`; where one of them is empty, the other alone."""
    base, extra = drop_empty(base), drop_empty(extra)
    if base and extra:
        return (*base, JOINER, *extra)
    return base or extra


def join_texts(
    system: Segments, user: Segments, additions: Sequence[tuple[Segments, Segments]], instruction: Segments = ()
) -> tuple[Segments, Segments]:
    """Return the system and the user text with each addition's (system, user) parts in order.

    The user instruction comes last, and always goes to the system text.
    """
    system, user = drop_empty(system), drop_empty(user)
    for to_system, to_user in additions:
        system, user = append_segments(system, to_system), append_segments(user, to_user)
    return append_segments(system, instruction), user


def make_messages(system: Segments, user: Segments, system_role: bool) -> tuple[Message, ...]:
    """Make a system and a user message, or one user message.

    There is never an empty system message, and always a user message. Without a system role the system text is put in
    front of the user text, with a blank line between them even where the user text is empty.
    """
    system, user = drop_empty(system), drop_empty(user)
    if not system:
        return (Message("user", user),)
    if system_role:
        return Message("system", system), Message("user", user)
    return (Message("user", (*system, JOINER, *user)),)


def compute_fingerprint(messages: Iterable[Message]) -> str:
    """Compute the SHA-256 of the compact JSON [[role, text], …]; non-ASCII characters and lone surrogates stay as they
    are.

    A message that holds more than text has a third item with the rest, its keys sorted.
    """
    pairs = ",".join([_format_item(message) for message in messages])
    return hashlib.sha256(f"[{pairs}]".encode("utf-8", "surrogatepass")).hexdigest()


def _format_item(message: Message) -> str:
    item = f"{encode_basestring(message.role)},{encode_basestring(message.text)}"
    rest = mark_of(message.whole)
    if rest:
        return f"[{item},{rest}]"
    return f"[{item}]"
