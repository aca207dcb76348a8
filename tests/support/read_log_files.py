"""Read a log of another tool in a test, and hold it against what its vectors expect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readback.readers.logs import formats
from readback.readers.logs.events import Call, Event, LogRecord, LogScore, Run
from readback.types import Diagnostic

VECTORS = "vectors/ecosystem"


def list_expected(shared: Path, tool: str) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield each expected line of a tool with the file that it is about (the first, where there are several)."""
    folder = shared / VECTORS / tool
    for line in (folder / "expected.jsonl").read_text("utf-8").splitlines():
        expected = json.loads(line)
        files = expected["file"] if isinstance(expected["file"], list) else [expected["file"]]
        yield folder / expected["case"] / files[0], expected


def read_log(path: Path) -> list[Event]:
    """Return the events of a file by the format that recognises it."""
    log_format = formats.find_format(path)
    assert log_format is not None, f"nothing recognises {path.name}"
    return list(log_format.read(path, path.name))


def calls_of(events: list[Event]) -> list[Call]:
    """Return the calls among events."""
    return [event for event in events if isinstance(event, Call)]


def scores_of(events: list[Event]) -> list[LogScore]:
    """Return the scores among events."""
    return [event for event in events if isinstance(event, LogScore)]


def records_of(events: list[Event]) -> list[LogRecord]:
    """Return the records among events."""
    return [event for event in events if isinstance(event, LogRecord)]


def diagnostics_of(events: list[Event], code: str = "") -> list[Diagnostic]:
    """Return the diagnostics among events, perhaps only those of a code."""
    return [event for event in events if isinstance(event, Diagnostic) and code in ("", event.code)]


def counts_of(events: list[Event]) -> Mapping[str, Any]:
    """Return what the run says about the number of its rows."""
    return next(event for event in events if isinstance(event, Run)).details


def list_differences(call: Call, expected: Mapping[str, Any]) -> list[str]:
    """Return in what a call differs from an expected line."""
    messages = None if call.messages is None else [dict(message) for message in call.messages]
    pairs = {
        "messages": messages,
        "text": call.text,
        "id": call.record,
        "condition": call.condition,
        "answer": call.output,
        "preferred": call.details.get("preferred"),
        "non_preferred": call.details.get("non_preferred"),
        "line": call.line,
    }
    wrong = [key for key, value in pairs.items() if key in expected and expected[key] != value]
    wrong += [key for key in ("error", "warning") if bool(expected.get(key)) != bool(getattr(call, key))]
    return wrong


def mutate(data: bytes, places: list[tuple[float, int]]) -> bytes:
    """Return bytes with some of them replaced, removed or doubled; each place is a share of the length and a byte."""
    text = bytearray(data)
    for share, byte in places:
        at = int(share * len(text))
        if byte < 256:
            text[at : at + 1] = bytes([byte])
        elif byte < 300:
            del text[at : at + byte - 250]
        elif byte < 350:
            text[at:at] = text[at : at + byte - 299]
        else:
            text[at : at + 1] = EVIL[byte % len(EVIL)]
    return bytes(text)


EVIL = (
    b"null", b"5", b"[]", b"{}", b"NaN", b'"\\ud800"', b"[" * 200, b'"x": 1, "x": 2', b"\n", b"\r\n", b"\xff",
    b"true", b"1e999", b'"', b"\\", b"}{", b",", b"\xef\xbb\xbf", b"\x00",
)  # fmt: skip
