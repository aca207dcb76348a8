"""Messages for models that know only alternating user and assistant turns.

Source: the rules for `gemma` models in the program of etalab-ia/franceservices-backend (MIT).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from readback.types import Message, Model, Segment

SEPARATOR = Segment("\n\n---\n\n", "joiner", "merge_roles")


def gemma(model: Model | None) -> bool:
    """Whether the later program takes a model for one without a system role: by its name after the last slash."""
    name = str(model.settings.get("model") or model.name) if model else ""
    return name.rpartition("/")[2].startswith("gemma")


def merged(messages: Sequence[Message], system_role: bool = False) -> tuple[Message, ...]:
    """The messages with roles merged, as option `merge_roles: gemma` wants them.

    Neighbours of one role become one, an empty user turn goes before a leading assistant, and unless the model has
    a system role the system text opens the first user turn; all joined by a ruled line.
    """
    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1].role == message.role:
            joined[-1] = _both(joined[-1], message)
        else:
            joined.append(message)
    first = 1 if joined and joined[0].role == "system" else 0
    if len(joined) > first and joined[first].role == "assistant":
        joined.insert(first, Message("user", ()))
    if first and not system_role:
        system = joined.pop(0)
        at = next((i for i, message in enumerate(joined) if message.role == "user"), None)
        if at is not None:
            joined[at] = replace(_both(system, joined[at]), role=joined[at].role)
    return tuple(joined)


def _both(first: Message, second: Message) -> Message:
    """Two messages as one: their texts with a ruled line between them, and whatever else either says."""
    segments = (*first.segments, SEPARATOR, *second.segments)
    if first.whole is None and second.whole is None:
        return replace(first, segments=segments)
    parts = [*_parts(first), {"type": "text", "text": SEPARATOR.text}, *_parts(second)]
    content: str | list[Any] = parts
    if all(isinstance((one.whole or {}).get("content", ""), str | None) for one in (first, second)):
        content = "".join(segment.text for segment in segments)
    return replace(first, segments=segments, whole={**(first.whole or {}), **(second.whole or {}), "content": content})


def _parts(message: Message) -> list[Any]:
    content = (message.whole or {}).get("content")
    return content if isinstance(content, list) else [{"type": "text", "text": message.text}]
