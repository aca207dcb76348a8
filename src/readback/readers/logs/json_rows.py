"""Read the rows of a log that is JSON: lines, a list, or one value, each row with its number and its line.

A line that is not JSON has no number: it is a diagnostic. A blank line is counted. Reading goes on after either.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from io import BufferedReader, RawIOBase
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from readback.readers.files.decoding import budget_of
from readback.readers.files.text_file import (
    LONGEST,
    UTF8_MARK,
    UTF16_MARKS,
    Line,
    report_mark,
    report_not_utf8,
    report_too_long,
    strip_line_end,
)
from readback.readers.json_file import Cursor, TooLong
from readback.readers.json_text import BLANK, Decoder, NotJson, Plain
from readback.readers.jsonl import LineFeed, find_spread_object, report_bad_record
from readback.readers.logs.head import is_conversation, peek_values
from readback.readers.logs.position import follow
from readback.types import Diagnostic, Location

GZIP = b"\x1f\x8b"
BLANKS = BLANK.encode()
WRONG_BYTE = re.compile("[\udc80-\udcff]")  # what the cursor reads a byte as that is not UTF-8


class LogRow(NamedTuple):
    """A value of the file: its number from 0 among all of them, and the line in which it begins."""

    number: int
    line: int
    value: Any


@dataclass(slots=True)
class RowCounts:
    """Count what a file consists of."""

    rows: int = 0
    blank: int = 0
    refused: int = 0


def read_rows(path: Path, file: str, counts: RowCounts | None = None) -> Iterator[LogRow | Diagnostic]:
    """Yield the rows of the file at `path` in their order, with diagnostics on what cannot be read."""
    if counts is None:
        counts = RowCounts()
    for event in _read_file(path, file):
        if isinstance(event, _Value):
            yield LogRow(counts.rows, event.line, event.value)
            counts.rows += 1
        elif event is None:
            counts.blank += 1
        else:
            counts.refused += 1
            yield event


class _Value(NamedTuple):
    line: int
    value: Any


_Event = _Value | Diagnostic | None  # None: a blank line


def open_log(path: Path) -> BinaryIO:
    """Open a file, unpacked where it is gzip, but no further than its size allows. Raises OSError."""
    stream = path.open("rb")
    follow(stream.tell, path.stat().st_size)
    packed = stream.read(len(GZIP)) == GZIP
    stream.seek(0)
    if not packed:
        return stream
    return cast(BinaryIO, BufferedReader(_Bounded(gzip.GzipFile(fileobj=stream), budget_of(path.stat().st_size))))


class _Bounded(RawIOBase):
    """A packed stream of which no more than a budget comes out."""

    def __init__(self, stream: gzip.GzipFile, budget: int) -> None:
        self._stream, self._left = stream, budget

    def readable(self) -> bool:
        """Return that it is read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer. Raises OSError beyond the budget, EOFError where the packed data end too early."""
        data = self._stream.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise OSError("more comes out of it than is unpacked")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the file below."""
        super().close()
        self._stream.close()


def _read_file(path: Path, file: str) -> Iterator[_Event]:
    try:
        with open_log(path) as stream:
            shape = _find_shape(path)
            yield from READERS[shape](stream, file)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error) or "it cannot be read"
        yield Diagnostic("dat-bad-line", {"reason": reason[:1].lower() + reason[1:]}, Location(file=file))


def _find_shape(path: Path) -> str:
    """Return "list" where the file is a list of rows, "value" where it is one conversation over several lines, else
    "lines".
    """
    with open_log(path) as stream:
        head = stream.read(1 << 16).removeprefix(UTF8_MARK).lstrip()
        if not head.startswith((b"[", b"{")):
            return "lines"
        first, end, rest = head.partition(b"\n")
        if not end:
            rest_of_line = stream.readline(1 << 24)
            first, rest = first + rest_of_line, stream.read(1 << 12)
        while end and not rest.strip() and (more := stream.read(1 << 16)):
            rest += more
    value = _decode_or_none(first)
    if isinstance(value, list) and not rest.strip():
        if is_conversation(value):
            return "lines"
        return "list"
    if value is not None or not head.startswith(b"[") or _is_value_a_line(rest):
        return "lines"
    begin = peek_values(head)
    if len(begin) == 1 and is_conversation(begin[0]):
        return "value"
    return "list"


def _is_value_a_line(rest: bytes) -> bool:
    """Tell whether the second line is a value of its own, so that the first one is but a damaged line."""
    second = rest.split(b"\n", 1)[0]
    return second.lstrip()[:1] in (b"[", b"{") and _decode_or_none(second) is not None


def _decode_or_none(raw: bytes) -> Any:
    try:
        return Decoder().whole(raw.decode("utf-8"))
    except (NotJson, UnicodeDecodeError):
        return None


def _read_lines(stream: BinaryIO, file: str) -> Iterator[_Event]:
    feed = LineFeed(stream)
    decoder, quick = Decoder(), Plain()
    for line in feed:
        if line.data is not None:
            raw = strip_line_end(line.data)
        else:
            raw = None
        if raw is None:
            yield report_too_long(file, line.number, line.end - line.offset)
            continue
        if line.number == 1 and (mark := report_mark(raw, file)):
            yield mark
            if raw.startswith(UTF16_MARKS):
                return
            raw = raw.removeprefix(UTF8_MARK)
        if not raw.strip(BLANKS):
            yield None
            continue
        if (fields := quick.read(raw)) is not None:
            yield _Value(line.number, fields)
            continue
        value = _decode_line(decoder, raw, file, line.number)
        if isinstance(value, Diagnostic) and raw.lstrip(BLANKS).startswith(b"{"):
            value = _read_spread(decoder, line, raw, feed, file) or value
        if isinstance(value, Diagnostic):
            yield value
            continue
        yield from decoder.diagnostics(value.value, Location(file=file, line=value.line))
        yield _finish(decoder, value)


def _read_spread(decoder: Decoder, line: Line, raw: bytes, feed: LineFeed, file: str) -> _Value | None:
    """Return the object that begins in a line and ends in another one; None where there is none."""
    spread = find_spread_object(line, raw, feed)
    if spread is None:
        return None
    value = _decode_line(decoder, spread.raw, file, line.number)
    if isinstance(value, Diagnostic):
        feed.put_back(spread.lines[1:])
        return None
    if spread.rest.strip():
        last = spread.lines[-1]
        feed.put_back([last._replace(offset=last.end - len(spread.rest), data=spread.rest)])
    return value


def _finish(decoder: Decoder, value: _Value) -> _Value:
    """Return a value without the numbers that are none: NaN and infinities are no values."""
    if decoder.endless:
        return _Value(value.line, clear_non_finite(value.value))
    return value


def clear_non_finite(value: Any) -> Any:
    """Return a JSON value with None for NaN and infinities."""
    if isinstance(value, float):
        if isfinite(value):
            return value
        return None
    if isinstance(value, dict):
        return {key: clear_non_finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [clear_non_finite(inner) for inner in value]
    return value


def decode_json(value: Any) -> Any:
    """Return the value of a JSON text; anything else, and a text that is no JSON, as it is."""
    if not isinstance(value, str):
        return value
    decoder = Decoder()
    try:
        decoded = decoder.whole(value)
    except NotJson:
        return value
    if decoder.endless:
        return clear_non_finite(decoded)
    return decoded


def _decode_line(decoder: Decoder, raw: bytes, file: str, line: int) -> _Value | Diagnostic:
    text = ""
    try:
        text = raw.decode("utf-8")
        return _Value(line, decoder.whole(text))
    except UnicodeDecodeError:
        return report_not_utf8(raw, file, line)
    except NotJson as error:
        above = text[: error.at]
        place = Location(file=file, line=line + above.count("\n"))
        return report_bad_record(f"not JSON ({error.reason})", place, len(above) - above.rfind("\n"))


def _read_list(stream: BinaryIO, file: str) -> Iterator[_Event]:
    """Yield the items of a list."""
    cursor = yield from _begin_text(stream, file)
    cursor.take("[")
    if cursor.take("]"):
        return
    while True:
        cursor.peek()
        place = Location(file=file, line=cursor.line, column=cursor.column)
        try:
            value, text = cursor.value()
        except NotJson as error:
            line, column = cursor.position(cursor.ahead(error.at))
            yield report_bad_record(f"not JSON ({error.reason})", replace(place, line=line), column)
            return
        except TooLong:
            yield report_too_long(file, cursor.line, LONGEST + 1)
            if not cursor.skip_value():
                return
        else:
            if WRONG_BYTE.search(text):
                yield report_not_utf8(text.encode("utf-8", "surrogateescape"), file, place.line or 0, place.column or 1)
            else:
                yield from cursor.decoder.diagnostics(value, place)
                yield _finish(cursor.decoder, _Value(place.line or 0, value))
        if cursor.take(","):
            continue
        if not cursor.take("]"):
            reason = "a comma or the end of the list is missing"
        elif cursor.peek():
            reason = "something follows the end of the list"
        else:
            return
        yield report_bad_record(reason, Location(file=file, line=cursor.line), cursor.column)
        return


def _read_value(stream: BinaryIO, file: str) -> Iterator[_Event]:
    """Yield the one value of the file."""
    cursor = yield from _begin_text(stream, file)
    cursor.peek()
    place = Location(file=file, line=cursor.line)
    try:
        value, _ = cursor.value()
    except NotJson as error:
        line, column = cursor.position(cursor.ahead(error.at))
        yield report_bad_record(f"not JSON ({error.reason})", replace(place, line=line), column)
    except TooLong:
        yield report_too_long(file, cursor.line, LONGEST + 1)
    else:
        yield from cursor.decoder.diagnostics(value, place)
        yield _finish(cursor.decoder, _Value(place.line or 1, value))
        if cursor.peek():
            yield report_bad_record("something follows the value", replace(place, line=cursor.line), cursor.column)


def _begin_text(stream: BinaryIO, file: str) -> Generator[_Event, None, Cursor]:
    """Pass over the byte-order mark and return a cursor at the text."""
    head = stream.read(len(UTF8_MARK))
    if head == UTF8_MARK:
        yield Diagnostic("dat-bom", {}, Location(file=file, line=1, column=1))
        head = b""
    return Cursor(cast(BinaryIO, _Joined(head, stream)))


class _Joined(RawIOBase):
    """A stream of which the first bytes were read before."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head, self._stream = head, stream

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes: the first ones with what follows them."""
        head, self._head = self._head, b""
        return head + self._stream.read(size)


READERS = {"lines": _read_lines, "list": _read_list, "value": _read_value}
