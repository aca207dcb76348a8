"""Decode the JSON of a log of Inspect, in which NaN is written as it is, and put attachments where they belong."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from readback.readers.json_text import DEEPEST

ATTACHMENT = "attachment://"
OLD_ATTACHMENT = "tc://"  # as logs of 2024 spell it
Raw = msgspec.Raw
Fields = dict[str, Any]
BAD = (msgspec.MsgspecError, ValueError, RecursionError)


class Unreadable(Exception):  # noqa: N818 - it is what the text is
    """The text is not JSON that can be held; the text of the exception says why."""


def decode_value(text: bytes) -> Any:
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
    return decode_value(bytes(value)) if isinstance(value, Raw) else value


def _decode_leniently(text: bytes) -> Any:
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_drop_constant, parse_float=_read_float)
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON ({error.msg} at character {error.pos})") from None
    except RecursionError:
        raise Unreadable(f"nested deeper than {DEEPEST} levels") from None
    except ValueError:  # int() refuses more digits than sys.get_int_max_str_digits()
        raise Unreadable("a whole number of thousands of digits") from None


def _drop_constant(_: str) -> None:
    """Read NaN, Infinity and -Infinity as no value."""


def _read_float(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


@dataclass(slots=True)
class Attachments:
    """The texts that a sample keeps apart, and the names of those that were asked for in vain."""

    texts: Mapping[str, Any]
    missing: set[str] = field(default_factory=set)

    def resolve(self, value: Any, levels: int = DEEPEST) -> Any:
        """Return the value with every reference replaced, once: what an attachment holds is not resolved again.

        Raises Unreadable for a value of more levels than what is written out can hold.
        """
        if isinstance(value, str):
            if value.startswith((ATTACHMENT, OLD_ATTACHMENT)):
                return self._find(value)
            return value
        if not isinstance(value, dict | list):
            return value
        if not levels:
            raise Unreadable(f"nested deeper than {DEEPEST} levels")
        if isinstance(value, list):
            return [self.resolve(item, levels - 1) for item in value]
        return {key: self.resolve(item, levels - 1) for key, item in value.items()}

    def _find(self, reference: str) -> str:
        name = reference.partition("://")[2]
        text = self.texts.get(name)
        if isinstance(text, str):
            return text
        self.missing.add(name)
        return reference
