"""Read a list inside a big JSON object element by element, and the rest of the object without that list.

Logs are one object whose rows are a list in it: `results.results` of promptfoo, `samples` of Inspect. Such a file may
be larger than memory, so no more of it is held than one element or one value beside the list, each at most LONGEST
bytes. NaN and infinities are None: they are no JSON, and no values. Of a key that stands twice in an element the last
counts, as in JSON.parse, and `repeated` names it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from readback.readers.files.text_file import LONGEST, UTF8_MARK
from readback.readers.json_file import MOST_BAD, Cursor, TooLong
from readback.readers.json_text import Decoder, NotJson

Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An element, or a value beside the list, that could not be read, and why.

    `is_element`: an element of the list stands here; else it is said of the list, or of the file.
    """

    reason: str
    is_element: bool = False


def iterate_elements(
    stream: BinaryIO,
    path: Steps,
    rest: dict[str, Any] | None = None,
    repeated: list[tuple[int, str]] | None = None,
    leave: Collection[Steps] = (),
) -> Iterator[tuple[int, Any]]:
    """Yield the line and the value of each element of the list that the object of `stream` has under `path`.

    An empty path is the list that the whole text is.

    What cannot be read is an Unreadable in its place, and reading goes on with the next element that can be recognised;
    where a file ends too early, or has no such list, an Unreadable is the last. `rest` is filled on the way as
    `read_without` does it; without it reading ends with the list. Values whose path is in `leave` are passed over.
    `repeated` is filled with the line and name of each key that stands twice in an element.
    """
    yield from _Walk(stream, path, rest, repeated, leave).walk()


def read_without(stream: BinaryIO, path: Steps, leave: Collection[Steps] = ()) -> dict[str, Any]:
    """Return the object of `stream` without the list under `path`, which is passed over without being decoded.

    A value that cannot be read is an Unreadable; where the text ends early, what stood before is there.
    """
    rest: dict[str, Any] = {}
    for _ in _Walk(stream, path, rest, None, (*leave, path)).walk():
        pass
    return rest


class _Decoder(Decoder):
    """Decodes NaN and infinities as None."""

    def _float(self, text: str) -> float | None:  # type: ignore[override]
        value = float(text)
        if math.isfinite(value):
            return value
        return None

    def _constant(self, text: str) -> None:  # type: ignore[override]
        return None


class _Walk:
    """Goes through one object."""

    def __init__(
        self,
        stream: BinaryIO,
        path: Steps,
        rest: dict[str, Any] | None,
        repeated: list[tuple[int, str]] | None,
        leave: Collection[Steps],
    ) -> None:
        head = stream.read(len(UTF8_MARK))
        start = stream.seek(len(UTF8_MARK) if head == UTF8_MARK else 0)
        self._stream = stream
        self._cursor = self._start_at(start)
        self._path = path
        self._rest = rest
        self._repeated = repeated
        self._leave = leave
        self._is_read = False  # the list was there
        self._bad = 0
        self._is_broken = False  # the text could not be followed to its end, which was said

    def walk(self) -> Iterator[tuple[int, Any]]:
        if self._path:
            yield from self._object((), self._rest)
        elif self._cursor.peek() == "[":
            self._is_read = True
            yield from self._elements()
        if (self._rest is not None or not self._path) and self._cursor.peek() and not self._is_broken:
            yield self._cursor.line, Unreadable("something follows the end")
        if not self._is_read and self._path not in self._leave:
            if self._path:
                name = f"list `{'.'.join(self._path)}`"
            else:
                name = "list"
            yield self._cursor.line, Unreadable(f"no {name} could be read")

    def _start_at(self, offset: int, line: int = 1, column: int = 1) -> Cursor:
        self._stream.seek(offset)
        cursor = Cursor(self._stream, offset)
        cursor.decoder = _Decoder()
        cursor.line, cursor.column = line, column
        return cursor

    def _object(self, at: Steps, rest: dict[str, Any] | None) -> Iterator[tuple[int, Any]]:
        """Go through the object that begins here. Afterwards the cursor is behind it, or the text ended early."""
        cursor = self._cursor
        if not cursor.take("{"):
            self._is_broken = True
            yield cursor.line, Unreadable("no JSON object begins here")
            return
        if cursor.take("}"):
            return
        while True:
            line = cursor.line
            key = self._read_key()
            if key is None:
                yield self._report_end(line)
                return
            yield from self._value((*at, key), rest)
            cursor = self._cursor
            if self._rest is None and self._is_read:
                return
            if cursor.take(","):
                continue
            if not cursor.take("}"):
                yield self._report_end(cursor.line)
            return

    def _report_end(self, line: int) -> tuple[int, Any]:
        self._is_broken = True
        return line, Unreadable("the file ends early, or is not JSON here")

    def _read_key(self) -> str | None:
        try:
            name, _ = self._cursor.value()
        except (NotJson, TooLong):
            return None
        if isinstance(name, str) and self._cursor.take(":"):
            return name
        return None

    def _value(self, at: Steps, rest: dict[str, Any] | None) -> Iterator[tuple[int, Any]]:
        """Read the value at `at`: descend where it is on the path, take or pass over any other."""
        cursor = self._cursor
        start = cursor.peek()
        if at in self._leave or (rest is None and at != self._path[: len(at)]):
            cursor.skip_value()
        elif at == self._path and start == "[":
            if self._is_read:
                yield cursor.line, Unreadable(f"`{'.'.join(at)}` stands twice; the first list is read")
                cursor.skip_value()
                return
            self._is_read = True
            yield from self._elements()
        elif at == self._path[: len(at)] and at != self._path and start == "{":
            inner: dict[str, Any] = {}
            if rest is not None:
                rest[at[-1]] = inner
            yield from self._object(at, None if rest is None else inner)
        elif rest is not None:
            rest[at[-1]] = self._take_value()
        else:
            cursor.skip_value()

    def _take_value(self) -> Any:
        cursor = self._cursor
        try:
            value, text = cursor.value()
        except TooLong:
            cursor.skip_value()
            return Unreadable(f"longer than {LONGEST} bytes")
        except NotJson as error:
            cursor.skip_value()
            return Unreadable(f"not JSON ({error.reason})")
        if _is_text(text):
            return value
        return Unreadable("not UTF-8")

    def _elements(self) -> Iterator[tuple[int, Any]]:
        """Yield the elements of the list that begins here. Afterwards the cursor is behind the list, or at the end."""
        cursor = self._cursor
        cursor.take("[")
        line = cursor.line
        if cursor.take("]"):
            return
        if cursor.line > line:
            indentation = cursor.column - 1
        else:
            indentation = None
        while True:
            cursor = self._cursor
            if not cursor.peek():
                self._is_broken = True
                yield cursor.line, Unreadable("the file ends inside the list")
                return
            line = cursor.line
            is_passed = True
            try:
                value, text = cursor.value()
            except TooLong:
                yield line, Unreadable(f"longer than {LONGEST} bytes", True)
                is_passed = cursor.skip_value()
            except NotJson as error:
                yield cursor.position(cursor.ahead(error.at))[0], Unreadable(f"not JSON ({error.reason})", True)
                is_passed = False
            else:
                yield line, value if _is_text(text) else Unreadable("not UTF-8", True)
                self._note_repeated(line)
            if is_passed and cursor.take(","):
                continue
            if is_passed and cursor.take("]"):
                return
            if is_passed:
                yield cursor.line, Unreadable("a comma or the end of the list is missing")
            self._bad += 1
            if self._bad > MOST_BAD or not self._recover(indentation):
                self._is_broken = True
                yield self._cursor.line, Unreadable("what follows in the list could not be followed")
                return
            if self._cursor.take("]"):
                return

    def _recover(self, indentation: int | None) -> bool:
        """Go on behind the bad element: to what is next at its indentation, else behind the bracket that closes it.

        The cursor is then at an element or at the list's end. Returns False where neither is there.
        """
        offset, line, column = self._cursor.offset, self._cursor.line, self._cursor.column
        if indentation:  # a line that begins with `]` further left ends the list
            ahead = re.compile(rf"\n(?: {{{indentation}}}\{{| {{0,{indentation - 1}}}\])")
            if self._cursor.skip_to_match(ahead, indentation + 2):
                return True
            self._cursor = self._start_at(offset, line, column)
        if self._cursor.peek() not in ("{", "[") or not self._cursor.skip_value():
            return False
        return self._cursor.take(",") or self._cursor.peek() == "]"

    def _note_repeated(self, line: int) -> None:
        if self._repeated is not None:
            self._repeated += [(line, key) for key in dict.fromkeys(self._cursor.decoder.repeated)]


def _is_text(text: str) -> bool:
    """Whether the text was UTF-8: each other byte is a lone surrogate, which no JSON text holds."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
