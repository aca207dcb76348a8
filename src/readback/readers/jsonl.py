"""JSON lines: one object a line, split on LF only, every other line refused by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from readback.readers.json_text import Decoder, NotJson
from readback.readers.lines import (
    UTF8_MARK,
    UTF16_MARKS,
    Comments,
    Ends,
    Line,
    report_mark,
    report_not_utf8,
    report_too_long,
    strip_line_end,
)
from readback.readers.plain_json import Plain, decode_plain
from readback.readers.row import Blank, Event, Refused, Row
from readback.readers.spread_objects import LineFeed, SpreadCount, SpreadObject, find_spread_object
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
            diagnostic = None if utf16 else report_too_long(file, line.number, line.end - line.offset)
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
        where = replace(place, line=(place.line or 0) + above.count("\n")) if "\n" in above else place
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
