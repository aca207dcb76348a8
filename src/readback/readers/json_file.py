"""JSON: a list of objects, an object that holds such a list, objects by their id, or one object.

Each record is read by itself.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from readback.readers import jsonl
from readback.readers.files.row import Event, Header, Refused, Row
from readback.readers.files.text_file import (
    LONGEST,
    UTF8_MARK,
    UTF16_MARKS,
    is_utf8,
    report_mark,
    report_not_utf8,
    report_too_long,
)
from readback.readers.json_text import BLANK, Decoder, NotJson
from readback.readers.jsonl import SpreadCount, report_bad_record, report_no_object
from readback.types import Location

NAME = "json"
SUFFIXES = (".json",)
BY_LINES = False  # what is counted are the list's items
KEY = "by key"  # in the shape: the name of the field that holds the key under which a record stands


def rows(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Every object of the list as a Row, everything else in it as a Refused.

    In an object the records are the list under one of LISTS, or under its only key, or all of its values, where these
    are objects with the same keys (`{"q1": {"question": …}, "q2": …}`): then a record's key is its field `id`, or `key`
    if the records have an `id` of their own. Without any of these the object itself is the record. After an item that
    is not JSON reading goes on where another item starts at the same indentation; where there is none the rest is
    refused as one.
    """
    begin = yield from skip_mark(stream, file)
    if begin is None:
        return
    walk = Walk(Cursor(stream, begin), file)
    match walk.cursor.peek():
        case "":
            return
        case "[":
            listed = SpreadCount()
            for event in walk.items():
                if isinstance(event, Row):
                    listed.add(event.line)
                yield event
            if any(suffix in jsonl.SUFFIXES for suffix in PurePosixPath(file.lower()).suffixes):
                yield from listed.report(file, "written as one list", ".[]")
        case "{" if keyed := find_key_name(walk):
            yield Header({KEY: keyed}, 0, 0, begin)
            walk = Walk(restart(stream, begin), file)
            yield from walk.values_by_key(keyed)
        case "{":
            walk = Walk(restart(stream, begin), file)
            row = walk.item()
            if isinstance(row, Row):
                key = _find_list(row.fields)
            else:
                key = None
            if isinstance(row, Row) and key is None:
                yield row
            else:
                walk = Walk(restart(stream, begin), file)
                yield from walk.object(key, row)
        case _:
            yield walk.refused("neither a list nor an object")
            return
    if walk.whole and walk.cursor.peek():
        yield walk.refused("something follows the end of the list or object")


def parse(raw: bytes, shape: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record whose bytes were read before. Raises ValueError when the file has changed."""
    if KEY not in shape:
        return jsonl.parse(raw, shape)
    whole = jsonl.parse(b"{" + raw + b"}", shape)
    if len(whole) != 1:
        raise ValueError("not a key with its value")
    ((key, fields),) = whole.items()
    if not isinstance(fields, dict):
        raise ValueError("not an object")
    return {shape[KEY]: key, **fields}


def restart(stream: BinaryIO, begin: int) -> Cursor:
    """Return a cursor at the beginning of the text."""
    stream.seek(begin)
    return Cursor(stream, begin)


ENOUGH = 20  # values of an object that tell whether they are records
ALIKE = 0.5  # of the keys of two records, the part that both have


def find_key_name(walk: Walk) -> str | None:
    """Return how to call the keys of an object whose values are records; None for another object.

    Its first values are objects with texts in them, and each has most of its keys in common with the first. Columns
    whose cells are numbered, as pandas writes a table, are no records.
    """
    cursor = walk.cursor
    cursor.take("{")
    values: list[Mapping[str, Any]] = []
    while len(values) < ENOUGH:
        if walk.key() is None or cursor.peek() != "{":
            return None
        row = walk.item()
        if not isinstance(row, Row):
            return None
        values.append(row.fields)
        if cursor.take("}"):
            break
        if not cursor.take(","):
            return None
    if len(values) < 2 or not all(_is_alike(value, values[0]) for value in values):
        return None
    if any("id" in value for value in values):
        return "key"
    return "id"


def _is_alike(value: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two values may be records of one table."""
    if not value or all(key.isdecimal() for key in value):
        return False
    has_cell = any(not isinstance(inner, dict) for inner in value.values())
    return has_cell and len(value.keys() & other.keys()) >= ALIKE * len(value.keys() | other.keys())


def _find_list(fields: Mapping[str, Any]) -> str | None:
    """Return the key under which an object holds a list of records; None where there is none."""
    keys = [key for key in fields if key in LISTS] or list(fields)
    list_keys = [
        key for key in keys if isinstance(fields[key], list) and any(isinstance(item, dict) for item in fields[key])
    ]
    if len(list_keys) == 1 and (list_keys[0] in LISTS or len(fields) == 1):
        return list_keys[0]
    return None


LISTS = ("data", "records", "rows", "items", "examples", "samples", "entries", "instances", "questions", "results")
MOST_BAD = 1_000  # items after which the rest is given up: finding the next good one costs a search


def skip_mark(stream: BinaryIO, file: str) -> Generator[Event, None, int | None]:
    """Say a byte-order mark, and go to where the text begins; None where it is not read, which a Refused has said."""
    head = stream.read(len(UTF8_MARK))
    mark = report_mark(head, file)
    if mark and head.startswith(UTF16_MARKS):
        yield Refused(mark, 1, 1, len(head))
        return None
    if mark:
        yield mark
    return stream.seek(len(head) if mark else 0)


class Walk:
    """Turns the values under a cursor into rows."""

    def __init__(self, cursor: Cursor, file: str) -> None:
        self.cursor = cursor
        self.file = file
        self.whole = True  # False once the text could not be followed to its end
        self._bad = 0

    def refused(self, reason: str, ahead: str = "") -> Refused:
        """Return the refusal of what is here, or of the place after the text `ahead`."""
        line, column = self.cursor.position(ahead)
        diagnostic = report_bad_record(reason, Location(file=self.file, line=line), column)
        return Refused(diagnostic, line, line, self.cursor.offset)

    def items(self) -> Iterator[Event]:
        """Yield the items of the list that begins here."""
        cursor = self.cursor
        cursor.take("[")
        if cursor.take("]"):
            return
        cursor.peek()
        start = "\n" + " " * (cursor.column - 1) + "{"
        while True:
            at = cursor.offset
            item = self.item()
            yield item
            if cursor.offset > at:
                if cursor.take(","):
                    cursor.peek()
                    continue
                if cursor.take("]"):
                    return
                yield self.refused("a comma or the end of the list is missing")
            self._bad += 1
            if self._bad > MOST_BAD or not cursor.skip_past(start):
                self.whole = False
                return

    def item(self) -> Row | Refused:
        """Read the value that begins here as a record; do not move the cursor when it is not JSON."""
        cursor = self.cursor
        cursor.peek()
        line, column, offset = cursor.line, cursor.column, cursor.offset
        place = Location(file=self.file, line=line)
        try:
            value, text = cursor.value()
        except NotJson as error:
            return self.refused(f"not JSON ({error.reason})", cursor.ahead(error.at))
        except TooLong:
            return Refused(report_too_long(self.file, line, LONGEST), line, line, offset)
        raw = text.encode("utf-8", "surrogateescape")
        if isinstance(value, dict) and (text.isascii() or is_utf8(raw)):
            return Row(value, line, cursor.line, offset, cursor.offset, raw, cursor.decoder.diagnostics(value, place))
        if isinstance(value, dict):
            diagnostic = report_not_utf8(raw, self.file, line, column)
        else:
            diagnostic = report_no_object(value, place, column)
        return Refused(diagnostic, line, cursor.line, cursor.offset)

    def object(self, key: str | None, whole_object: Row | Refused) -> Iterator[Event]:
        """Yield the records of the object that begins here: the list under `key`.

        Without a key the object could not be read as a whole (`found`), because it is long or ends early: then
        the first list under a name in LISTS, or first of all, is taken.
        """
        cursor = self.cursor
        cursor.take("{")
        listed = False
        first = True
        while True:
            name = self.key()
            if name is None:
                break
            if not listed and cursor.peek() == "[" and (name == key or (key is None and (first or name in LISTS))):
                yield Header({"list": name}, 0, 0, cursor.offset)
                yield from self.items()
                listed = True
            elif not self._skipped():
                break
            first = False
            if cursor.take("}"):
                break
            if not cursor.take(","):
                self.whole = False
                break
        if not listed and isinstance(whole_object, Refused):
            self.whole = False
            yield whole_object
        elif not self.whole and not self._bad:
            yield self.refused("the object could not be read to its end")

    def values_by_key(self, key_name: str) -> Iterator[Event]:
        """Yield the values of the object that begins here, each a record whose key is its field `key_name`."""
        cursor = self.cursor
        cursor.take("{")
        while not cursor.take("}"):
            cursor.peek()
            line, offset = cursor.line, cursor.offset
            key = self.key()
            if key is None:
                yield self.refused("the name of a value is missing, and the rest is not read")
                return
            at = cursor.offset
            item = self.item()
            if isinstance(item, Row):
                yield item._replace(fields={key_name: key, **item.fields}, line=line, offset=offset)
            else:
                yield item
            if isinstance(item, Refused) and cursor.offset <= at:
                self.whole = False
                return
            if not cursor.take(",") and cursor.peek() != "}":
                self.whole = False
                yield self.refused("a comma or the end of the object is missing, and the rest is not read")
                return

    def key(self) -> str | None:
        """Read the name that begins here, with its colon; return None and clear `whole` where there is none."""
        try:
            name, _ = self.cursor.value()
        except (NotJson, TooLong):
            name = None
        if isinstance(name, str) and self.cursor.take(":"):
            return name
        self.whole = False
        return None

    def _skipped(self) -> bool:
        try:
            self.cursor.value()
        except (NotJson, TooLong):
            self.whole = False
        return self.whole


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

    def skip_to_match(self, wanted: re.Pattern[str], longest: int) -> str:
        """Go on to the last character of the next match after the character here; return it, "" at the end.

        `longest` is how many characters a match has at most.
        """
        self._pass(min(self._at + 1, len(self._buffer)))
        while True:
            if match := wanted.search(self._buffer, self._at):
                self._pass(match.end() - 1)
                return match.group()[-1]
            self._pass(max(self._at, len(self._buffer) - longest + 1))
            if not self._more():
                self._pass(len(self._buffer))
                return ""

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
