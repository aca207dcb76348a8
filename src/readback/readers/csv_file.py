"""CSV: strict, every cell a text, a record may span lines, a row of another width is refused."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple

from readback.readers.files.row import Blank, Event, Header, Refused, Row
from readback.readers.files.text_file import (
    LONGEST,
    MOST_LINES,
    UTF8_MARK,
    UTF16_MARKS,
    Block,
    Comments,
    Ends,
    Line,
    is_utf8,
    read_blocks,
    report_mark,
    report_not_utf8,
    report_too_long,
    strip_line_end,
)
from readback.readers.tables.table_columns import decode_json_cells, number_repeated_names
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
    """Yield every record of `stream` as a Row or a Refused, empty lines as Blank, the first record as the Header.

    After a record that cannot be read, its first line is refused and reading goes on in the next line, so a quote that
    never closes costs one line and not the rest of the file. `absent` is a column whose cell rows may lack: it is empty
    then. Below an empty line and one that begins with `#`, rows of another width are remarks (a summary, say) until a
    row is as wide as the table again. A row of nothing but empty cells, of whatever width, is a Blank.
    """
    reader = _RecordReader(stream, file)
    table = _Table(file, absent)
    for part in reader.read(delimiter):
        if isinstance(part, PlainLines):
            yield from table.read_lines(part, reader.delimiter)
        elif isinstance(part, Record):
            yield from table.read_record(part, reader.delimiter)
        else:
            table.pass_over(part)
            yield part
    yield from table.report()
    yield from reader.ends.report(file)


def parse(raw: bytes, shape: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record whose bytes were read before. Raises ValueError when the file has changed."""
    try:
        cells = next(_csv_reader(iter((raw.decode("utf-8"),)), shape["delimiter"]), [])
    except csv.Error as error:
        raise ValueError(str(error)) from None
    fields: dict[str, Any] = dict(zip(shape["names"], cells, strict=True))
    if not shape.get("json"):
        return fields
    return decode_json_cells(fields, shape["json"], shape.get("named", True))


class Record(NamedTuple):
    """The cells of one record and its place: lines from 1, byte offsets, and its bytes without the line end."""

    cells: list[str]
    line: int
    end_line: int
    offset: int
    end: int
    raw: bytes


class PlainLines(NamedTuple):
    """Lines each of which is one record, whose cells are what is between separators.

    `raws` are their bytes and `texts` the same decoded, both without the line end, which takes `ending` bytes; the last
    line of a file may lack it. `end` is the offset of what follows.
    """

    raws: list[bytes]
    texts: list[str]
    line: int
    offset: int
    end: int
    ending: int


class _Table:
    """Turn records into events: the first one names the columns, the others are rows."""

    def __init__(self, file: str, absent: str | None) -> None:
        self._file = file
        self._absent = absent
        self._names: tuple[str, ...] = ()
        self._absent_at: int | None = None  # where the column is that rows may lack
        self._is_headless = False  # the header could not be read
        self._is_below_blank = False
        self._is_below_remark = False
        self._remarks = Comments()
        self._blank_rows: list[int] = []  # lines in which rows without anything begin

    def read_lines(self, block: PlainLines, delimiter: str) -> Iterator[Event]:
        """Yield the events of plain lines, most of which are rows of the table's width."""
        line, offset = block.line, block.offset
        for raw, text in zip(block.raws, block.texts, strict=True):
            cells = text.split(delimiter)
            end = offset + len(raw)
            # a row that begins with a letter or digit is neither blank nor a comment
            if len(cells) == len(self._names) and raw[:1].isalnum() and not self._is_headless:
                self._is_below_blank = self._is_below_remark = False
                yield Row(dict(zip(self._names, cells, strict=True)), line, line, offset, end, raw)
            elif not raw.strip(_blanks(delimiter)):
                self._is_below_blank = True
                yield Blank(line, min(end + block.ending, block.end))
            else:
                record = Record(cells, line, line, offset, min(end + block.ending, block.end), raw)
                yield from self.read_record(record, delimiter)
            line += 1
            offset = end + block.ending

    def pass_over(self, event: Refused | Blank | Diagnostic) -> None:
        """Note what stands between records."""
        self._is_below_blank = isinstance(event, Blank)
        if not self._names and isinstance(event, Refused):
            self._is_headless = True

    def read_record(self, record: Record, delimiter: str) -> Iterator[Event]:
        """Yield the events of one record."""
        is_below_blank = self._is_below_blank
        self._is_below_blank = False
        cells, width = record.cells, len(self._names)
        if is_blank(cells) and (width or not record.raw.strip()):
            self._is_below_blank = True
            if width:
                self._blank_rows.append(record.line)
            yield from _blank_lines(record)
        elif self._is_headless:  # without names no cell means anything; the header's note says it for all
            yield Refused(None, record.line, record.end_line, record.end)
        elif not width:
            yield from self._read_header(record, delimiter)
        elif self._absent_at is not None and len(cells) == width - 1:
            yield self._row(record, [*cells[: self._absent_at], "", *cells[self._absent_at :]])
        elif len(cells) == width:
            self._is_below_remark = False
            yield self._row(record, cells)
        elif self._is_below_remark or (is_below_blank and record.raw.startswith(b"#")):
            self._is_below_remark = True
            for number in range(record.line, record.end_line + 1):
                self._remarks.see(number, record.raw)
            yield from _blank_lines(record)
        else:
            values = {"found": len(cells), "expected": width}
            diagnostic = Diagnostic("dat-row-width", values, Location(file=self._file, line=record.line))
            yield Refused(diagnostic, record.line, record.end_line, record.end)

    def report(self) -> Iterator[Diagnostic]:
        """Yield what is to say about the whole table."""
        yield from self._remarks.report(self._file)
        if self._blank_rows:
            place = Location(file=self._file, line=self._blank_rows[0])
            yield Diagnostic("dat-blank-rows", {"rows": len(self._blank_rows)}, place)

    def _read_header(self, record: Record, delimiter: str) -> Iterator[Event]:
        self._names, diagnostics = number_repeated_names(record.cells, Location(file=self._file, line=record.line))
        shape = {"names": list(self._names), "delimiter": delimiter}
        yield Header(shape, record.line, record.end_line, record.end)
        yield from diagnostics
        if self._absent in self._names:
            self._absent_at = self._names.index(self._absent)

    def _row(self, record: Record, cells: Sequence[str]) -> Row:
        fields = dict(zip(self._names, cells, strict=True))
        end = record.offset + len(record.raw)
        return Row(fields, record.line, record.end_line, record.offset, end, record.raw)


def _blank_lines(record: Record) -> Iterator[Blank]:
    for number in range(record.line, record.end_line + 1):
        yield Blank(number, record.end)


class _TooLong(Exception):  # noqa: N818 - said as it is: the record is too long
    """The record in hand is above the bound."""


class _RecordReader:
    """Cut a stream into records: plain blocks at their separators, anything else by the csv module.

    The csv module gets one line at a time, so that it is known which lines the record in hand is made of.
    """

    def __init__(self, stream: BinaryIO, file: str) -> None:
        self.file = file
        self.ends = Ends()
        self.delimiter = ","
        self._blocks = read_blocks(stream)
        self._waiting: deque[Line] = deque()  # lines to read before the next block
        self._record_lines: list[Line] = []  # lines of the record in hand
        self._size = 0  # bytes of it
        self._budget = AGAIN

    def read(self, delimiter: str | None) -> Iterator[PlainLines | Record | Refused | Blank | Diagnostic]:
        """Yield the records of the stream, and the empty lines and comments above them."""
        first = self._next_line()
        if first is None:
            return
        if first.data is not None and (mark := report_mark(first.data, self.file)):
            if first.data.startswith(UTF16_MARKS):
                yield Refused(mark, first.number, first.number, first.end)
                while (line := self._next_line()) is not None:
                    yield Refused(None, line.number, line.number, line.end)
                return
            yield mark
            first = first._replace(data=first.data[len(UTF8_MARK) :], offset=first.offset + len(UTF8_MARK))
        head = [first]
        while len(head) <= COMMENTS and (line := self._next_line()) is not None:
            head.append(line)
        comments = count_comments(head, delimiter)
        above = Comments()
        for line in head[:comments]:
            self.ends.see(line)
            above.see(line.number, line.data or b"")
            yield Blank(line.number, line.end)
        yield from above.report(self.file)
        self.delimiter = delimiter or find_separator(head[comments].data or b"")
        self._waiting.extendleft(reversed(head[comments:]))
        yield from self._read_records()

    def _read_records(self) -> Iterator[PlainLines | Record | Refused | Blank]:
        reader = _csv_reader(self._texts(), self.delimiter)
        while True:
            if not self._waiting:
                block = next(self._blocks, None)
                if block is None:
                    return
                if isinstance(block, Block) and (plain := split_plain(block)):
                    if plain.ending == 2:
                        self.ends.add(block.data.count(b"\n"), block.line)
                    yield plain
                    continue
                self._wait(block)
            self._record_lines = []
            self._size = 0
            try:
                cells = next(reader)
            except (csv.Error, _TooLong) as error:
                yield self._refuse(error)
                reader = _csv_reader(self._texts(), self.delimiter)
            else:
                yield self._record(cells)

    def _wait(self, block: Block | Line) -> None:
        if isinstance(block, Line):
            self._waiting.append(block)
        else:
            self._waiting.extend(block.split())

    def _next_line(self) -> Line | None:
        if not self._waiting:
            block = next(self._blocks, None)
            if block is None:
                return None
            self._wait(block)
        return self._waiting.popleft()

    def _texts(self) -> Iterator[str]:
        while (line := self._next_line()) is not None:
            if self._record_lines and self._budget < 0:
                self._waiting.appendleft(line)
                return  # each line alone: the csv module sees the end of its data
            self._record_lines.append(line)
            self._size += line.end - line.offset
            if line.data is None or self._size > LONGEST or len(self._record_lines) > MOST_LINES:
                raise _TooLong
            yield line.data.decode("utf-8", "surrogateescape")

    def _record(self, cells: list[str]) -> Record | Refused | Blank:
        lines = self._record_lines
        first, last = lines[0], lines[-1]
        for line in lines:
            self.ends.see(line)
        raw = b"".join([line.data or b"" for line in lines])
        if not raw.strip(_blanks(self.delimiter)):
            return Blank(first.number, last.end)
        for line in lines:
            if not is_utf8(line.data or b""):
                diagnostic = report_not_utf8(line.data or b"", self.file, line.number)
                return Refused(diagnostic, first.number, last.number, last.end)
        return Record(cells, first.number, last.number, first.offset, last.end, strip_line_end(raw))

    def _refuse(self, error: Exception) -> Refused:
        """Refuse the first line in hand and give the others back."""
        first, *later = self._record_lines
        if later:
            self._budget -= self._size
        self._waiting.extendleft(reversed(later))
        self.ends.see(first)
        if isinstance(error, _TooLong):
            diagnostic = report_too_long(self.file, first.number, self._size)
        else:
            reason = REASONS.get(str(error), str(error))
            diagnostic = Diagnostic("dat-bad-line", {"reason": reason}, Location(file=self.file, line=first.number))
        return Refused(diagnostic, first.number, first.number, first.end)


def split_plain(block: Block) -> PlainLines | None:
    """Return the lines of a block that the csv module would only split at separators; None for any other block.

    Such a block is valid UTF-8 without a quote or a NUL, and all of its lines end alike.
    """
    data = block.data
    if b'"' in data or b"\0" in data:
        return None
    ending = b"\n"
    if b"\r" in data:
        ending = b"\r\n"
        if not data.count(b"\r") == data.count(b"\n") == data.count(ending):
            return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    raws, texts = data.split(ending), text.split(ending.decode())
    if not raws[-1]:
        del raws[-1], texts[-1]
    return PlainLines(raws, texts, block.line, block.offset, block.offset + len(data), len(ending))


REASONS = {"unexpected end of data": "a quote is opened and never closed"}


def _csv_reader(texts: Iterator[str], delimiter: str) -> Iterator[list[str]]:
    if csv.field_size_limit() < LONGEST:
        csv.field_size_limit(LONGEST)  # a setting of the whole process; only ever raised
    return csv.reader(texts, strict=True, delimiter=delimiter)


@cache
def _blanks(delimiter: str) -> bytes:
    return BLANKS.replace(delimiter, "").encode()


def is_blank(cells: Sequence[str]) -> bool:
    """Tell whether a row has nothing in any of its cells."""
    return not any(map(str.strip, cells)) and not any(cell.strip(BLANKS) for cell in cells)


def count_comments(head: Sequence[Line], delimiter: str | None) -> int:
    """Count the lines before the header that are comments or remarks of a spreadsheet.

    Comments begin with `# `, and do not name as many columns as the lines below have cells; or they hold `=` or an
    empty cell, where a name would be.
    """
    count = 0
    while count < len(head) and (head[count].data or b"").startswith(b"# "):
        count += 1
    if not count or count == len(head):
        return _count_remarks(head, delimiter)
    if count + 1 == len(head):
        return 0
    delimiter = delimiter or find_separator(head[count].data or b"")
    names, row = (_cells(line, delimiter) for line in head[count : count + 2])
    if len(names) < 2 or not all(names) or not row:
        return 0
    for line in head[:count]:
        cells = _cells(line, delimiter)
        if len(cells) == len(names) and "=" not in "".join(cells) and "" not in cells:
            return 0
    return count


def _count_remarks(head: Sequence[Line], delimiter: str | None) -> int:
    """Count the lines before the header that hold a remark in their first cell, or nothing, above names of columns.

    As spreadsheets write them, such lines are as wide as the header: `Read this first.,,` above `id,split,question`.
    A header may lack names (`,question` above `0,Why?`), so what is taken for one names every column, each once, and
    none by a number.
    """
    for at in range(1, len(head) - 1):
        separator = delimiter or find_separator(head[at].data or b"")
        verdict = is_header_below(_cells(head[at], separator), [_cells(line, separator) for line in head[:at]])
        if verdict is not None:
            if verdict:
                return at
            return 0
    return 0


def is_header_below(names: Sequence[str], above: Sequence[Sequence[str]]) -> bool | None:
    """Tell whether a row names the columns below rows of remarks and of names of groups of columns.

    None: it does not, and a row further down may. False: what is above it is neither, so no row below is a header.
    """
    if not names:
        return None
    width = len(names)
    if not all(not cells or _is_remark(cells, width) or _is_groups(cells, width) for cells in above):
        return False
    has_groups = any(_is_groups(cells, width) for cells in above)
    if has_groups and not all(map(NAME_OF_COLUMN.fullmatch, names)):
        return None
    if all(names) and len(set(names)) == width > 1 and not any(map(NUMBER.fullmatch, names)):
        return any(map(bool, above))
    return None


def _is_remark(cells: Sequence[str], width: int) -> bool:
    """Tell whether a row of two cells is empty, or a wider one has something in its first cell only."""
    return len(cells) == width and not any(cells[1:]) and (width > 2 or not cells[0])


def _is_groups(cells: Sequence[str], width: int) -> bool:
    """Tell whether a row names groups of columns.

    Spreadsheets write merged cells so (`,Input,,Output,`), and programs repeat the name over each column
    (`Input,Input,Output,Output`): about half of its cells add nothing.
    """
    named = [cell for cell in cells if cell.strip()]
    if len(cells) != width or width < 3 or not named:
        return False
    idle = width - len(set(named))  # empty, or written again
    if len(named) < width:
        enough = width
    else:
        enough = width - 1
    if 2 * idle < enough:
        return False
    spans = any(cell.strip() and (not after.strip() or after == cell) for cell, after in pairwise(cells))
    return spans and all(map(NAME_OF_COLUMN.fullmatch, named))


def _cells(line: Line, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([(line.data or b"").decode("utf-8", "replace")], delimiter=delimiter), [])
    except csv.Error:
        return []


def find_separator(header: bytes) -> str:
    """Return what separates the cells: `;` or a tab where the header holds more of them than commas, else a comma."""
    outside = b"".join(header.split(b'"')[::2])
    return max(",;\t", key=lambda sign: outside.count(sign.encode()))
