"""Read numbers of rules and sections: lists, ranges and further parts, `12(b)(1) and (6)`, `1981 through 1983`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

PART = r"(?: ?\([0-9A-Za-z]{1,4}\))"
PARTS = re.compile(r"\(([0-9A-Za-z]{1,4})\)")
MORE_PARTS = re.compile(rf"(?:,? (?:and|or|&) |, ?)(?P<parts>{PART}+)(?! ?\d)")
TO = r"(?: ?- ?| (?:through|thru|to) )"
LEADING = re.compile(r"\d+")
MOST = 20  # numbers behind one name


@dataclass(frozen=True, slots=True)
class Number:
    """One number at character offsets. `last` is the end of a range that begins with `number`."""

    start: int
    end: int
    number: str
    last: str | None = None


class Numbers:
    """Reads the numbers behind one name.

    `range_end` is the pattern of the end of a range, `further` that of a number behind a comma or `and`. A match that
    is passed to `read` must have a group `number`.
    """

    def __init__(self, range_end: str, further: str) -> None:
        self._further = re.compile(rf"(?:,? (?:and|or|&) |, ?)(?P<number>{further})")
        self._range_end = re.compile(rf"{TO}(?P<number>{range_end})(?![\w(]|-\d)")

    def read(self, text: str, start: int, first: re.Match[str], is_plural: bool) -> Iterator[Number]:
        """Yield the numbers from that of `first` on; the first citation begins at `start`.

        Behind a plural name (`is_plural`), ranges and bare numbers may follow.
        """
        number, end = _remove_blanks(first["number"]), first.end("number")
        for _ in range(MOST):
            last = None
            if is_plural:
                number, last = split_range(number)
                if last is None:
                    last, end = self._read_range_end(text, end, number)
            yield Number(start, end, number, last)
            if last is None and (match := MORE_PARTS.match(text, end)):
                start, end = match.span("parts")
                number = replace_part(number, _remove_blanks(match["parts"]))
            elif (match := self._further.match(text, end)) and (is_plural or "(" in match["number"]):
                start, end = match.span("number")
                number = _remove_blanks(match["number"])
            else:
                return

    def _read_range_end(self, text: str, offset: int, number: str) -> tuple[str | None, int]:
        """Return the last number of a range that goes on at `offset`, and the offset behind it."""
        match = self._range_end.match(text, offset)
        if match is None or not is_rising(number, match["number"]):
            return None, offset
        return match["number"], match.end("number")


def split_range(number: str) -> tuple[str, str | None]:
    """Split `1981-1983` into its ends; return a number that contains a hyphen (`21-3516`, `10b-5`) whole, and None."""
    first, _, last = number.partition("-")
    if len(first) == len(last) and is_rising(first, last):
        return first, last
    return number, None


def is_rising(first: str, last: str) -> bool:
    """Return whether two whole numbers can be the ends of a range."""
    return first.isdecimal() and last.isdecimal() and int(first) < int(last)


def replace_part(number: str, parts: str) -> str:
    """Return the number with a part replaced by `parts`: `56(a)` and `(c)` give `56(c)`.

    The last part of the same kind is replaced: digits, small letters or capitals.
    """
    existing = list(PARTS.finditer(number))
    first = PARTS.match(parts)
    similar = []
    if first:
        similar = [match for match in existing if _classify_part(match[1]) == _classify_part(first[1])]
    if similar:
        prefix = number[: similar[-1].start()]
    else:
        prefix = number
    return prefix + parts


def is_in_range(number: str, first: str, last: str) -> bool:
    """Return whether a number lies in a range, by the digits that it begins with."""
    match = LEADING.match(number)
    return match is not None and int(first) <= int(match[0]) <= int(last)


def _classify_part(part: str) -> str:
    if part.isdigit():
        return "digits"
    if part.islower():
        return "small"
    return "capitals"


def _remove_blanks(text: str) -> str:
    return text.replace(" ", "")
