"""Decode the JSON of a log of Inspect, in which NaN is written as it is, and put attachments where they belong."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from readback.readers.json_text import DEEPEST

REFERENCES = ("attachment://", "tc://")  # the second in logs of 2024
MARKS = (*(reference.encode() for reference in REFERENCES), rb"\/", rb"\u00")  # a text may hide them in escapes
TOO_DEEP = f"nested deeper than {DEEPEST} levels"
Raw = msgspec.Raw
Fields = dict[str, Any]
BAD = (msgspec.MsgspecError, ValueError, RecursionError)


class Unreadable(Exception):  # noqa: N818 - it is what the text is
    """The text is not JSON that can be held; the text of the exception says why."""


def decode_value(text: bytes | Raw) -> Any:
    """Return the JSON value, with None for NaN and infinities. Raises Unreadable."""
    try:
        return msgspec.json.decode(text)
    except BAD:
        return _decode_leniently(text)


_split = msgspec.json.Decoder(dict[str, Raw]).decode


def split_object(text: bytes) -> Fields:
    """Return the fields of an object, not decoded yet (`Raw`) where that can be left for later. Raises Unreadable."""
    try:
        return dict(_split(text))
    except BAD:
        value = _decode_leniently(text)
    if not isinstance(value, dict):
        raise Unreadable("not an object")
    return value


def take_field(fields: Fields, name: str) -> Any:
    """Return the decoded field of an object that was split; None where it has none. Raises Unreadable."""
    value = fields.get(name)
    if isinstance(value, Raw):
        return decode_value(value)
    return value


def has_references(text: bytes) -> bool:
    """Return whether a JSON text may refer to attachments."""
    return any(mark in text for mark in MARKS)


def _decode_leniently(text: bytes | Raw) -> Any:
    try:
        return json.loads(bytes(text).decode("utf-8"), parse_constant=_drop_constant, parse_float=_read_float)
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON ({error.msg} at character {error.pos})") from None
    except RecursionError:
        raise Unreadable(TOO_DEEP) from None
    except ValueError:  # int() refuses more digits than sys.get_int_max_str_digits()
        raise Unreadable("a whole number of thousands of digits") from None


def _drop_constant(_: str) -> None:
    """Read NaN, Infinity and -Infinity as no value."""


def _read_float(text: str) -> float | None:
    value = float(text)
    if math.isfinite(value):
        return value
    return None


@dataclass(slots=True)
class Attachments:
    """The texts that a sample keeps apart, and the names of those that were asked for in vain.

    `has_references` False: there are none in the whole sample, so that values stay as they are.
    """

    texts: Mapping[str, Any]
    has_references: bool = True
    missing: set[str] = field(default_factory=set)

    def resolve(self, value: Any) -> Any:
        """Return the value with every reference replaced, once: what an attachment holds is not resolved again.

        Raises Unreadable for a value of more levels than what is written out can hold.
        """
        if self.has_references:
            return self._replace(value, DEEPEST)
        _check_depth(value, DEEPEST)
        return value

    def _replace(self, value: Any, levels: int) -> Any:
        kind = type(value)
        if kind is str:
            if value.startswith(REFERENCES):
                return self._find(value)
            return value
        if kind is not dict and kind is not list:
            return value
        if not levels:
            raise Unreadable(TOO_DEEP)
        replace = self._replace
        if kind is list:
            return [replace(item, levels - 1) for item in value]
        return {key: replace(item, levels - 1) for key, item in value.items()}

    def _find(self, reference: str) -> str:
        name = reference.partition("://")[2]
        text = self.texts.get(name)
        if isinstance(text, str):
            return text
        self.missing.add(name)
        return reference


def _check_depth(value: Any, levels: int) -> None:
    kind = type(value)
    if kind is not dict and kind is not list:
        return
    if not levels:
        raise Unreadable(TOO_DEEP)
    for item in value.values() if kind is dict else value:
        inner = type(item)
        if inner is dict or inner is list:
            _check_depth(item, levels - 1)
