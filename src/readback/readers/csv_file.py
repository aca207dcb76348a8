"""CSV: strict, every cell a text, a record may span lines, a row of another width is refused."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, BinaryIO

from readback.readers.lines import (
    LONGEST,
    MOST_LINES,
    UTF8_MARK,
    UTF16_MARKS,
    Comments,
    Ends,
    Line,
    content,
    is_utf8,
    lines,
    marks,
    not_utf8,
    too_long,
)
from readback.readers.row import Blank, Event, Header, Refused, Row
from readback.readers.table_columns import unique, with_json
from readback.types import Diagnostic, Location

NAME = "csv"
SUFFIXES = (".csv",)
CELLS = True  # texts, of which some are JSON
COMMENTS = 20  # lines before the header in which comments are looked for
AGAIN = 256 << 20  # bytes read a second time after quotes that never close; beyond it each line is alone
NAME_OF_COLUMN = re.compile(r"[^\W\d][\w .()/\-]{0,39}")  # of a group of columns, or of a column below one
NUMBER = re.compile(r"\s*[-+]?\d[\d.,]*\s*")
BLANKS = " \t\r\n\v\f"  # a cell of nothing else is empty


def rows(stream: BinaryIO, file: str, delimiter: str | None = None, absent: str | None = None) -> Iterator[Event]:
    """Every record of `stream` as a Row or a Refused, empty lines as Blank, the first record as the Header.

    After a record that cannot be read, its first line is refused and reading goes on in the next line, so a
    quote that never closes costs one line and not the rest of the file. `absent` is a column whose cell rows may lack:
    it is empty then. Below an empty line and one that begins with `#`, rows of another width are remarks (a summary,
    say) until a row is as wide as the table again. A row of nothing but empty cells, of whatever width, is a Blank.
    """
    feed = _Feed(stream, file)
    names: tuple[str, ...] | None = None
    lacking: int | None = None
    headless = blank = remarks = False
    below = Comments()
    hollow: list[int] = []  # lines in which rows without anything begin
    for found in feed.records(delimiter):
        below_blank, blank = blank, isinstance(found, Blank)
        if not isinstance(found, _Cells):
            headless = headless or (names is None and isinstance(found, Refused))
            yield found
        elif is_hollow(found.cells) and (names is not None or not found.raw.strip()):
            blank = True
            if names is not None:
                hollow.append(found.line)
            for number in range(found.line, found.end_line + 1):
                yield Blank(number, found.end)
        elif headless:  # without names no cell means anything; the header's note says it for all
            yield Refused(None, found.line, found.end_line, found.end)
        elif names is None:
            names, diagnostics = unique(found.cells, Location(file=file, line=found.line))
            yield Header({"names": list(names), "delimiter": feed.delimiter}, found.line, found.end_line, found.end)
            yield from diagnostics
            lacking = names.index(absent) if absent in names else None
        elif lacking is not None and len(found.cells) == len(names) - 1:
            cells = [*found.cells[:lacking], "", *found.cells[lacking:]]
            given: dict[str, Any] = dict(zip(names, cells, strict=True))
            yield Row(given, found.line, found.end_line, found.offset, found.offset + len(found.raw), found.raw)
        elif len(found.cells) != len(names) and (remarks or (below_blank and found.raw.startswith(b"#"))):
            remarks = True
            for number in range(found.line, found.end_line + 1):
                below.see(number, found.raw)
                yield Blank(number, found.end)
        elif len(found.cells) != len(names):
            values = {"found": len(found.cells), "expected": len(names)}
            place = Location(file=file, line=found.line)
            yield Refused(Diagnostic("dat-row-width", values, place), found.line, found.end_line, found.end)
        else:
            remarks = False
            fields: dict[str, Any] = dict(zip(names, found.cells, strict=True))
            raw = found.raw
            yield Row(fields, found.line, found.end_line, found.offset, found.offset + len(raw), raw)
    yield from below.report(file)
    if hollow:
        yield Diagnostic("dat-blank-rows", {"rows": len(hollow)}, Location(file=file, line=hollow[0]))
    yield from feed.ends.report(file)


def parse(raw: bytes, shape: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a record whose bytes were read before. Raises ValueError when the file has changed."""
    try:
        cells = next(_reader(iter((raw.decode("utf-8"),)), shape["delimiter"]), [])
    except csv.Error as error:
        raise ValueError(str(error)) from None
    fields: dict[str, Any] = dict(zip(shape["names"], cells, strict=True))
    if not shape.get("json"):
        return fields
    return with_json(fields, shape["json"], shape.get("named", True))


class _Cells:
    """One record's cells and where they stand."""

    __slots__ = ("cells", "end", "end_line", "line", "offset", "raw")

    def __init__(self, cells: list[str], taken: list[Line], raw: bytes, offset: int) -> None:
        self.cells = cells
        self.line = taken[0].number
        self.end_line = taken[-1].number
        self.end = taken[-1].end
        self.offset = offset
        self.raw = raw


class _TooLong(Exception):  # noqa: N818 - said as it is: the record is too long
    """The record in hand is above the bound."""


class _Feed:
    """Gives the csv reader one line at a time and knows which lines the record in hand is made of."""

    def __init__(self, stream: BinaryIO, file: str) -> None:
        self.file = file
        self.ends = Ends()
        self.delimiter = ","
        self._new = lines(stream)
        self._again: deque[Line] = deque()
        self._taken: list[Line] = []
        self._size = 0
        self._budget = AGAIN

    def records(self, delimiter: str | None) -> Iterator[_Cells | Refused | Blank | Diagnostic]:
        first = next(self._new, None)
        if first is None:
            return
        if first.data is not None and (mark := marks(first.data, self.file)):
            if first.data.startswith(UTF16_MARKS):
                yield Refused(mark, first.number, first.number, first.end)
                yield from (Refused(None, line.number, line.number, line.end) for line in self._new)
                return
            yield mark
            first = first._replace(data=first.data[len(UTF8_MARK) :], offset=first.offset + len(UTF8_MARK))
        head = [first, *islice(self._new, COMMENTS)]
        said = _comments(head, delimiter)
        above = Comments()
        for line in head[:said]:
            self.ends.see(line)
            above.see(line.number, line.data or b"")
            yield Blank(line.number, line.end)
        yield from above.report(self.file)
        self.delimiter = delimiter or separator(head[said].data or b"")
        self._again.extend(head[said:])
        yield from self._all()

    def _all(self) -> Iterator[_Cells | Refused | Blank]:
        reader = _reader(self._texts(), self.delimiter)
        while True:
            self._taken = []
            self._size = 0
            try:
                cells = next(reader)
            except StopIteration:
                return
            except (csv.Error, _TooLong) as error:
                yield self._refused(error)
                reader = _reader(self._texts(), self.delimiter)
            else:
                yield self._record(cells)

    def _texts(self) -> Iterator[str]:
        while line := self._again.popleft() if self._again else next(self._new, None):
            if self._taken and self._budget < 0:
                self._again.appendleft(line)
                return  # each line alone: the reader sees the end of its data
            self._taken.append(line)
            self._size += line.end - line.offset
            if line.data is None or self._size > LONGEST or len(self._taken) > MOST_LINES:
                raise _TooLong
            yield line.data.decode("utf-8", "surrogateescape")

    def _record(self, cells: list[str]) -> _Cells | Refused | Blank:
        taken = self._taken
        first, last = taken[0], taken[-1]
        for line in taken:
            self.ends.see(line)
        raw = b"".join([line.data or b"" for line in taken])
        if not raw.strip(BLANKS.replace(self.delimiter, "").encode()):
            return Blank(first.number, last.end)
        for line in taken:
            if not is_utf8(line.data or b""):
                diagnostic = not_utf8(line.data or b"", self.file, line.number)
                return Refused(diagnostic, first.number, last.number, last.end)
        return _Cells(cells, taken, content(raw), first.offset)

    def _refused(self, error: Exception) -> Refused:
        """Refuse the first line in hand and give the others back."""
        first, *others = self._taken
        self._budget -= self._size if others else 0
        self._again.extendleft(reversed(others))
        self.ends.see(first)
        if isinstance(error, _TooLong):
            diagnostic = too_long(self.file, first.number, self._size)
        else:
            reason = REASONS.get(str(error), str(error))
            diagnostic = Diagnostic("dat-bad-line", {"reason": reason}, Location(file=self.file, line=first.number))
        return Refused(diagnostic, first.number, first.number, first.end)


REASONS = {"unexpected end of data": "a quote is opened and never closed"}


def _reader(texts: Iterator[str], delimiter: str) -> Iterator[list[str]]:
    if csv.field_size_limit() < LONGEST:
        csv.field_size_limit(LONGEST)  # a setting of the whole process; only ever raised
    return csv.reader(texts, strict=True, delimiter=delimiter)


def is_hollow(cells: Sequence[str]) -> bool:
    """Whether a row has nothing in any of its cells."""
    return not any(map(str.strip, cells)) and not any(cell.strip(BLANKS) for cell in cells)


def _comments(head: Sequence[Line], delimiter: str | None) -> int:
    """How many lines before the header are comments: they begin with `# `, and do not name as many columns as the lines
    below have cells; or they hold `=` or an empty cell, where a name would be. Or they are remarks of a spreadsheet.
    """
    count = next((at for at, line in enumerate(head) if not (line.data or b"").startswith(b"# ")), 0)
    if not count:
        return _remarks(head, delimiter)
    if count + 1 >= len(head):
        return 0
    by = delimiter or separator(head[count].data or b"")
    names, row = (_cells(line, by) for line in head[count : count + 2])
    odd = all(len(own := _cells(line, by)) != len(names) or "=" in "".join(own) or "" in own for line in head[:count])
    return count if odd and len(names) > 1 and all(names) and len(row) >= 1 else 0


def _remarks(head: Sequence[Line], delimiter: str | None) -> int:
    """How many lines before the header hold a remark in their first cell, or nothing, where columns are named below.

    As spreadsheets write them, such lines are as wide as the header: `Read this first.,,` above `id,split,question`.
    A header may lack names (`,question` above `0,Why?`), so what is taken for one names every column, each once, and
    none by a number.
    """
    for at in range(1, len(head) - 1):
        by = delimiter or separator(head[at].data or b"")
        names, above = _cells(head[at], by), [_cells(line, by) for line in head[:at]]
        if not names:
            continue
        groups = any(_is_groups(cells, len(names)) for cells in above)
        if not all(not cells or _is_remark(cells, len(names)) or _is_groups(cells, len(names)) for cells in above):
            return 0
        if groups and not all(map(NAME_OF_COLUMN.fullmatch, names)):
            continue
        if all(names) and len(names) == len(set(names)) > 1 and not any(map(NUMBER.fullmatch, names)):
            return at if any(above) else 0
    return 0


def _is_remark(cells: Sequence[str], width: int) -> bool:
    """Whether a row of two cells is empty, or a wider one has something in its first cell only."""
    return len(cells) == width and not any(cells[1:]) and (width > 2 or not cells[0])


def _is_groups(cells: Sequence[str], width: int) -> bool:
    """Whether a row names groups of columns, as spreadsheets write merged cells (`,Input,,Output,`) and programs write
    them again over each column (`Input,Input,Output,Output`): about half of its cells say nothing of their own.
    """
    named = [cell for cell in cells if cell.strip()]
    if len(cells) != width or width < 3 or not named:
        return False
    idle = width - len(set(named))  # empty, or written again
    enough = width if len(named) < width else width - 1
    if 2 * idle < enough:
        return False
    spans = any(cell.strip() and (not after.strip() or after == cell) for cell, after in pairwise(cells))
    return spans and all(map(NAME_OF_COLUMN.fullmatch, named))


def _cells(line: Line, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([(line.data or b"").decode("utf-8", "replace")], delimiter=delimiter), [])
    except csv.Error:
        return []


def separator(header: bytes) -> str:
    """What separates the cells: `;` or a tab where the header holds more of them than commas, else a comma."""
    outside = b"".join(header.split(b'"')[::2])
    return max(",;\t", key=lambda one: outside.count(one.encode()))
