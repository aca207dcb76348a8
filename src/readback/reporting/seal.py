"""The checksum of a report, and what it promises to hold: read from a file of any of its three forms.

In all of them the checksum stands in the first line that is ours, and what holds in the next, as one line of JSON:
before anything that people wrote, so that nothing they write can be taken for it.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

from readback.reporting.contents import FORM

NAME = "readback-report-sha256"
ZEROS = "0" * 64
FIRST = 4_096  # bytes in which the checksum stands
CHECKSUM = re.compile(rb'readback-report-sha256"?(?:: ?"?| content=")([0-9a-f]{64})')
HOLDS = re.compile(rb'(?:<script type="application/json" id="readback-holds">|<!-- readback-holds: |"holds": ?)(\{.*)')


class NoReport(Exception):  # noqa: N818 - an outcome to say in one sentence
    """A file is no report that can be checked; the text says why."""


@dataclass(frozen=True, slots=True)
class Seal:
    """What a report says of itself, and whether its bytes are those that were written."""

    whole: bool
    checksum: str
    holds: dict[str, Any]


def seal_text(text: str) -> bytes:
    """Write the checksum of a report into the place of the zeros. Its text has been made with ZEROS."""
    raw = text.encode()
    match = CHECKSUM.search(raw, 0, FIRST)
    if match is None or match[1] != ZEROS.encode():
        raise AssertionError("the text has no place for its checksum")  # our own mistake
    digest = hashlib.sha256(raw).hexdigest().encode()
    return raw[: match.start(1)] + digest + raw[match.end(1) :]


def read_seal(raw: bytes) -> Seal:
    """Read the seal of a report's bytes. Raises NoReport."""
    match = CHECKSUM.search(raw, 0, FIRST)
    if match is None:
        raise NoReport("it has no checksum of a report where one would stand, so it is none, or its beginning is lost")
    emptied = raw[: match.start(1)] + ZEROS.encode() + raw[match.end(1) :]
    whole = hashlib.sha256(emptied).hexdigest() == match[1].decode()
    return Seal(whole, match[1].decode(), _parse_holds(raw, whole))


def _parse_holds(raw: bytes, whole: bool) -> dict[str, Any]:
    """Parse what is promised; nothing where the file was changed and it can no longer be read."""
    match = HOLDS.search(raw)
    try:
        text = match[1].decode() if match else ""
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        if not whole:
            return {}
        raise NoReport("what it says of itself cannot be read") from None
    if not isinstance(value, dict) or not isinstance(value.get("form"), int):
        return {}
    if value["form"] > FORM:
        raise NoReport(f"it was written by a newer Readback ({value.get('readback')}); use that version to check it")
    return value


def format_holds(holds: dict[str, Any]) -> str:
    """Format what holds as one line of ASCII that ends neither a script nor a comment."""
    text = json.dumps(holds, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("--", "-\\u002d")
