"""Decode JSON of which nothing is to be said, fast; `json_text` reads whatever else there is, and says what was odd.

msgspec silently takes the last of two equal keys. Two things show that there are none: the value written again
is the same bytes; or there are as many quotes as the value needs, with each of its keys and texts written once.
"""

from __future__ import annotations

from typing import Any

import msgspec

from readback.readers.json_text import DEEPEST

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_spaced = msgspec.json.format  # with a blank after each comma and colon, as most programs write
QUOTE_BY_NUMBER = b"\\u0022"  # a quote in a text that is not written with one
TOO_MANY = -(1 << 62)  # of a value that is too deep: whatever is added, it is no number of quotes


class Plain:
    """Reads the lines of one file; it remembers how they are written, for that is looked at first."""

    def __init__(self) -> None:
        self._spaced = True
        self._counted = False

    def read(self, raw: bytes) -> dict[str, Any] | None:
        """Decode an object as `json_text.Decoder` does; return None where that decoder has to look at the bytes.

        It has to where anything is wrong (no JSON, no UTF-8, no object, nested deeper than DEEPEST levels) and where
        there is something to report (a repeated key, NaN, a number beyond floats, half of a surrogate pair).
        """
        value = _decode_object(raw)
        if value is None:
            return None
        if not self._counted:
            again = _encode(value)
            if (_spaced(again, indent=0) if self._spaced else again) == raw:
                return value if _count_quotes(value, False, DEEPEST) >= 0 else None
            self._spaced = len(again) != len(raw)
        if not _has_each_key_once(value, raw):
            return None
        self._counted = self._spaced
        return value


def decode_plain(raw: bytes) -> dict[str, Any] | None:
    """Decode a record that was read before; of a repeated key the last value is taken without a report."""
    value = _decode_object(raw)
    return value if value is not None and _count_quotes(value, False, DEEPEST) >= 0 else None


def _decode_object(raw: bytes) -> dict[str, Any] | None:
    try:
        value = _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if type(value) is dict else None


def _has_each_key_once(value: dict[str, Any], raw: bytes) -> bool:
    """Whether `raw` holds no key or text beside those of `value`; False also for one that is too deep."""
    escapes = b"\\" in raw
    if escapes and QUOTE_BY_NUMBER in raw:
        return False
    return _count_quotes(value, escapes, DEEPEST) == raw.count(b'"')


def _count_quotes(value: dict[str, Any] | list[Any], escapes: bool, levels: int) -> int:
    """How many quotes `value` is written with, each key once; below 0 where it has more levels.

    `escapes`: texts may hold quotes, too.
    """
    if not levels:
        return TOO_MANY
    count = 0
    inner: Any = value
    if type(value) is dict:
        count = 2 * len(value)
        if escapes:
            for key in value:
                count += key.count('"')
        inner = value.values()
    for item in inner:
        kind = type(item)
        if kind is str:
            count += 2 + item.count('"') if escapes else 2
        elif kind is dict or kind is list:
            count += _count_quotes(item, escapes, levels - 1)
    return count
