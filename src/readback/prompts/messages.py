"""Task text, adapter text and user instruction become messages: append-only rules over segments.

Source: the *Prompt Assembly System* page of biocypher/karenina. Nothing is stripped or normalised, and a text is
"there" when its length is above zero: a single space is appended like any other text.
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
    """The segments without empty ones, themselves where none is; the text stays the same."""
    every = tuple(segments)
    return every if "" not in [one.text for one in every] else tuple(one for one in every if one.text)


def append_segments(base: Segments, extra: Segments) -> Segments:
    """`base`, a blank line and `extra`; where one of them is empty, the other alone."""
    base, extra = drop_empty(base), drop_empty(extra)
    return (*base, JOINER, *extra) if base and extra else base or extra


def join_texts(
    system: Segments, user: Segments, additions: Sequence[tuple[Segments, Segments]], instruction: Segments = ()
) -> tuple[Segments, Segments]:
    """System and user text with each addition's (system, user) parts in order, the user instruction last of all.

    The instruction always goes to the system text.
    """
    system, user = drop_empty(system), drop_empty(user)
    for to_system, to_user in additions:
        system, user = append_segments(system, to_system), append_segments(user, to_user)
    return append_segments(system, instruction), user


def make_messages(system: Segments, user: Segments, system_role: bool) -> tuple[Message, ...]:
    """A system and a user message, or one user message.

    There is no empty system message, and always a user message. Without a system role the system text is put in
    front of the user text, with a blank line even before an empty one.
    """
    system, user = drop_empty(system), drop_empty(user)
    if not system:
        return (Message("user", user),)
    if system_role:
        return Message("system", system), Message("user", user)
    return (Message("user", (*system, JOINER, *user)),)


def compute_fingerprint(messages: Iterable[Message]) -> str:
    """SHA-256 of the compact JSON [[role, text], …], non-ASCII characters and lone surrogates kept.

    A message that holds more than text has a third item, that more, with its keys sorted.
    """
    pairs = ",".join([_format_item(message) for message in messages])
    return hashlib.sha256(f"[{pairs}]".encode("utf-8", "surrogatepass")).hexdigest()


def _format_item(message: Message) -> str:
    item = f"{encode_basestring(message.role)},{encode_basestring(message.text)}"
    if more := mark_of(message.whole):
        return f"[{item},{more}]"
    return f"[{item}]"
