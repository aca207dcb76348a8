"""Which messages that were handed to a template are not in the text that it made, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from readback.checks.facts import templated_text
from readback.types import Message, ModelInput, Segment

NO_BRANCH, OTHERS_OF_ROLE, NOT_REACHED = (
    "it does not name this role",
    "it writes other {role} messages, and not this one",
    "none of its branches writes this message",
)
SHOWN = 60  # characters of a message that a sentence quotes
ROLES = ("system", "user", "assistant", "tool")  # those that templates write without naming them


class DroppedMessage(NamedTuple):
    """A message that is not in the text: its place among all of them, from 0, and the reason in words."""

    number: int
    message: Message
    reason: str


def find_dropped_messages(
    text: ModelInput, messages: Sequence[Message], template: str | None
) -> Iterator[DroppedMessage]:
    """The messages with text of which nothing is in what was made of all of them.

    A message is there if a stretch of it is, be it trimmed, escaped, joined with another or folded into one.
    `template` is the source of what made the text, None where there is none to look at.
    """
    written = {number for number, message in enumerate(messages) if _is_written(text, message, messages)}
    for number, message in enumerate(messages):
        if message.text.strip() and number not in written:
            others = any(messages[other].role == message.role for other in written)
            yield DroppedMessage(number, message, _reason(message.role, others, template))


def describe(dropped: DroppedMessage, messages: Sequence[Message], name: str) -> dict[str, Any]:
    """The values of a finding: which of how many messages the template `name` leaves out, with its beginning."""
    content = " ".join(dropped.message.text.split())
    return {
        "name": name,
        "number": dropped.number + 1,
        "count": len(messages),
        "role": dropped.message.role,
        "reason": dropped.reason,
        "text": repr(content if len(content) <= SHOWN else f"{content[: SHOWN - 1]}…"),
        "records": "",
        "of": "",
    }


def _is_written(text: ModelInput, message: Message, messages: Sequence[Message]) -> bool:
    """Whether a message is in the text. Where another one has the same words, the origin of a stretch decides."""
    content = message.text.strip()
    if not content:
        return False
    others = [other for other in messages if other is not message]
    foreign = {_origin(segment) for other in others for segment in other.segments}
    own = {_origin(segment) for segment in message.segments if segment.text.strip()} - foreign
    traced = {_origin(segment) for segment in text.segments}
    if own & traced:
        return True
    repeated = [other for other in others if content in other.text]
    if own and any({_origin(segment) for segment in other.segments} & traced for other in repeated):
        return False  # what is there is surely the other message
    return templated_text.reached(text, message, messages)


def _reason(role: str, others: bool, template: str | None) -> str:
    if others:
        return OTHERS_OF_ROLE.format(role=role)
    if template is not None and role not in ROLES and role not in template:
        return NO_BRANCH
    return NOT_REACHED


def _origin(segment: Segment) -> tuple[object, ...]:
    return segment.origin, segment.name, segment.place
