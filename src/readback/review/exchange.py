"""A whole review as a file: JSON lines, first what it is, then kept texts, then the events in their order."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from readback.review import kept_text
from readback.review.event import SHA, Event, NotSaved
from readback.review.store import NotReadable, Store

VERSION = 1
NAME = "readback.review"
PARTS = ("sequence", "id", "author", "known", "time", "kind", "payload", "before", "hash")  # of an event, in a file
FIELDS = {name: "author_source" if name == "known" else name for name in PARTS}  # of the event that each part is
TEXTS = tuple(name for name in PARTS if name not in ("sequence", "payload"))
LINE = 700 << 20  # bytes of one line: the longest kept text as base64
WHOLE = 1 << 30  # bytes of a whole file


def export_review(store: Store, out: BinaryIO) -> int:
    """Write the review of a store; answers how many events. Raises NotReadable and OSError.

    Nothing is written where an event is damaged: what followed it could not be taken over anywhere.
    """
    events = store.events()
    if damaged := next((event for event in events if event.damage), None):
        raise NotReadable(f"event {damaged.sequence} of the review cannot be exported: {damaged.damage}")
    out.write(_format_line({NAME: VERSION, "events": len(events)}))
    for sha in store.list_texts():
        if (raw := store.content(sha)) is not None:
            out.write(_format_line({"content": sha, "base64": base64.b64encode(raw).decode()}))
    for event in events:
        out.write(_format_line({"event": {name: getattr(event, field) for name, field in FIELDS.items()}}))
    return len(events)


def import_review(store: Store, file: BinaryIO) -> int:
    """Add to a store what of a file is new; answers how many events. Raises NotSaved, and then nothing is added.

    All that it adds is marked as imported: a file may claim any author.
    """
    events, texts, first, count = list[Event](), dict[str, bytes](), True, None
    for number, line in enumerate(_read_lines(file), 1):
        try:
            value = kept_text.parse(line)
            if first and value.get(NAME) != VERSION:
                raise NotSaved("the file is no review, or one of a newer Readback")
            if first:
                count = value.get("events")
            elif "event" in value:
                events.append(_parse_event(value["event"]))
            elif "content" in value:
                texts[_check_sha(value["content"])] = base64.b64decode(value["base64"], validate=True)
            else:
                raise KeyError
        except (ValueError, KeyError, TypeError, AttributeError):
            raise NotSaved(f"line {number} of the file is no part of a review") from None
        first = False
    if first:
        raise NotSaved("the file is empty")
    if isinstance(count, int) and count != len(events):
        raise NotSaved(f"the file begins with the number of its events, {count}, and has {len(events)}; is it whole?")
    return store.take(tuple(events), texts)


def _read_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, each within the limits. Raises NotSaved."""
    room = WHOLE
    while line := file.readline(LINE + 1):
        room -= len(line)
        if len(line) > LINE or room < 0:
            raise NotSaved(f"the file is longer than {WHOLE >> 20} MiB, or a line of it than {LINE >> 20} MiB")
        yield line


def _parse_event(value: Any) -> Event:
    """Build an event from its JSON. Raises ValueError, KeyError and TypeError where it is not one."""
    if not all(isinstance(value[name], str) for name in TEXTS) or not isinstance(value["payload"], dict):
        raise TypeError
    if not isinstance(value["sequence"], int) or isinstance(value["sequence"], bool):
        raise TypeError
    return Event(**{field: value[name] for name, field in FIELDS.items()}, imported=True)


def _check_sha(name: Any) -> str:
    if not isinstance(name, str) or not SHA.fullmatch(name):
        raise TypeError
    return name


def _format_line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
