"""A JSON object that begins in a line and does not end there: the lines that belong to it, as far as there are any."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import BinaryIO

from readback.readers.lines import LONGEST, MOST_LINES, Line, lines
from readback.types import Diagnostic, Location

AGAIN = 64 << 20  # bytes read a second time after objects that never end; beyond it each line is alone
LINE = 100  # bytes that a short line counts for: what it costs
TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*"')
BRACKETS = re.compile(rb"[{}\[\]]")
OPEN = b"{[,:"  # after one of these a value follows, in the next line too
CLOSE = b"}],:"  # with one of these a line may begin after a value
INDENT = b" \t"


class Feed:
    """The lines of a stream, some of which are put back and come once more."""

    def __init__(self, stream: BinaryIO) -> None:
        self._new = lines(stream)
        self._again: deque[Line] = deque()
        self._bytes_again = 0

    def __iter__(self) -> Iterator[Line]:
        return self

    def __next__(self) -> Line:
        return self._again.popleft() if self._again else next(self._new)

    def back(self, some: Sequence[Line]) -> None:
        """Put lines back: they come next."""
        self._bytes_again += sum(max(line.end - line.offset, LINE) for line in some)
        self._again.extendleft(reversed(some))

    @property
    def spent(self) -> bool:
        """Whether so much was put back that no more objects over several lines are looked for."""
        return self._bytes_again > AGAIN


@dataclass(frozen=True, slots=True)
class Spread:
    """An object over several lines: its bytes, and what is behind it in the last of them."""

    lines: tuple[Line, ...]
    raw: bytes
    rest: bytes = b""


def spread(first: Line, raw: bytes, feed: Feed) -> Spread | None:
    """The object that begins with `raw` in the line `first`, or None where it ends in no other line.

    It ends with the bracket that closes its first one. Where none does, or where two lines cannot stand one below the
    other in JSON, it is what is indented more than its first line. Lines that are not part of it come again.
    """
    if feed.spent:
        return None
    taken, parts, depth, size = [first], [raw], _Depth(), len(raw)
    depth.see(raw)
    for line in feed:
        size += line.end - line.offset
        data = line.data or b""
        if line.data is None or size > LONGEST or len(taken) > MOST_LINES or not _may_follow(parts, data):
            feed.back([line])
            break
        cut = depth.see(data)
        taken.append(line)
        if cut is not None:
            return Spread(tuple(taken), b"".join([*parts, data[:cut]]), data[cut:])
        parts.append(data)
        if depth.odd:
            break
    return _by_indent(taken, parts, feed)


def _by_indent(taken: list[Line], parts: list[bytes], feed: Feed) -> Spread | None:
    """What is indented more than the first line, and the line below that begins with a closing bracket."""
    base = _indent(parts[0])
    inside = next((at for at, part in enumerate(parts[1:], 1) if part.strip() and _indent(part) <= base), len(parts))
    if inside < 2:
        feed.back(taken[1:])
        return None
    feed.back(taken[inside:])
    taken, parts = taken[:inside], parts[:inside]
    size = sum(map(len, parts))
    for line in feed:
        data = line.data or b""
        size += len(data)
        closes = data.lstrip(INDENT).startswith((b"}", b"]"))
        outside = bool(data.strip()) and _indent(data) <= base
        if line.data is None or size > LONGEST or len(taken) > MOST_LINES or (outside and not closes):
            feed.back([line])
            break
        taken.append(line)
        parts.append(data)
        if outside:
            break
    return Spread(tuple(taken), b"".join(parts).rstrip())


class _Depth:
    """How many brackets are open, line by line; `odd`: a text in quotes does not end in its line, which is no JSON."""

    __slots__ = ("_open", "odd")

    def __init__(self) -> None:
        self._open = 0
        self.odd = False

    def see(self, data: bytes) -> int | None:
        """Take one more line in; where its bracket is that closes the first of all, the byte after it."""
        bare = TEXTS.sub(lambda text: b" " * len(text[0]), data)
        self.odd = b'"' in bare
        for bracket in () if self.odd else BRACKETS.finditer(bare):
            self._open += 1 if bracket[0] in b"{[" else -1
            if not self._open:
                return bracket.end()
        return None


def _may_follow(parts: list[bytes], data: bytes) -> bool:
    """Whether a line can be below these in JSON: a value needs a comma, a colon or an opened bracket above it."""
    begin = data.strip()[:1]
    if not begin or begin in CLOSE:
        return True
    above = next((part.rstrip()[-1:] for part in reversed(parts) if part.strip()), b"")
    return above in OPEN and (above != b"{" or begin == b'"')


def _indent(data: bytes) -> int:
    return len(data) - len(data.lstrip(INDENT))


@dataclass(slots=True)
class OverLines:
    """Counts the records of a file of JSON lines that have no line of their own, for one diagnostic."""

    count: int = 0
    line: int = 0

    def see(self, line: int) -> None:
        self.line = self.line or line
        self.count += 1

    def report(self, file: str, how: str = "written over several lines", each: str = ".") -> Iterator[Diagnostic]:
        if self.count:
            values = {"records": self.count, "how": how, "command": f"jq -c '{each}' {quote(file)}"}
            yield Diagnostic("dat-over-lines", values, Location(file=file, line=self.line))
