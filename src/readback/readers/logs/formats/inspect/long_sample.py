"""Read of a sample that is too long to be held what its calls need: one field after the other, one event at a time.

Samples of agents reach hundreds of megabytes, most of them states, stores and what the provider's interface was sent
in its own words. None of these is read.
"""

from __future__ import annotations

import msgspec

from readback.readers.logs.formats.inspect.byte_walk import ByteWalk
from readback.readers.logs.formats.inspect.transcript import TranscriptEvent, decode_event, is_needed
from readback.readers.logs.formats.inspect.values import Fields, Raw, Unreadable, decode_value

LONGEST_SAMPLE = 64 << 20  # bytes of a sample that are held: its values take up to three times as much
EVENTS = "events"
NEEDED = frozenset(
    {
        "id", "epoch", "input", "target", "choices", "metadata", "description", "sandbox", "files", "setup", "messages",
        "output", "scores", "score", "error", "limit", "invalidation", "attachments", "events_data", "transcript",
    }
)  # fmt: skip


def read_needed_fields(walk: ByteWalk) -> tuple[Fields, list[str]]:
    """Return the fields of the sample that begins here, and what is left out because there is too much of it.

    Raises BrokenText where the sample cannot be followed, Unreadable where its requests alone are too much.
    """
    fields: Fields = {}
    faults: list[str] = []
    left = LONGEST_SAMPLE
    for key in walk.list_keys():
        name = str(decode_value(key))
        if name == EVENTS and walk.peek() == b"[":
            events, used = _read_events(walk, left)
            fields[name] = events
            left -= used
        elif name in NEEDED:
            text = walk.take_value(left)
            if text is None:
                faults.append(f"its {name} take more than is held of a sample ({LONGEST_SAMPLE >> 20} MiB)")
            else:
                left -= len(text)
                fields[name] = Raw(text)
        else:
            walk.take_value(0)
    return fields, faults


def _read_events(walk: ByteWalk, most: int) -> tuple[list[TranscriptEvent | None], int]:
    """Return the events that are needed, None for an item that is none, and how many bytes they take."""
    events: list[TranscriptEvent | None] = []
    used = 0
    for text, _, _ in walk.list_items(most):
        if text is None:
            raise Unreadable(f"one of its events takes more than is held of a sample ({LONGEST_SAMPLE >> 20} MiB)")
        event = decode_event(text)
        if event is not None and not is_needed(event):
            continue
        used += len(msgspec.json.encode(event))
        if used > most:
            raise Unreadable(f"its requests take more than is held of a sample ({LONGEST_SAMPLE >> 20} MiB)")
        events.append(event)
    return events, used
