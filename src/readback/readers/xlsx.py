"""Spreadsheets of Excel and of programs that write its format (.xlsx, .xlsm): a sheet is a table.

Source: ECMA-376, part 1 (SpreadsheetML) and part 2 (packages). openpyxl reads the workbook, its relations and its
number formats; cells and texts are read here, one row after the other, because openpyxl changes texts with `_x005F_`
and pads a sheet to the size that it claims to have. All of it runs in the bounded child; macros and links to other
files are never followed, and formulas never computed.

A cell is a text as it is written (with `_x000D_` for a carriage return, 22.9.2.19), a number, true or false; a date is
ISO text; an empty cell is an empty text, as in CSV. Of a formula its stored value is read. What is no such value is
counted in a diagnostic: a formula without a stored value, an error (`#N/A`, read as that text), a number that is shown
with leading zeros. The sheet that is taken is the one that was chosen, else the first visible one with a record.
"""

from __future__ import annotations

import json
import os
import re
import sys
import zipfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

from readback.readers import jsonl
from readback.readers.csv_file import is_header_below
from readback.readers.files.decoding import budget_of
from readback.readers.files.row import Event, Header, Row
from readback.readers.tables.table_choice import report_tables
from readback.readers.tables.table_columns import decode_json_cells, number_repeated_names
from readback.sandbox import Limits, Stopped, stream
from readback.types import Diagnostic, Location, Severity

NAME = "xlsx"
SUFFIXES = (".xlsx", ".xlsm")
CELLS = True  # some texts are JSON
TABLES = True  # a file may hold several
LIMITS = Limits(seconds=60, memory=1 << 30, output=2 << 30, total=900)
ZIP = b"PK\x03\x04"
PART = b"xl/work"  # how the parts of a workbook are called: xl/workbook.xml, xl/worksheets/sheet1.xml
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384  # of a sheet in any program
ABOVE = 20  # rows above the header in which remarks and groups of columns are looked for
CELL_NOTES = "dat-cell-values"
NAMED = 5  # cells that a diagnostic names
WHAT = {  # the kind of cell -> what is said of it, and what to do
    "uncached": (
        "hold a formula without a stored value and are read as empty",
        "open the file in Excel or LibreOffice and save it, so that the values are stored",
    ),
    "error": ("hold an error, which is read as text (such as #N/A)", "look at the formulas of these cells"),
    "zeros": (
        "are numbers that the sheet shows with leading zeros, and are read without them",
        "write them as text in the sheet if the zeros belong to them",
    ),
    "beyond": (
        "lie to the right of the last column with a name, and are called by the letter of their column",
        "name the column in the header, or remove what is there",
    ),
    "broken": ("cannot be read and are read as empty", "save the file again in Excel or LibreOffice"),
}


def is_workbook(head: bytes) -> bool:
    """Tell whether a file that begins so is a workbook: a zip file with the parts of one."""
    return head.startswith(ZIP) and PART in head


def spool(path: Path, out: BinaryIO, file: str, table: str | None = None) -> Iterator[int | Diagnostic]:
    """Write the rows of a sheet to `out`, each to the line with its number, the header first; yield what it notes."""
    size = path.stat().st_size
    place = Location(file=file)
    line = 0
    try:
        for frame in stream("readback.readers.xlsx:decode_sheet", [str(path.resolve()), table], LIMITS):
            if "tables" in frame:
                yield from report_tables(frame["tables"], frame["taken"], table, "sheet", place)
            elif "names" in frame:
                line = yield from _write_header(frame, out, place)
            elif "rows" in frame:
                for number, text in frame["rows"]:
                    out.write(b"\n" * (number - line - 1))
                    out.write(f"{text}\n".encode())
                    line = number
                yield min(size, frame["done"])
            elif "cells" in frame:
                what, how = WHAT[frame["kind"]]
                values = {"what": what, "how": how, "count": frame["count"], "cells": frame["cells"]}
                severity: Severity | None = "info" if frame["kind"] == "beyond" else None
                where = replace(place, line=frame["line"])
                yield Diagnostic(CELL_NOTES, values, where, frame["cells"][0], severity)
            else:
                yield Diagnostic("dat-bad-line", {"reason": frame["error"]}, replace(place, line=frame["line"]))
    except Stopped as stopped:
        yield Diagnostic("dat-limit", {"what": f"{stopped.kind} for decoding", "limit": stopped.detail}, place)


def _write_header(frame: Mapping[str, Any], out: BinaryIO, place: Location) -> Generator[Diagnostic, None, int]:
    """Write the names of the columns to their line, and return its number."""
    names, diagnostics = number_repeated_names(frame["names"], replace(place, line=frame["line"]))
    out.write(b"\n" * (frame["line"] - 1))
    out.write(json.dumps({"names": names}).encode() + b"\n")
    if frame["above"]:
        values = {"lines": len(frame["above"]), "first": frame["first"]}
        yield Diagnostic("dat-comment-lines", values, replace(place, line=frame["above"][0]))
    yield from diagnostics
    return int(frame["line"])


def rows(lines: BinaryIO, file: str) -> Iterator[Event]:
    """Yield the rows that `spool` wrote; `line` is the number of the row in the sheet."""
    has_header = False
    for event in jsonl.rows(lines, file):
        if isinstance(event, Row) and not has_header:
            has_header = True
            yield Header({"names": event.fields["names"]}, event.line, event.line, event.end)
        else:
            yield event


def parse(raw: bytes, shape: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record whose bytes were read before. Raises ValueError when the file has changed."""
    fields = jsonl.parse(raw, shape)
    if shape.get("json"):
        return decode_json_cells(fields, shape["json"], shape.get("named", True))
    return fields


# What follows runs in the bounded child.

MAIN_PART = 64 << 20  # bytes of the parts that are read whole: the workbook, its relations, its number formats
BEGINNING = 1 << 20  # bytes of a sheet that tell whether it has records
CHUNK = 1 << 16
OLE = b"\xd0\xcf\x11\xe0"  # how files of the older formats begin, and those with a password
FRAME = 1 << 20  # characters sent at once
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
INTEGER = re.compile(r"[+-]?[0-9]{1,15}")
REFERENCE = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")
ZEROS = re.compile(r"0{2,}")  # a number format that shows leading zeros
HAS_TIME = re.compile(r"[hHsS]")
EXACT = 1 << 53  # beyond it a spreadsheet's number has no integer of its own


class _Broken(Exception):  # noqa: N818 - the text is the reason
    """A part of the file cannot be read; the text says why."""


@dataclass(slots=True)
class _Notes:
    """Cells that are no plain values, by kind: how many there are, and the first of them."""

    counts: dict[str, int] = field(default_factory=dict)
    cells: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, row: int, column: int) -> None:
        """Count one cell."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        named = self.cells.setdefault(kind, [])
        if len(named) < NAMED:
            named.append(f"{name_column(column)}{row}")

    def list_frames(self) -> Iterator[dict[str, Any]]:
        """Yield what is sent of each kind."""
        for kind, count in self.counts.items():
            line = int(REFERENCE.fullmatch(self.cells[kind][0])[2])  # type: ignore[index]
            yield {"kind": kind, "count": count, "cells": self.cells[kind], "line": line}


@dataclass(frozen=True, slots=True)
class _Formats:
    """What the number format of a cell says, by the number of its style."""

    dates: frozenset[int] = frozenset()
    durations: frozenset[int] = frozenset()
    with_time: frozenset[int] = frozenset()
    zeros: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet of the workbook and the part that holds it."""

    name: str
    part: str
    is_visible: bool


@dataclass(frozen=True, slots=True)
class _Book:
    """A workbook that is open."""

    archive: zipfile.ZipFile
    sheets: tuple[_Sheet, ...]
    texts: Sequence[str]
    formats: _Formats
    epoch: Any
    fault: str = ""


def decode_sheet(payload: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Decode a sheet of the workbook at a path: the one of that name, or without a name the likeliest.

    Yield {"tables", "taken"}, then {"names", "line"} of the header with the lines above it, {"rows": [number, JSON]},
    {"kind", "count", "cells"} of odd cells, and {"error", "line"} where the rest cannot be read.
    """
    path, wanted = payload
    try:
        with zipfile.ZipFile(path) as archive:
            yield from _decode_book(_open_book(archive), wanted)
    except zipfile.BadZipFile as error:
        with Path(path).open("rb") as file:
            is_old = file.read(len(OLE)) == OLE
        if is_old:
            why = "it has a password, or is of the older format .xls"
        else:
            why = _shorten_error(error)
        yield {"error": f"not a workbook that can be read: {why}", "line": None}
    except (_Broken, OSError, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        yield {"error": f"not a workbook that can be read: {_shorten_error(error)}", "line": None}


def _decode_book(book: _Book, wanted: str | None) -> Iterator[dict[str, Any]]:
    if not book.sheets:
        raise _Broken("it has no sheet of cells")
    if book.fault:
        yield {"error": book.fault, "line": None}
    counts = {sheet.name: _count_first_rows(book, sheet) for sheet in book.sheets}
    current = next((sheet for sheet in book.sheets if sheet.name == wanted), None) or _choose_sheet(book.sheets, counts)
    tables = [[sheet.name, counts[sheet.name][0], sheet.is_visible] for sheet in book.sheets]
    yield {"tables": tables, "taken": current.name}
    yield from _decode_rows(book, current)


def _choose_sheet(sheets: Sequence[_Sheet], counts: Mapping[str, tuple[int, int]]) -> _Sheet:
    """Return the first sheet with records: visible before hidden, one of several columns before a list of remarks."""
    return max(
        sheets,
        key=lambda sheet: (counts[sheet.name][0] > 0, sheet.is_visible, counts[sheet.name][1] > 1),
    )


def _count_first_rows(book: _Book, sheet: _Sheet) -> tuple[int, int]:
    """Return how many records the beginning of a sheet has, and how many columns."""
    header, records, columns = None, 0, 0
    table = _Table(book, sheet, _Notes(), most=BEGINNING)
    try:
        for number, cells, _ in table.read():
            if number == header or header is None:
                header, columns = number, len(cells)
            else:
                records += 1
            if records >= ABOVE:
                break
    except _Broken:
        pass
    if header is not None:
        return (records, columns)
    return (0, 0)


def _decode_rows(book: _Book, sheet: _Sheet) -> Iterator[dict[str, Any]]:
    notes = _Notes()
    table = _Table(book, sheet, notes)
    batch: list[list[Any]] = []
    names: tuple[str, ...] = ()
    size = last = 0
    error = None
    try:
        for number, cells, above in table.read():
            last = number
            if not names:
                names, _ = number_repeated_names(cells, Location())
                first = next((cell for row in above for cell in row[1] if cell), "")
                yield {"names": cells, "line": number, "above": [row[0] for row in above], "first": first[:60]}
                continue
            fields = dict(zip_longest(names, cells[: len(names)], fillvalue=""))
            for column, value in enumerate(cells[len(names) :], len(names) + 1):
                if value != "":
                    notes.add("beyond", number, column)
                    fields[_name_beyond(column, names)] = value
            text = json.dumps(fields)
            batch.append([number, text])
            size += len(text)
            if size > FRAME:
                yield {"rows": batch, "done": table.done}
                batch, size = [], 0
    except _Broken as broken:
        error = {"error": f"what is below row {last} cannot be read: {broken}", "line": last + 1}
    if batch:
        yield {"rows": batch, "done": table.done}
    for frame in notes.list_frames():
        yield {**frame}
    if error:
        yield error


def _name_beyond(column: int, names: Sequence[str]) -> str:
    name = f"column {name_column(column)}"
    while name in names:
        name += "_"
    return name


class _Table:
    """Reads the rows of a sheet: what is above its header, the header, and the records."""

    def __init__(self, book: _Book, sheet: _Sheet, notes: _Notes, most: int | None = None) -> None:
        self.book, self.sheet, self.notes = book, sheet, notes
        self.most = most  # bytes of the sheet that are read; None: all
        self.done = 0  # bytes of the part that are read

    def read(self) -> Iterator[tuple[int, list[Any], list[tuple[int, list[str]]]]]:
        """Yield each row that is not empty: its number, its cells, and with the header the rows above it."""
        begin: list[tuple[int, list[Any]]] = []
        rows = self._read_rows()
        broken: _Broken | None = None
        try:
            for row in rows:
                begin.append(row)
                if len(begin) > ABOVE + 1:
                    break
        except _Broken as error:  # what was read before it is yielded first
            broken = error
        at = _find_header([(number, [_write_cell(cell) for cell in cells]) for number, cells in begin])
        for place, (number, cells) in enumerate(begin[at:]):
            if place:
                yield number, cells, []
            else:
                above = [(upper, [_write_cell(cell) for cell in row]) for upper, row in begin[:at]]
                yield number, [_write_cell(cell) for cell in cells], above
        if broken:
            raise broken
        for number, cells in rows:
            yield number, cells, []

    def _read_rows(self) -> Iterator[tuple[int, list[Any]]]:
        last = 0
        for number, cells in _parse_sheet(self.book, self.sheet, self._count):
            if self.most is not None and self.done > self.most:
                return
            if number <= last or number > MOST_ROWS:
                raise _Broken(f"a row is numbered {number} and stands below row {last}")
            last = number
            row = self._read_cells(number, cells)
            if row:
                yield number, row

    def _read_cells(self, number: int, cells: Iterable[_Cell]) -> list[Any]:
        values: dict[int, Any] = {}
        for cell in cells:
            column = cell.column
            value, kind = _read_value(cell, self.book)
            if kind or column in values:
                self.notes.add(kind or "broken", number, column)
            if value != "" and column not in values:
                values[column] = value
        return [values.get(column, "") for column in range(1, max(values, default=0) + 1)]

    def _count(self, size: int) -> None:
        self.done += size


def _find_header(begin: Sequence[tuple[int, Sequence[str]]]) -> int:
    """Return which of the first rows names the columns: the first, or one below remarks and groups of columns.

    A title of one cell and an empty row may also stand above two columns, which in a CSV file would say too little.
    """
    for at in range(1, len(begin) - 1):
        number, names = begin[at]
        rows = [row for _, row in begin[:at]]
        if at == 1 and len(rows[0]) == 1 < len(names) and all(names) and number > begin[0][0] + 1:
            return at
        above = [[*row, *[""] * (len(names) - len(row))] for row in rows]
        verdict = is_header_below(names, above)
        if verdict is not None:
            if verdict:
                return at
            return 0
    return 0


def _write_cell(value: Any) -> str:
    """Return the name that a cell gives to a column."""
    if isinstance(value, str):
        return value
    return json.dumps(value)


@dataclass(slots=True)
class _Cell:
    """A cell as it is written."""

    column: int
    type: str
    style: int
    value: str | None = None
    is_formula: bool = False


def _read_value(cell: _Cell, book: _Book) -> tuple[Any, str]:
    """Return the value of a cell, and under which kind it is noted ("" for a plain one)."""
    text = cell.value
    try:
        if cell.type in ("inlineStr", "str"):
            return _unescape(text or ""), "uncached" if cell.is_formula and text is None else ""
        if not text:
            return "", "uncached" if cell.is_formula else ""
        if cell.type == "s":
            return book.texts[int(text)], ""
        if cell.type == "b":
            return bool(int(text)), ""
        if cell.type == "e":
            return text, "error"
        if cell.type == "d":
            return text, ""
        return _read_number(text, cell.style, book)
    except (ValueError, IndexError, OverflowError):
        return "", "broken"


def _read_number(text: str, style: int, book: _Book) -> tuple[Any, str]:
    """Return a number; an integer where it is one, for a spreadsheet has one kind of number. A date is ISO text."""
    formats = book.formats
    number: float | int = int(text) if INTEGER.fullmatch(text) else float(text)
    if isinstance(number, float) and number.is_integer() and abs(number) < EXACT:
        number = int(number)
    if style in formats.dates:
        return _write_date(number, style, book), ""
    return number, "zeros" if style in formats.zeros and number >= 0 else ""


def _write_date(number: float, style: int, book: _Book) -> str:
    from openpyxl.utils.datetime import from_excel  # type: ignore[import-untyped]

    value = from_excel(number, book.epoch, timedelta=style in book.formats.durations)
    if isinstance(value, timedelta):
        seconds = int(value.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if isinstance(value, datetime) and value.time() == time() and style not in book.formats.with_time:
        return value.date().isoformat()
    if isinstance(value, datetime | date | time):
        return str(value.isoformat())
    return str(value)


def _unescape(text: str) -> str:
    """Return a text whose characters that XML cannot hold are written as `_x000D_`."""
    if "_x" not in text:
        return text
    text = ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def name_column(number: int) -> str:
    """Return the letters of a column, from 1."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _count_column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number


class _Part:
    """Feeds a part of the file to a parser, and refuses a declaration of a document type, which could define entities.

    ECMA-376 part 2, 8.1.4: a package holds no DTD.
    """

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self.archive, self.name = archive, name
        self.left = budget_of(os.fstat(archive.fp.fileno()).st_size if archive.fp else 0)  # bytes that may come out
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse

    def _refuse(self, *_: object) -> None:
        raise _Broken(f"{self.name} declares a document type, which no workbook does")

    def feed(self) -> Iterator[int]:
        """Parse piece by piece; yield how many bytes of it each was."""
        try:
            with self.archive.open(self.name) as source:
                while data := source.read(CHUNK):
                    self.left -= len(data)
                    if self.left < 0:
                        raise _Broken(f"{self.name} holds far more than its file, as no sheet of text does")
                    self.parser.Parse(data, False)
                    yield len(data)
                self.parser.Parse(b"", True)
        except KeyError:
            raise _Broken(f"{self.name} is not in it") from None
        except expat.ExpatError as error:
            raise _Broken(f"{self.name} is not XML ({error})") from None
        except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
            raise _Broken(f"{self.name}: {_shorten_error(error)}") from None
        except Exception as error:  # zlib.error is a plain Exception
            if isinstance(error, _Broken | MemoryError):
                raise
            raise _Broken(f"{self.name}: {_shorten_error(error)}") from None


def _parse_sheet(book: _Book, sheet: _Sheet, count: Any) -> Iterator[tuple[int, list[_Cell]]]:
    """Yield the rows of a sheet: number and cells."""
    part = _Part(book.archive, sheet.part)
    reader = _SheetReader(part.parser)
    try:
        for size in part.feed():
            count(size)
            yield from reader.take()
    except _Broken:
        yield from reader.take()  # what is complete before the fault
        raise


class _SheetReader:
    """Collects the rows of a sheet while its XML is parsed."""

    def __init__(self, parser: Any) -> None:
        self._rows: list[tuple[int, list[_Cell]]] = []
        self._cells: list[_Cell] = []
        self._row = self._column = 0
        self._cell: _Cell | None = None
        self._text: list[str] | None = None
        self._is_phonetic = False
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._take_text

    def take(self) -> list[tuple[int, list[_Cell]]]:
        """Return the rows that are complete, each once."""
        rows, self._rows = self._rows, []
        return rows

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        name = name.rpartition(" ")[2]
        if name == "c":
            self._start_cell(attributes)
        elif name == "row":
            self._row = _read_number_of_row(attributes.get("r")) or self._row + 1
            self._column = 0
            self._cells = []
        elif self._cell is None:
            return
        elif name == "f":
            self._cell.is_formula = True
        elif name == "rPh":
            self._is_phonetic = True
        elif name == "v" or (name == "t" and not self._is_phonetic):
            self._text = []

    def _start_cell(self, attributes: Mapping[str, str]) -> None:
        reference = REFERENCE.fullmatch(attributes.get("r", ""))
        if reference:
            self._column = _count_column(reference[1])
        else:
            self._column = self._column + 1
        if self._column > MOST_COLUMNS:
            raise _Broken(f"row {self._row} has more than {MOST_COLUMNS} columns")
        style = attributes.get("s", "")
        self._cell = _Cell(self._column, attributes.get("t", "n"), int(style) if style.isdecimal() else 0)

    def _end(self, name: str) -> None:
        name = name.rpartition(" ")[2]
        if name == "c" and self._cell:
            self._cells.append(self._cell)
            self._cell = None
        elif name == "row":
            self._rows.append((self._row, self._cells))
            self._cells = []
        elif name == "rPh":
            self._is_phonetic = False
        elif name in ("v", "t") and self._text is not None and self._cell:
            text = "".join(self._text)
            if name == "v":
                self._cell.value = text
            else:
                self._cell.value = (self._cell.value or "") + text
            self._text = None

    def _take_text(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)


def _read_number_of_row(text: str | None) -> int | None:
    if text and text.isdecimal() and len(text) < 10:
        return int(text)
    return None


def _read_texts(archive: zipfile.ZipFile, name: str) -> list[str]:
    """Return the texts that cells share, without the pronunciation that may stand beside them."""
    part = _Part(archive, name)
    texts: list[str] = []
    stretches: list[str] = []
    state = {"is_text": False, "phonetic": 0}

    def start(tag: str, _: Mapping[str, str]) -> None:
        tag = tag.rpartition(" ")[2]
        if tag == "si":
            stretches.clear()
        state["phonetic"] += tag == "rPh"
        state["is_text"] = tag == "t" and not state["phonetic"]

    def end(tag: str) -> None:
        tag = tag.rpartition(" ")[2]
        if tag == "si":
            texts.append(_unescape("".join(stretches)))
        state["phonetic"] -= tag == "rPh"
        state["is_text"] = False

    def take(text: str) -> None:
        if state["is_text"]:
            stretches.append(text)

    part.parser.StartElementHandler, part.parser.EndElementHandler = start, end
    part.parser.CharacterDataHandler = take
    for _ in part.feed():
        pass
    return texts


def _open_book(archive: zipfile.ZipFile) -> _Book:
    """Open a workbook with openpyxl, without its links, pictures, properties and macros."""
    reader_class, apply_stylesheet = _import_openpyxl()
    _check_parts(archive)
    reader = reader_class.__new__(reader_class)
    reader.archive, reader.valid_files = archive, archive.namelist()
    reader.keep_links = reader.keep_vba = reader.rich_text = False
    reader.read_only = reader.data_only = True
    try:
        reader.read_manifest()
        reader.read_workbook()
        sheets = tuple(
            _Sheet(str(sheet.name), relation.target, sheet.state == "visible")
            for sheet, relation in reader.parser.find_sheets()
            if "worksheet" in relation.Type and relation.target in reader.valid_files
        )
    except Exception as error:  # openpyxl raises what its classes happen to raise
        if isinstance(error, MemoryError):
            raise
        raise _Broken(_shorten_error(error)) from None
    fault = ""
    formats = _Formats()
    try:
        apply_stylesheet(archive, reader.wb)
        formats = _list_formats(reader.wb)
    except Exception as error:
        if isinstance(error, MemoryError):
            raise
        fault = f"its number formats cannot be read, so dates are read as numbers: {_shorten_error(error)}"
    texts: list[str] = []
    for name in reader.valid_files:
        if name.lower().endswith("/sharedstrings.xml"):
            texts = _read_texts(archive, name)
    return _Book(archive, sheets, texts, formats, reader.wb.epoch, fault)


def warm() -> None:
    """Import openpyxl in the process that children are forked from: it takes longer than most workbooks."""
    _import_openpyxl()


@cache
def _import_openpyxl() -> tuple[Any, Any]:
    """Import openpyxl without what it would use if it is there, and what reading does not need."""
    os.environ["OPENPYXL_LXML"] = "False"
    others = {name: sys.modules.get(name) for name in ("numpy", "PIL")}
    sys.modules.update(dict.fromkeys(others, None))  # type: ignore[arg-type]
    try:
        from openpyxl.reader.excel import ExcelReader  # type: ignore[import-untyped]
        from openpyxl.styles.stylesheet import apply_stylesheet  # type: ignore[import-untyped]
    finally:
        for name, module in others.items():
            del sys.modules[name]
            if module is not None:
                sys.modules[name] = module
    return ExcelReader, apply_stylesheet


def _check_parts(archive: zipfile.ZipFile) -> None:
    """Refuse a workbook with a part that openpyxl would read whole and that is too long or defines entities."""
    for info in archive.infolist():
        name = info.filename.lower()
        if name.endswith(("workbook.xml", "styles.xml", ".rels", "[content_types].xml")):
            size = 0
            for piece in _Part(archive, info.filename).feed():
                size += piece
                if size > MAIN_PART:
                    raise _Broken(f"{info.filename} is larger than {MAIN_PART >> 20} MiB")


def _list_formats(book: Any) -> _Formats:
    from openpyxl.styles.numbers import BUILTIN_FORMATS  # type: ignore[import-untyped]

    custom = dict(enumerate(book._number_formats, 164))
    written = {
        style: custom.get(array.numFmtId) or BUILTIN_FORMATS.get(array.numFmtId, "")
        for style, array in enumerate(book._cell_styles)
    }
    matching = partial(_match_formats, written)
    return _Formats(
        frozenset(book._date_formats) | frozenset(book._timedelta_formats),
        frozenset(book._timedelta_formats),
        matching(HAS_TIME.search),
        matching(ZEROS.fullmatch),
    )


def _match_formats(written: Mapping[int, str], match: Any) -> frozenset[int]:
    return frozenset(style for style, text in written.items() if match(text or ""))


def _shorten_error(error: Exception) -> str:
    return " ".join((str(error) or type(error).__name__).split())[:300]
