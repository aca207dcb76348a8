"""Read a whole file once and write its index."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from readback.quantity import quantity
from readback.readers import jsonl
from readback.readers.choose_format import ChosenFormat
from readback.readers.files import cache_folder
from readback.readers.files.bounded_diagnostics import BoundedDiagnostics, as_json
from readback.readers.files.checksum import State, state
from readback.readers.files.progress import Meter, Progress
from readback.readers.files.row import Blank, Event, Header, Refused, Row
from readback.readers.files.text_file import BUFFER
from readback.readers.tables.table_columns import JsonColumns
from readback.records import repeated_ids
from readback.records.changed import ChangedWhileRead
from readback.records.dataset_index import IDS, SPOOL, TWICE, Names, build_table, map_file, write
from readback.records.fields.field_names import FieldNames, report_invisible
from readback.records.fields.private_fields import private_paths
from readback.records.raw_rows import Unpacker, list_unpackers, read_events
from readback.records.record_ids import RecordIds
from readback.records.training.system_texts import summarize_counts
from readback.records.training.training_census import Census
from readback.types import DatasetSource, Diagnostic, Location, Severity

ReadRow = Callable[[int, int, dict[str, Any]], dict[str, Any]]
UNREAD = {"dat-bad-line", "dat-limit"}  # codes for a file that could not be read, which is not called empty


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the lines of a file: read + bad + blank + header + continued == lines.

    `header` lines name the columns of a CSV file; `continued` lines continue a record that began above (100 CSV
    records with quoted line ends can fill 301 lines). In formats without lines (a JSON list, Parquet) `lines` counts
    the rows.
    """

    read: int = 0
    bad: int = 0
    blank: int = 0
    lines: int = 0
    header: int = 0
    continued: int = 0


def build(
    path: Path,
    file: str,
    source: DatasetSource,
    chosen: ChosenFormat,
    entry: Path,
    progress: Progress | None,
    before: State,
) -> None:
    """Write the index of `path` to the cache entry; `before` is the state of the file before the pass.

    Raises Cancelled, ChangedWhileRead if the file has changed since, and OSError if it cannot be read.
    """
    folder = cache_folder.fresh(entry)
    try:
        _fill(folder, path, file, source, chosen, progress)
        if state(path) != before:
            raise ChangedWhileRead
        cache_folder.keep(folder, entry)
    except BaseException:
        cache_folder.drop(folder)
        raise


def _make_row_reader(stream: BinaryIO, chosen: ChosenFormat) -> ReadRow:
    parse = getattr(chosen.module, "parse", jsonl.parse)

    def read_row(start: int, end: int, shape: dict[str, Any]) -> dict[str, Any]:
        fields: dict[str, Any] = parse(os.pread(stream.fileno(), end - start, start), shape)
        return fields

    return read_row


def _fill(
    folder: Path, path: Path, file: str, source: DatasetSource, chosen: ChosenFormat, progress: Progress | None
) -> None:
    diagnostics = BoundedDiagnostics()
    steps = list_unpackers(chosen)
    meter = Meter(progress, path.stat().st_size, len(steps) + 1)
    data = path
    for step in steps:
        meter.begin(data.stat().st_size)
        unpacked = folder / f"{SPOOL}-{step.__name__}"
        for event in _unpack_to(step, data, unpacked, file, chosen):
            if isinstance(event, Diagnostic):
                diagnostics.add(event)
            else:
                meter.at(event)
        if data != path:
            data.unlink()
        data = unpacked
    if data != path:
        data = data.rename(folder / SPOOL)
    with data.open("rb", BUFFER) as stream:
        meter.begin(os.fstat(stream.fileno()).st_size)
        reading = _read(stream, file, source, chosen, deepcopy(diagnostics), folder, meter)
        if reading.columns and reading.columns.is_incomplete:
            reading.ids.drop()
            stream.seek(0)
            meter.again()
            columns = JsonColumns(tuple(reading.columns.json_columns))
            reading = _read(stream, file, source, chosen, diagnostics, folder, meter, columns)
        meter.end()
        by_lines = getattr(chosen.module, "BY_LINES", True)
        meta, numbers = reading.finish(folder, by_lines, _make_row_reader(stream, chosen))
    write(folder, path, meta, numbers)


def _read(
    stream: BinaryIO,
    file: str,
    source: DatasetSource,
    chosen: ChosenFormat,
    diagnostics: BoundedDiagnostics,
    folder: Path,
    meter: Meter,
    columns: JsonColumns | None = None,
) -> _Reading:
    """Read the text once; `columns` are the columns with JSON if an earlier pass has detected them."""
    if columns is None and getattr(chosen.module, "CELLS", False):
        columns = JsonColumns(source.json, source.text)
    reading = _Reading(file, source, diagnostics, folder, columns)
    for event in read_events(chosen, stream, file):
        reading.add(event)
        if not isinstance(event, Diagnostic):
            meter.at(event.end)
    return reading


def _unpack_to(step: Unpacker, data: Path, target: Path, file: str, chosen: ChosenFormat) -> Iterator[int | Diagnostic]:
    """Do a step; a format whose text lies in the cache already, where nobody writes to it, links instead of copying."""
    if step is getattr(chosen.module, "spool", None) and hasattr(chosen.module, "link"):
        yield from chosen.module.link(data, target, file)
        return
    with target.open("wb") as out:
        yield from step(data, out, file)


class _Reading:
    """Collects the index and the diagnostics of a file during a pass."""

    def __init__(
        self,
        file: str,
        source: DatasetSource,
        diagnostics: BoundedDiagnostics,
        folder: Path,
        columns: JsonColumns | None,
    ) -> None:
        self.file = file
        self.source = source
        self.columns = columns
        self.diagnostics = diagnostics
        self.pending = BoundedDiagnostics()  # about what is refused before the first record
        self.no_objects = 0  # refused values that are JSON, but not objects
        private = private_paths(source)
        self.starts: array[int] = array("q")
        self.ends: array[int] = array("q")
        self.lines: array[int] = array("q")
        self.ids = RecordIds(source.id, private, folder, self.lines)
        self.guessed = source.id is None
        self.names = FieldNames(source, private)
        self.census = Census(private=bool(private))
        self.bad = self.blank = self.header = self.continued = self.last = 0
        self.longest = 0  # record in bytes
        self.shape: dict[str, Any] = {}

    def add(self, event: Event) -> None:
        """Take the next event of the file."""
        match event:
            case Row():
                self._row(event)
            case Refused(diagnostic=diagnostic, line=line, end_line=end_line):
                self.bad += 1
                self._span(line, end_line)
                if diagnostic:
                    (self.diagnostics if self.starts else self.pending).add(diagnostic)
                    self.no_objects += "kind" in diagnostic.values
            case Blank(line=line):
                self.blank += 1
                self._span(line, line)
            case Header(shape=shape, line=line, end_line=end_line):
                self.shape = shape
                self.header += line > 0
                self._span(line, end_line)
            case Diagnostic():
                self.diagnostics.add(event)

    def _span(self, line: int, end_line: int) -> None:
        self.continued += end_line - line
        self.last = max(self.last, end_line)

    def _row(self, row: Row) -> None:
        if self.columns:
            row = self.columns.read(row, self.file)
        self.diagnostics.extend(row.diagnostics)
        self.ids.add(row)
        self.names.add(row.fields)
        self.census.add(row.fields)
        self.starts.append(row.offset)
        self.longest = max(self.longest, row.end - row.offset)
        if self.pending.diagnostics:
            self._release()
        self.ends.append(row.end)
        self.lines.append(row.line)
        self._span(row.line, row.end_line)

    def _release(self) -> None:
        """Report what was refused before the first record, in one diagnostic if no value of the file is an object."""
        if self.starts or self.bad < 2 or self.no_objects < self.bad:
            self.diagnostics.take(self.pending)
        else:
            first = self.pending.diagnostics[0]
            kind = first.values["kind"]
            reason = f"records are objects, but none of its {quantity(self.bad, 'row')} is one; the first is {kind}"
            self.diagnostics.add(replace(first, values={"reason": reason, "kind": kind, "count": self.bad}))
        self.pending = BoundedDiagnostics()

    def finish(self, folder: Path, by_lines: bool, read_row: ReadRow) -> tuple[dict[str, Any], list[Sequence[int]]]:
        """Return the metadata and the columns of numbers of the index; `read_row` reads a row by its offsets."""
        field, id_ends, odd, diagnostics = self.ids.finish(folder / IDS, self.file)
        self.diagnostics.extend(diagnostics)
        names = Names(map_file(folder / IDS), id_ends)

        def locate(index: int) -> Location:
            record = names[index].decode("utf-8", "surrogatepass")
            return Location(file=self.file, line=self.lines[index], index=index, record=record)

        repeats: list[tuple[int, int]] = []
        table = build_table(names, lambda index, first: repeats.append((index, first)))
        # a guessed id field that most rows share with others names what a row is about, and not the row
        is_topic = self.guessed and 2 * len(repeats) >= len(self.starts)
        if self.columns:
            json_columns = list(self.columns.json_columns)
        else:
            json_columns = []
        shape = self.shape
        if json_columns:
            shape = shape | {"json": json_columns, "named": self.source.json is not None}
        distinguished = repeated_ids.find_distinguished(
            repeats if self.guessed and not is_topic else (),
            list(self.names.top),
            lambda index: self.ends[index] - self.starts[index],
            lambda index: read_row(self.starts[index], self.ends[index], shape),
        )
        for index, first in repeats:
            place = locate(index)
            values = {"id": place.record, "first": self.lines[first]}
            severity: Severity | None = "info" if is_topic or index in distinguished else None
            self.diagnostics.add(Diagnostic(TWICE, values, place, severity=severity))
        self.diagnostics.extend(report_invisible("id", locate(index).record or "", locate(index)) for index in odd)
        if json_columns and self.source.json is None:
            columns = {"columns": json_columns}
            self.diagnostics.add(
                Diagnostic("dat-json-column", columns, Location(file=self.file), "\n".join(json_columns))
            )
        if self.starts:
            self.diagnostics.extend(self.names.diagnostics(self.file))
        elif not (self.bad or self.diagnostics.counts.keys() & UNREAD):
            values = {"columns": self.shape.get("names", [])}
            self.diagnostics.add(Diagnostic("dat-empty-file", values, Location(file=self.file)))
        self._release()
        training = BoundedDiagnostics()
        training.extend(self.census.diagnostics(self.file, locate))
        for bounded in (self.diagnostics, training):
            bounded.extend(list(bounded.list_limits(self.file)))
        read = len(self.starts)
        counts = Counts(read, self.bad, lines=read + self.bad)
        if by_lines:
            counts = Counts(read, self.bad, self.blank, self.last, self.header, self.continued)
        meta = {
            "counts": asdict(counts),
            "notes": [as_json(diagnostic) for diagnostic in self.diagnostics.diagnostics],
            "note_counts": self.diagnostics.counts,
            "fields": list(self.names.top),
            "field_counts": self.names.counts,
            "id_field": field,
            "kinds": self.census.counts,
            "systems": list(astuple(summarize_counts(self.census.systems))),
            "training_notes": [as_json(diagnostic) for diagnostic in training.diagnostics],
            "shape": shape,
            "longest": self.longest,
        }
        return meta, [self.starts, self.ends, self.lines, id_ends, table]
