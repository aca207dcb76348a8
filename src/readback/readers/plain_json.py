"""Decode JSON of which nothing is to be said, fast; `json_text` reads whatever else there is, and says what was odd.

msgspec takes the last of two equal keys without a word. What shows it is the number of quotes: those that the value
needs, if every one of its keys and texts was written once, against those that are there.
"""

from __future__ import annotations

from typing import Any

import msgspec

from readback.readers.json_text import DEEPEST

_decode = msgspec.json.Decoder().decode
QUOTE_BY_NUMBER = b"\\u0022"  # a quote in a text that is not written with one
TOO_MANY = -(1 << 62)  # of a value that is too deep: whatever is added, it is no number of quotes


def plain(raw: bytes) -> dict[str, Any] | None:
    """The object that these bytes are, as `json_text.Decoder` reads it; None where that one has to look at them.

    It has to where anything is wrong (no JSON, no UTF-8, no object, nested deeper than DEEPEST levels) and where there
    is something to report (a repeated key, NaN, a number beyond what floats hold, half of a surrogate pair).
    """
    escapes = b"\\" in raw
    if escapes and QUOTE_BY_NUMBER in raw:
        return None
    try:
        value = _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if type(value) is not dict or _quotes(value, escapes, DEEPEST) != raw.count(b'"'):
        return None
    return value


def _quotes(value: dict[str, Any] | list[Any], escapes: bool, levels: int) -> int:
    """How many quotes `value` is written with, each key once; `escapes`: texts may hold quotes, too."""
    if not levels:
        return TOO_MANY
    found = 0
    inner: Any = value
    if type(value) is dict:
        found = 2 * len(value)
        if escapes:
            for key in value:
                found += key.count('"')
        inner = value.values()
    for one in inner:
        kind = type(one)
        if kind is str:
            found += 2 + one.count('"') if escapes else 2
        elif kind is dict or kind is list:
            found += _quotes(one, escapes, levels - 1)
    return found
