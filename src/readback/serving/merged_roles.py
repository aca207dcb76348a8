"""Messages for models that know only alternating user and assistant turns.

Source: the rules for `gemma` models in the program of etalab-ia/franceservices-backend (MIT).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
            both = (*joined[-1].segments, SEPARATOR, *message.segments)
            joined[-1] = replace(joined[-1], segments=both)
        else:
            joined.append(message)
    first = 1 if joined and joined[0].role == "system" else 0
    if len(joined) > first and joined[first].role == "assistant":
        joined.insert(first, Message("user", ()))
    if first and not system_role:
        system = joined.pop(0)
        at = next((i for i, message in enumerate(joined) if message.role == "user"), None)
        if at is not None:
            joined[at] = replace(joined[at], segments=(*system.segments, SEPARATOR, *joined[at].segments))
    return tuple(joined)
