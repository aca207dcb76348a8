"""Walk through a JSON text value by value, however long it is: find where each ends, and decode none of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

CHUNK = 1 << 20
BLANK = b" \t\r\n"
# Groups are not repeated possessively: Python before 3.11.5 matches such wrongly (gh-106052).
TEXT = rb'[^"\\]*+(?:\\.[^"\\]*+)*'  # what stands between two quotes
PLAIN = rb'[^"{}\[\]]*+(?:"' + TEXT + rb'"[^"{}\[\]]*+)*'  # whole texts, and what is no bracket
TO_BRACKET = re.compile(PLAIN + rb"([{}\[\]])", re.DOTALL)
FLAT = re.compile(PLAIN, re.DOTALL)
INSIDE = re.compile(TEXT, re.DOTALL)
SCALAR = re.compile(rb"[^\s,\]}\[{\":]*+")
OBJECT_LINES = (b"{\n", b"{\r")  # objects written on many lines
OPEN, CLOSE = b"{[", b"}]"


class BrokenText(Exception):  # noqa: N818 - it is what the text is
    """The text ends within a value, or is no JSON at this place; the text of the exception says why."""


class Source(Protocol):
    """What is walked through: a file, or what comes out of a packed one."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes."""

    def seek(self, offset: int, /) -> int:
        """Go to a place."""


class ByteWalk:
    """A place in a JSON text of bytes. `line` counts from 1, `begin` is where the stream stands."""

    def __init__(self, stream: Source, begin: int = 0) -> None:
        self._stream = stream
        self._passed = begin  # bytes of the stream that were read
        self._buffer = b""
        self._at = 0
        self._blank = b""  # what was passed before the last value
        self.line = 1

    @property
    def offset(self) -> int:
        """Where this place is in the stream."""
        return self._passed - len(self._buffer) + self._at

    def return_to_stream(self) -> None:
        """Let the stream stand where this walk reads on, after another has read from it."""
        self._stream.seek(self._passed)

    def peek(self) -> bytes:
        """Return the next byte that is not blank, without taking it; empty at the end."""
        while True:
            rest = len(self._buffer)
            at = self._at
            while at < rest and self._buffer[at] in BLANK:
                at += 1
            self.line += self._buffer.count(b"\n", self._at, at)
            if at > self._at:
                self._blank = self._buffer[self._at : at]
            self._at = at
            if at < rest:
                return self._buffer[at : at + 1]
            if not self._read_on(at):
                return b""

    def take(self, wanted: bytes) -> bool:
        """Pass over the next byte that is not blank if it is `wanted`."""
        if self.peek() != wanted:
            return False
        self._at += 1
        return True

    def take_value(self, most: int) -> bytes | None:
        """Pass over the value that begins here; return its bytes, None where there are more than `most`.

        Raises BrokenText where the text ends within it.
        """
        first = self.peek()
        if not first:
            raise BrokenText("the file ends where a value should begin")
        value = _Growing(most)
        if first in OPEN:
            self._pass_nested(value)
        elif first == b'"':
            self._pass_text(value)
        else:
            self._pass_scalar(value)
        return value.join()

    def _pass_nested(self, value: _Growing) -> None:
        depth, is_inside, start, at = 0, False, self._at, self._at
        while True:
            if is_inside:
                at = _end(INSIDE, self._buffer, at)
                if self._buffer[at : at + 1] == b'"':
                    at += 1
                    is_inside = False
                    continue
            elif match := TO_BRACKET.match(self._buffer, at):
                at = match.end()
                if self._buffer[at - 1] in CLOSE:
                    depth -= 1
                    if not depth:
                        self._pass(value, start, at)
                        return
                else:
                    depth += 1
                continue
            else:
                at = _end(FLAT, self._buffer, at)
                if self._buffer[at : at + 1] == b'"':
                    at += 1
                    is_inside = True
                    continue
            self._pass(value, start, at)
            if not self._read_on(at):
                raise BrokenText("the file ends within a value")
            start = at = 0

    def _pass_text(self, value: _Growing) -> None:
        start, at = self._at, self._at + 1
        while True:
            at = _end(INSIDE, self._buffer, at)
            if self._buffer[at : at + 1] == b'"':
                self._pass(value, start, at + 1)
                return
            self._pass(value, start, at)
            if not self._read_on(at):
                raise BrokenText("the file ends within a text")
            start = at = 0

    def _pass_scalar(self, value: _Growing) -> None:
        start = self._at
        while True:
            at = _end(SCALAR, self._buffer, start)
            self._pass(value, start, at)
            if at < len(self._buffer) or not self._read_on(at):
                break
            start = 0
        if not value.length:
            raise BrokenText("something that is no JSON")

    def _pass(self, value: _Growing, start: int, end: int) -> None:
        self.line += self._buffer.count(b"\n", start, end)
        value.add(self._buffer[start:end])
        self._at = end

    def _read_on(self, start: int) -> bool:
        """Read more behind what is not passed yet, from `start`; False at the end of the file."""
        data = self._stream.read(CHUNK)
        self._passed += len(data)
        self._buffer = self._buffer[start:] + data
        self._at = 0
        return bool(data)

    def _take_indented(self, end: bytes, most: int) -> bytes | None:
        """Pass over an object that is written on many lines, by the line that closes it; texts hold no line breaks.

        So an object in which a bracket or a quote is broken does not take those after it along.
        """
        value = _Growing(most)
        start = self._at
        while True:
            at = self._buffer.find(end, start)
            if at >= 0:
                self._pass(value, self._at, at + len(end))
                return value.join()
            behind = max(self._at, len(self._buffer) - len(end) + 1)
            self._pass(value, self._at, behind)
            start = 0
            if not self._read_on(behind):
                raise BrokenText("the file ends within an object")

    def list_items(self, most: int) -> Iterator[tuple[bytes | None, int, int]]:
        """Yield each item of the list that begins here, its line and its offset; None for more than `most` bytes.

        Raises BrokenText where the list cannot be followed further.
        """
        self.take(b"[")
        self._blank = b""
        if self.take(b"]"):
            return
        _, newline, indent = self._blank.rpartition(b"\n")
        if newline:
            closing = newline + indent + b"}"
        else:
            closing = b""
        while True:
            self.peek()
            line, offset = self.line, self.offset
            if closing and self._buffer[self._at : self._at + 2] in OBJECT_LINES and self._blank.endswith(closing[:-1]):
                text = self._take_indented(closing, most)
            else:
                text = self.take_value(most)
            yield text, line, offset
            if self.take(b","):
                continue
            if self.take(b"]"):
                return
            raise BrokenText("a comma or the end of the list is missing")

    def list_keys(self) -> Iterator[bytes]:
        """Yield each key of the object that begins here, as it is written; its value has to be taken before the next.

        Raises BrokenText where the object cannot be followed further.
        """
        if not self.take(b"{"):
            raise BrokenText("it is no object")
        if self.take(b"}"):
            return
        while True:
            if self.peek() != b'"':
                raise BrokenText("a name is missing")
            key = self.take_value(CHUNK)
            if not self.take(b":"):
                raise BrokenText("a colon is missing")
            yield key or b""
            if self.take(b","):
                continue
            if self.take(b"}"):
                return
            raise BrokenText("a comma or the end of the object is missing")


def _end(pattern: re.Pattern[bytes], buffer: bytes, at: int) -> int:
    match = pattern.match(buffer, at)
    if match:
        return match.end()
    return at


class _Growing:
    """The bytes of a value, piece by piece, as long as there are no more than `most`."""

    def __init__(self, most: int) -> None:
        self.length = 0
        self._most = most
        self._pieces: list[bytes] = []

    def add(self, piece: bytes) -> None:
        self.length += len(piece)
        if self.length <= self._most:
            self._pieces.append(piece)
        else:
            self._pieces.clear()

    def join(self) -> bytes | None:
        if self.length > self._most:
            return None
        if len(self._pieces) == 1:
            return self._pieces[0]
        return b"".join(self._pieces)
