"""JSON lines: one object a line, split on LF only, every other line refused by itself."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any, BinaryIO

from readback.readers.files.row import Blank, Event, Refused, Row
from readback.readers.files.text_file import (
    LONGEST,
    MOST_LINES,
    UTF8_MARK,
    UTF16_MARKS,
    Comments,
    Ends,
    Line,
    read_lines,
    report_mark,
    report_not_utf8,
    report_too_long,
    strip_line_end,
)
from readback.readers.json_text import Decoder, NotJson, Plain, decode_plain
from readback.types import Diagnostic, Location

NAME = "jsonl"
SUFFIXES = (".jsonl", ".ndjson", ".jsonlines")
BLANKS = b" \t\r"
COMMENTS = (b"#", b"//")  # how a line of comments begins, in a file that begins with one
SHORT = 16  # bytes of a line that is remembered where it is refused, for files of millions of them have few kinds
REMEMBERED = 1_000  # such lines


def rows(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Yield every line of `stream` as a Row, a Refused or a Blank, with diagnostics on byte-order mark and line ends.

    Where a comment is before the first record, every line that begins like one is a comment: a loader that leaves
    them out does so everywhere. They are counted as blank lines, and said once. An object that is written over several
    lines is one Row, or one Refused, and all of these are said once.
    """
    decoder = Decoder()
    quick = Plain()
    ends, comments, spread, feed = Ends(), Comments(), SpreadCount(), LineFeed(stream)
    refused: dict[bytes, Diagnostic] = {}
    utf16 = begun = False

    for line in feed:
        data = line.data
        start = line.offset
        if line.number == 1 and data is not None:
            if mark := report_mark(data, file):
                utf16 = data.startswith(UTF16_MARKS)
                yield Refused(mark, 1, 1, line.end) if utf16 else mark
            if utf16:
                continue
            if data.startswith(UTF8_MARK):
                data = data[len(UTF8_MARK) :]
                start += len(UTF8_MARK)
        if utf16 or data is None:
            if utf16:
                diagnostic = None
            else:
                diagnostic = report_too_long(file, line.number, line.end - line.offset)
            yield Refused(diagnostic, line.number, line.number, line.end)
            continue
        raw = strip_line_end(data)
        if not raw.strip(BLANKS):
            ends.see(line)
            yield Blank(line.number, line.end)
            continue
        if raw.startswith(COMMENTS) and (comments.count or not begun):
            ends.see(line)
            comments.see(line.number, raw)
            yield Blank(line.number, line.end)
            continue
        begun = True
        if len(raw) <= SHORT and (earlier := refused.get(raw)) is not None:
            ends.see(line)
            place = Location(file=file, line=line.number, column=earlier.place.column)
            yield Refused(Diagnostic(earlier.code, earlier.values, place), line.number, line.number, line.end)
            continue
        if (fields := quick.read(raw)) is not None:
            ends.see(line)
            yield Row(fields, line.number, line.number, start, start + len(raw), raw)
            continue
        place = Location(file=file, line=line.number)
        value = _decode_value(decoder, raw, place)
        record_lines: tuple[Line, ...] = (line,)
        if _is_open(raw, value):
            spread_object = find_spread_object(line, data, feed)
            if spread_object:
                raw, record_lines = _separate_objects(spread_object, feed)
                value = _decode_value(decoder, raw, place)
                if isinstance(value, dict):
                    spread.add(line.number)
        for record_line in record_lines:
            ends.see(record_line)
        last = record_lines[-1]
        if isinstance(value, Diagnostic):
            if last is line and len(raw) <= SHORT and len(refused) < REMEMBERED and not _is_open(raw, value):
                refused[raw] = value
            yield Refused(value, line.number, last.number, last.end)
        else:
            diagnostics = decoder.diagnostics(value, place)
            yield Row(value, line.number, last.number, start, start + len(raw), raw, diagnostics)
    yield from comments.report(file)
    yield from spread.report(file)
    yield from ends.report(file)


def _decode_value(decoder: Decoder, raw: bytes, place: Location) -> dict[str, Any] | Diagnostic:
    text = ""
    try:
        text = raw.decode("utf-8")
        value = decoder.whole(text)
    except UnicodeDecodeError:
        return report_not_utf8(raw, place.file or "", place.line or 0)
    except NotJson as error:
        above = text[: error.at]
        if "\n" in above:
            where = replace(place, line=(place.line or 0) + above.count("\n"))
        else:
            where = place
        return report_bad_record(f"not JSON ({error.reason})", where, len(above) - above.rfind("\n"))
    if isinstance(value, dict):
        return value
    return report_no_object(value, place, 1)


def _is_open(raw: bytes, value: dict[str, Any] | Diagnostic) -> bool:
    """Tell whether a line is an object so far, and only its end is missing."""
    if isinstance(value, dict) or value.code != "dat-bad-line" or not raw.lstrip(BLANKS).startswith(b"{"):
        return False
    return (value.place.column or 0) > len(raw.rstrip(BLANKS).decode("utf-8"))


def _separate_objects(spread: SpreadObject, feed: LineFeed) -> tuple[bytes, tuple[Line, ...]]:
    """Return the bytes and lines of an object; another one that begins in the last of its lines comes next."""
    if not spread.rest.strip():
        return spread.raw, spread.lines
    if not spread.rest.lstrip().startswith(b"{"):
        return spread.raw + strip_line_end(spread.rest), spread.lines
    last = spread.lines[-1]
    feed.put_back([last._replace(offset=last.end - len(spread.rest), data=spread.rest)])
    return spread.raw, spread.lines[:-1]


def report_no_object(value: object, place: Location, column: int) -> Diagnostic:
    """Return the diagnostic for a JSON value that is no record; "kind" among its values says what it is instead."""
    kind = KINDS[type(value).__name__]
    return report_bad_record(f"{kind}, where an object is needed", place, column, kind=kind)


KINDS = {"list": "a list", "str": "a text", "int": "a number", "float": "a number", "bool": "true or false"} | {
    "NoneType": "null"
}


def report_bad_record(reason: str, place: Location, column: int, **values: str) -> Diagnostic:
    """Return the diagnostic for a record that is not JSON, or not an object."""
    return Diagnostic(
        "dat-bad-line", {"reason": reason, **values}, Location(file=place.file, line=place.line, column=column)
    )


def parse(raw: bytes, shape: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record whose bytes were read before. Raises ValueError when the file has changed."""
    if (fields := decode_plain(raw)) is not None:
        return fields
    try:
        value = Decoder().whole(raw.decode("utf-8"))
    except NotJson as error:
        raise ValueError(error.reason) from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


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
        if self._returned:
            return self._returned.popleft()
        return next(self._new)

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
