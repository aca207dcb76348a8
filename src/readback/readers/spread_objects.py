"""Read JSON objects that are spread over several lines: find the lines that belong to one."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import BinaryIO

from readback.readers.lines import LONGEST, MOST_LINES, Line, read_lines
from readback.types import Diagnostic, Location

AGAIN = 64 << 20  # bytes read a second time after objects that never end; beyond it each line is alone
LINE = 100  # bytes that a short line counts for: what it costs
TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*"')
BRACKETS = re.compile(rb"[{}\[\]]")
OPEN = b"{[,:"  # after one of these a value follows, in the next line too
CLOSE = b"}],:"  # with one of these a line may begin after a value
INDENT = b" \t"


class LineFeed:
    """Yield the lines of a stream; lines that are put back come once more."""

    def __init__(self, stream: BinaryIO) -> None:
        self._new = read_lines(stream)
        self._returned: deque[Line] = deque()
        self._returned_bytes = 0

    def __iter__(self) -> Iterator[Line]:
        """Return the feed itself."""
        return self

    def __next__(self) -> Line:
        """Return the next line."""
        return self._returned.popleft() if self._returned else next(self._new)

    def put_back(self, returned: Sequence[Line]) -> None:
        """Put lines back: they come next."""
        self._returned_bytes += sum(max(line.end - line.offset, LINE) for line in returned)
        self._returned.extendleft(reversed(returned))

    @property
    def is_spent(self) -> bool:
        """Whether so much was put back that no more objects over several lines are searched for."""
        return self._returned_bytes > AGAIN


@dataclass(frozen=True, slots=True)
class SpreadObject:
    """An object over several lines: its bytes, and what follows it in the last of them."""

    lines: tuple[Line, ...]
    raw: bytes
    rest: bytes = b""


def find_spread_object(first: Line, raw: bytes, feed: LineFeed) -> SpreadObject | None:
    """Return the object that begins with `raw` in the line `first`; None where it ends in no other line.

    It ends with the bracket that closes its first one. Where none does, or where two lines cannot stand one below the
    other in JSON, it is what is indented more than its first line. Lines that are not part of it come again.
    """
    if feed.is_spent:
        return None
    object_lines, parts, size = [first], [raw], len(raw)
    brackets = _OpenBrackets()
    brackets.count(raw)
    for line in feed:
        size += line.end - line.offset
        data = line.data or b""
        if line.data is None or size > LONGEST or len(object_lines) > MOST_LINES or not _may_follow(parts, data):
            feed.put_back([line])
            break
        end = brackets.count(data)
        object_lines.append(line)
        if end is not None:
            return SpreadObject(tuple(object_lines), b"".join([*parts, data[:end]]), data[end:])
        parts.append(data)
        if brackets.has_open_quote:
            break
    return _find_by_indent(object_lines, parts, feed)


def _find_by_indent(object_lines: list[Line], parts: list[bytes], feed: LineFeed) -> SpreadObject | None:
    """Return what is indented more than the first line, with the line below that begins with a closing bracket."""
    base = _measure_indent(parts[0])
    count = 1
    while count < len(parts) and not (parts[count].strip() and _measure_indent(parts[count]) <= base):
        count += 1
    if count < 2:
        feed.put_back(object_lines[1:])
        return None
    feed.put_back(object_lines[count:])
    object_lines, parts = object_lines[:count], parts[:count]
    size = sum(map(len, parts))
    for line in feed:
        data = line.data or b""
        size += len(data)
        closes = data.lstrip(INDENT).startswith((b"}", b"]"))
        is_outside = bool(data.strip()) and _measure_indent(data) <= base
        if line.data is None or size > LONGEST or len(object_lines) > MOST_LINES or (is_outside and not closes):
            feed.put_back([line])
            break
        object_lines.append(line)
        parts.append(data)
        if is_outside:
            break
    return SpreadObject(tuple(object_lines), b"".join(parts).rstrip())


class _OpenBrackets:
    """Count the open brackets, line by line; after a line whose quotes do not end, which is no JSON, it is over."""

    __slots__ = ("_open", "has_open_quote")

    def __init__(self) -> None:
        self._open = 0
        self.has_open_quote = False

    def count(self, data: bytes) -> int | None:
        """Count in one more line; return the byte after the bracket that closes the first of all, if it is there."""
        without_texts = TEXTS.sub(lambda text: b" " * len(text[0]), data)
        self.has_open_quote = b'"' in without_texts
        if self.has_open_quote:
            return None
        for bracket in BRACKETS.finditer(without_texts):
            self._open += 1 if bracket[0] in b"{[" else -1
            if not self._open:
                return bracket.end()
        return None


def _may_follow(parts: list[bytes], data: bytes) -> bool:
    """Tell whether a line can be below these in JSON: a value needs a comma, a colon or an opened bracket above it."""
    begin = data.strip()[:1]
    if not begin or begin in CLOSE:
        return True
    above = next((part.rstrip()[-1:] for part in reversed(parts) if part.strip()), b"")
    return above in OPEN and (above != b"{" or begin == b'"')


def _measure_indent(data: bytes) -> int:
    return len(data) - len(data.lstrip(INDENT))


@dataclass(slots=True)
class SpreadCount:
    """Count the records of a file of JSON lines that have no line of their own, for one diagnostic."""

    count: int = 0
    line: int = 0

    def add(self, line: int) -> None:
        """Count the record that begins in this line."""
        self.line = self.line or line
        self.count += 1

    def report(self, file: str, how: str = "written over several lines", each: str = ".") -> Iterator[Diagnostic]:
        """Yield the diagnostic if there is such a record; `each` is what jq takes a record by."""
        if self.count:
            values = {"records": self.count, "how": how, "command": f"jq -c '{each}' {quote(file)}"}
            yield Diagnostic("dat-over-lines", values, Location(file=file, line=self.line))
