"""Whether a record holds a text, whatever the case."""

from __future__ import annotations

from typing import Any

ESCAPED = frozenset('"\\/\x7f') | {chr(code) for code in range(32)}  # may be written differently in the file


def may_hold(raw: bytes, wanted: str) -> bool:
    """A quick look at a record's bytes that never misses; `wanted` is casefolded."""
    if b"\\u" in raw or not ESCAPED.isdisjoint(wanted):
        return True
    if raw.isascii():
        return wanted.isascii() and wanted.encode() in raw.lower()
    return wanted in raw.decode("utf-8", "surrogateescape").casefold()


def holds(value: Any, wanted: str) -> bool:
    """Whether a text or number anywhere inside `value` holds `wanted`, which is casefolded."""
    if isinstance(value, str):
        return wanted in value.casefold()
    if isinstance(value, dict):
        return any(holds(inner, wanted) for inner in value.values())
    if isinstance(value, list):
        return any(holds(inner, wanted) for inner in value)
    return isinstance(value, int | float) and not isinstance(value, bool) and wanted in str(value).casefold()
