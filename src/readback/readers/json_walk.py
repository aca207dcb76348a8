"""Turn the values of a JSON file into rows, going on after one that cannot be read."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import BinaryIO

from readback.readers.json_cursor import Cursor, TooLong
from readback.readers.json_text import NotJson
from readback.readers.jsonl import report_bad_record, report_no_object
from readback.readers.lines import (
    LONGEST,
    UTF8_MARK,
    UTF16_MARKS,
    is_utf8,
    report_mark,
    report_not_utf8,
    report_too_long,
)
from readback.readers.row import Event, Header, Refused, Row
from readback.types import Location

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
        diagnostic = (
            report_not_utf8(raw, self.file, line, column)
            if isinstance(value, dict)
            else report_no_object(value, place, column)
        )
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
