"""Numbers of rules and sections: lists, ranges and further parts, `12(b)(1) and (6)`, `1981 through 1983`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

PART = r"(?: ?\([0-9A-Za-z]{1,4}\))"
PARTS = re.compile(r"\(([0-9A-Za-z]{1,4})\)")
MORE_PARTS = re.compile(rf"(?:,? (?:and|or|&) |, ?)(?P<parts>{PART}+)(?! ?\d)")
TO = r"(?: ?- ?| (?:through|thru|to) )"
LEADING = re.compile(r"\d+")
MOST = 20  # further numbers behind one name


@dataclass(frozen=True, slots=True)
class Number:
    """One number at character offsets. `last` is the end of a range that begins with `number`."""

    start: int
    end: int
    number: str
    last: str | None = None


class Numbers:
    """Reads the numbers behind one name: `one` matches the end of a range, `further` what follows a comma or `and`.

    Each match of the caller's has a group `number`.
    """

    def __init__(self, one: str, further: str) -> None:
        self._further = re.compile(rf"(?:,? (?:and|or|&) |, ?)(?P<number>{further})")
        self._last = re.compile(rf"{TO}(?P<number>{one})(?![\w(]|-\d)")

    def read(self, text: str, start: int, first: re.Match[str], many: bool) -> Iterator[Number]:
        """The numbers from the one of `first` on; the first citation begins at `start`.

        `many`: the name is a plural, so that ranges and bare numbers may follow.
        """
        number, at = _bare(first["number"]), first.end("number")
        for _ in range(MOST):
            number, last = split(number) if many else (number, None)
            if many and last is None:
                last, at = self._range(text, at, number)
            yield Number(start, at, number, last)
            if last is None and (more := MORE_PARTS.match(text, at)):
                start, at, number = more.start("parts"), more.end("parts"), beside(number, _bare(more["parts"]))
            elif (more := self._further.match(text, at)) and (many or "(" in more["number"]):
                start, at, number = more.start("number"), more.end("number"), _bare(more["number"])
            else:
                return

    def _range(self, text: str, at: int, number: str) -> tuple[str | None, int]:
        hit = self._last.match(text, at)
        return (hit["number"], hit.end("number")) if hit and rising(number, hit["number"]) else (None, at)


def split(number: str) -> tuple[str, str | None]:
    """`1981-1983` as its two ends; a number with a hyphen of its own (`21-3516`, `10b-5`) stays one."""
    first, _, last = number.partition("-")
    return (first, last) if len(first) == len(last) and rising(first, last) else (number, None)


def rising(first: str, last: str) -> bool:
    """Whether two whole numbers make a range."""
    return first.isdecimal() and last.isdecimal() and int(first) < int(last)


def beside(number: str, parts: str) -> str:
    """The part of the same rule that `parts` names: `(c)` beside `56(a)` is `56(c)`.

    It takes the place of the last part that is written in the same manner, by digits, small letters or capitals.
    """
    there = list(PARTS.finditer(number))
    first = PARTS.match(parts)
    similar = [hit for hit in there if first and _manner(hit[1]) == _manner(first[1])]
    kept = number[: similar[-1].start()] if similar else number
    return kept + parts


def within(number: str, first: str, last: str) -> bool:
    """Whether a number lies in a range, by the digits that it begins with."""
    hit = LEADING.match(number)
    return hit is not None and int(first) <= int(hit[0]) <= int(last)


def _manner(part: str) -> str:
    return "digits" if part.isdigit() else "small" if part.islower() else "capitals"


def _bare(text: str) -> str:
    return text.replace(" ", "")
