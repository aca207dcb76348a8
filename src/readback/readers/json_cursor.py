"""Walk through a JSON file value by value, holding one at a time and knowing where each is."""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO

from readback.readers.json_text import BLANK, Decoder, NotJson
from readback.readers.lines import LONGEST

CHUNK = 1 << 20
OPENERS = ("{", "[")
BRACKETS = (*OPENERS, "}", "]")
PLAIN = re.compile(r'["{}\[\]]')
QUOTED = re.compile(r'\\.|"', re.DOTALL)


class TooLong(Exception):  # noqa: N818 - said as "the value is too long"
    """One value is above the bound."""


class Cursor:
    """A place in a JSON text. `line` and `column` count from 1, `offset` counts bytes."""

    def __init__(self, stream: BinaryIO, offset: int = 0) -> None:
        self.decoder = Decoder()
        self.offset = offset
        self.line = 1
        self.column = 1
        self._stream = stream
        # a wrong byte stays visible as a lone surrogate, which JSON text itself cannot hold
        self._text = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._buffer = ""
        self._at = 0
        self._ended = False

    def _more(self) -> bool:
        if self._ended:
            return False
        data = self._stream.read(max(CHUNK, len(self._buffer) - self._at))  # doubled, for a value is begun anew
        self._ended = not data
        self._buffer = self._buffer[self._at :] + self._text.decode(data, final=not data)
        self._at = 0
        return True

    def peek(self) -> str:
        """Return the next character that is not blank, without taking it; "" at the end."""
        while True:
            start = self._at
            while self._at < len(self._buffer) and self._buffer[self._at] in BLANK:
                self._at += 1
            self._count(self._buffer[start : self._at])
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return ""

    def take(self, wanted: str) -> bool:
        """Pass over the next character that is not blank if it is `wanted`."""
        if not wanted or self.peek() != wanted:
            return False
        self._pass(self._at + 1)
        return True

    def value(self) -> tuple[object, str]:
        """Decode the value that begins here, move behind it, and return it with its text. Raises NotJson and TooLong.

        After NotJson the cursor still is at the value's start; `at` in the error counts from there.
        """
        self.peek()
        while True:
            try:
                value, end = self.decoder.value(self._buffer, self._at)
            except NotJson as error:
                buffered = len(self._buffer) - self._at
                if not self._ended and buffered <= LONGEST:
                    self._more()
                    continue
                error.at -= self._at
                if buffered > LONGEST and (error.at >= LONGEST or error.reason.startswith("unterminated")):
                    raise TooLong from None
                raise
            if end == len(self._buffer) and not self._ended:  # `12` may be the beginning of `123`
                self._more()
                continue
            if end - self._at > LONGEST:
                raise TooLong
            text = self._buffer[self._at : end]
            self._pass(end)
            return value, text

    def skip_past(self, wanted: str) -> bool:
        """Go on to just before the last character of the next `wanted`; False, at the end, when there is none."""
        return self._skip_to(wanted, len(wanted) - 1)

    def skip_to(self, wanted: str) -> bool:
        """Go on to the next `wanted` after the character here; False, at the end, when there is none."""
        return self._skip_to(wanted, 0)

    def skip_value(self) -> bool:
        """Pass over the value that begins here, however long, without holding it; False where the text ends in it."""
        if self.peek() not in OPENERS:
            try:
                self.value()
            except (NotJson, TooLong):
                return False
            return True
        depth, inside, at = 0, False, self._at
        while True:
            while match := (QUOTED if inside else PLAIN).search(self._buffer, at):
                mark, at = match.group(), match.end()
                inside ^= mark == '"'
                if mark in BRACKETS and not inside:
                    depth += 1 if mark in OPENERS else -1
                    if not depth:
                        self._pass(at)
                        return True
            self._pass(len(self._buffer) - (inside and self._buffer.endswith("\\", at)))  # `\` may begin `\"`
            if not self._more():
                return False
            at = self._at

    def _skip_to(self, wanted: str, into: int) -> bool:
        self._pass(min(self._at + 1, len(self._buffer)))
        while True:
            start = self._buffer.find(wanted, self._at)
            if start >= 0:
                self._pass(start + into)
                return True
            self._pass(max(self._at, len(self._buffer) - len(wanted) + 1))
            if not self._more():
                self._pass(len(self._buffer))
                return False

    def position(self, text: str) -> tuple[int, int]:
        """Line and column of what follows `text`, which begins here."""
        below = text.count("\n")
        return self.line + below, len(text) - text.rfind("\n") if below else self.column + len(text)

    def ahead(self, count: int) -> str:
        """Return the next characters, as far as they were read."""
        return self._buffer[self._at : self._at + count]

    def _pass(self, end: int) -> None:
        self._count(self._buffer[self._at : end])
        self._at = end

    def _count(self, passed: str) -> None:
        if passed:
            self.line, self.column = self.position(passed)
            self.offset += len(passed) if passed.isascii() else len(passed.encode("utf-8", "surrogateescape"))
