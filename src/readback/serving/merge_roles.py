"""Merge messages for models that know only alternating user and assistant turns.

Source: the rules for `gemma` models in the program of etalab-ia/franceservices-backend (MIT).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from readback.types import Message, Model, Segment

SEPARATOR = Segment("\n\n---\n\n", "joiner", "merge_roles")


def is_gemma(model: Model | None) -> bool:
    """Return whether the later program sees a model without a system role, by the name after its last slash."""
    if model:
        name = str(model.settings.get("model") or model.name)
    else:
        name = ""
    return name.rpartition("/")[2].startswith("gemma")


def merge_roles(messages: Sequence[Message], system_role: bool = False) -> tuple[Message, ...]:
    """Return the messages with roles merged, as the option `merge_roles: gemma` asks.

    Neighbours of one role become one message, an empty user turn goes before a leading assistant, and unless the model
    has a system role the system text opens the first user turn; all are joined by a ruled line.
    """
    merged_messages: list[Message] = []
    for message in messages:
        if merged_messages and merged_messages[-1].role == message.role:
            merged_messages[-1] = _join(merged_messages[-1], message)
        else:
            merged_messages.append(message)
    if merged_messages and merged_messages[0].role == "system":
        first = 1
    else:
        first = 0
    if len(merged_messages) > first and merged_messages[first].role == "assistant":
        merged_messages.insert(first, Message("user", ()))
    if first and not system_role:
        system = merged_messages.pop(0)
        at = next((i for i, message in enumerate(merged_messages) if message.role == "user"), None)
        if at is not None:
            merged_messages[at] = replace(_join(system, merged_messages[at]), role=merged_messages[at].role)
    return tuple(merged_messages)


def _join(first: Message, second: Message) -> Message:
    """Return two messages as one: their texts with a ruled line between them, and all other values of both."""
    segments = (*first.segments, SEPARATOR, *second.segments)
    if first.whole is None and second.whole is None:
        return replace(first, segments=segments)
    parts = [*_list_parts(first), {"type": "text", "text": SEPARATOR.text}, *_list_parts(second)]
    content: str | list[Any] = parts
    if all(isinstance((message.whole or {}).get("content", ""), str | None) for message in (first, second)):
        content = "".join(segment.text for segment in segments)
    return replace(first, segments=segments, whole={**(first.whole or {}), **(second.whole or {}), "content": content})


def _list_parts(message: Message) -> list[Any]:
    content = (message.whole or {}).get("content")
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": message.text}]
