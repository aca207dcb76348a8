"""A whole review as a file: JSON lines, first what it is, then kept texts, then the events in their order."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import BinaryIO

from readback.review.event import Event, NotSaved
from readback.review.store import Store

VERSION = 1
NAME = "readback.review"
PARTS = tuple(field.name for field in fields(Event))


def write(store: Store, out: BinaryIO) -> int:
    """Write the review of a store; answers how many events. Raises NotReadable and OSError."""
    events = store.events()
    out.write(_line({NAME: VERSION, "events": len(events)}))
    for sha in store.kept():
        if (raw := store.content(sha)) is not None:
            out.write(_line({"content": sha, "base64": base64.b64encode(raw).decode()}))
    for one in events:
        out.write(_line({"event": asdict(one)}))
    return len(events)


def take(store: Store, lines: Iterable[bytes]) -> int:
    """Add to a store what of a file is new; answers how many events. Raises NotSaved, and then nothing is added."""
    events, texts, first = list[Event](), dict[str, bytes](), True
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
            if first and value.get(NAME) != VERSION:
                raise NotSaved("the file is no review, or one of a newer Readback")
            if "event" in value:
                events.append(Event(**{name: value["event"][name] for name in PARTS}))
            elif "content" in value:
                texts[value["content"]] = base64.b64decode(value["base64"], validate=True)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise NotSaved(f"line {number} of the file is no part of a review") from None
        first = False
    if first:
        raise NotSaved("the file is empty")
    return store.take(tuple(events), texts)


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
