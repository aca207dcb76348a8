"""Tell the words of a prompt from the data in it, by the origin of each stretch of a message."""

from __future__ import annotations

from readback.types import Message

# A default is left out: `{{ x | default(y) }}` may take it from a record.
WRITTEN = ("system", "task", "template", "adapter", "instruction", "joiner")  # origins of what people write


def is_written_by_people(message: Message, offset: int) -> bool:
    """Return whether the character at an offset was written by people and does not come from the data."""
    for segment in message.segments:
        if offset < len(segment.text):
            return segment.origin in WRITTEN
        offset -= len(segment.text)
    return False
