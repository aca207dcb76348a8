"""Decode JSON and say what was odd in it: repeated keys, NaN and infinities, and what would crash a reader."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

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
                name = "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
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


def decode_numbers_as_text(text: str) -> Any:
    """`text` decoded with every number as the text it is written as; for ids."""
    return json.loads(text, parse_int=str, parse_float=str, parse_constant=lambda _: None)
