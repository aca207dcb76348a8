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


def sealed(text: str) -> bytes:
    """The bytes of a report with its checksum in the place of the zeros. Its text has been made with ZEROS."""
    raw = text.encode()
    found = CHECKSUM.search(raw, 0, FIRST)
    if found is None or found[1] != ZEROS.encode():
        raise AssertionError("the text has no place for its checksum")  # our own mistake
    digest = hashlib.sha256(raw).hexdigest().encode()
    return raw[: found.start(1)] + digest + raw[found.end(1) :]


def read(raw: bytes) -> Seal:
    """The seal of a report's bytes. Raises NoReport."""
    found = CHECKSUM.search(raw, 0, FIRST)
    if found is None:
        raise NoReport("it has no checksum of a report where one would stand, so it is none, or its beginning is lost")
    emptied = raw[: found.start(1)] + ZEROS.encode() + raw[found.end(1) :]
    whole = hashlib.sha256(emptied).hexdigest() == found[1].decode()
    return Seal(whole, found[1].decode(), _holds(raw, whole))


def _holds(raw: bytes, whole: bool) -> dict[str, Any]:
    """What is promised; nothing where the file was changed and it can no longer be read."""
    found = HOLDS.search(raw)
    try:
        text = found[1].decode() if found else ""
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


def line(holds: dict[str, Any]) -> str:
    """What holds as one line of ASCII that ends neither a script nor a comment."""
    said = json.dumps(holds, ensure_ascii=True, separators=(",", ":"))
    return said.replace("<", "\\u003c").replace(">", "\\u003e").replace("--", "-\\u002d")
