"""Decode JSON and say what was odd in it: repeated keys, NaN and infinities, and what would crash a reader."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import msgspec

from readback.types import Diagnostic, Location

DEEPEST = 100  # levels of nesting: what is deeper breaks whatever writes the record out again
MOST_NAN = 10  # fields with NaN named for one record


class NotJson(Exception):  # noqa: N818 - said as it is: the text is not JSON
    """The text is not JSON we can hold; `reason` says why, `at` is the character it stopped at."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


class Decoder:
    """A JSON decoder that remembers repeated keys and non-finite numbers of the text decoded last."""

    def __init__(self) -> None:
        self.repeated: list[str] = []
        self.endless = False
        decoder = json.JSONDecoder(
            object_pairs_hook=self._pairs, parse_float=self._float, parse_constant=self._constant
        )
        self._decode = decoder.raw_decode

    def _pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            keys: set[str] = set()
            self.repeated += [key for key, _ in pairs if key in keys or keys.add(key)]  # type: ignore[func-returns-value]
        return value

    def _float(self, text: str) -> float:
        value = float(text)
        if value - value:  # inf - inf is NaN, which is true; every other difference is 0
            self.endless = True
        return value

    def _constant(self, text: str) -> float:
        self.endless = True
        return float(text)

    def value(self, text: str, start: int = 0) -> tuple[Any, int]:
        """Decode the JSON value that begins at `start`; return it and the index after it. Raises NotJson."""
        self.repeated = []
        self.endless = False
        try:
            value, end = self._decode(text, start)
        except json.JSONDecodeError as error:
            reason = error.msg.removesuffix(" at").removesuffix(" starting")
            raise NotJson(reason[:1].lower() + reason[1:], error.pos) from None
        except RecursionError:
            raise NotJson(f"nested deeper than {DEEPEST} levels", start) from None
        except ValueError:  # int() refuses more digits than sys.get_int_max_str_digits()
            raise NotJson("a whole number of thousands of digits", start) from None
        openers = text.count("[", start, end) + text.count("{", start, end)
        if openers > DEEPEST and _is_deeper(value, DEEPEST):
            raise NotJson(f"nested deeper than {DEEPEST} levels", start)
        return value, end

    def whole(self, text: str) -> Any:
        """Decode the one JSON value that `text` holds. Raises NotJson."""
        start = _skip(text, 0)
        value, end = self.value(text, start)
        if (end := _skip(text, end)) != len(text):
            raise NotJson("something follows the value", end)
        return value

    def diagnostics(self, value: Any, place: Location) -> tuple[Diagnostic, ...]:
        """Return diagnostics on the text decoded last, which gave `value`."""
        if not self.repeated and not self.endless:
            return ()
        return (*self._again(place), *self._endless(value, place))

    def _again(self, place: Location) -> Iterator[Diagnostic]:
        for key in dict.fromkeys(self.repeated):
            yield Diagnostic("dat-duplicate-key", {"key": key, "first": place.line}, place, key)

    def _endless(self, value: Any, place: Location) -> Iterator[Diagnostic]:
        if self.endless:
            for path, number in list(find_non_finite(value))[:MOST_NAN]:
                if math.isnan(number):
                    name = "NaN"
                elif number > 0:
                    name = "Infinity"
                else:
                    name = "-Infinity"
                yield Diagnostic("dat-nan", {"field": path, "value": name}, place, path)


BLANK = " \t\r\n"


def _skip(text: str, start: int) -> int:
    while start < len(text) and text[start] in BLANK:
        start += 1
    return start


def _is_deeper(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def find_non_finite(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Where NaN and infinities are inside a value, as dotted paths."""
    if isinstance(value, float):
        if not math.isfinite(value):
            yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from find_non_finite(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from find_non_finite(inner, f"{path}[{index}]")


def drop_non_finite(value: Any) -> Any:
    """Return a value with None for each number that JSON does not have; the value itself is changed."""
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return None
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, float | dict | list):
                value[key] = drop_non_finite(inner)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if isinstance(inner, float | dict | list):
                value[index] = drop_non_finite(inner)
    return value


def decode_numbers_as_text(text: str) -> Any:
    """`text` decoded with every number as the text it is written as; for ids."""
    return json.loads(text, parse_int=str, parse_float=str, parse_constant=lambda _: None)


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
                if _count_quotes(value, False, DEEPEST) >= 0:
                    return value
                return None
            self._spaced = len(again) != len(raw)
        if not _has_each_key_once(value, raw):
            return None
        self._counted = self._spaced
        return value


def decode_plain(raw: bytes) -> dict[str, Any] | None:
    """Decode a record that was read before; of a repeated key the last value is taken without a report."""
    value = _decode_object(raw)
    if value is not None and _count_quotes(value, False, DEEPEST) >= 0:
        return value
    return None


def _decode_object(raw: bytes) -> dict[str, Any] | None:
    try:
        value = _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if type(value) is dict:
        return value
    return None


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
