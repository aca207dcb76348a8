"""Read a file once, from its first byte to its last, and write its index."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from readback import plugins
from readback.quantity import quantity
from readback.readers import cache_folder, jsonl
from readback.readers.bounded_diagnostics import BoundedDiagnostics, as_json
from readback.readers.choose_format import Chosen
from readback.readers.encodings import decoding
from readback.readers.file_state import State, state
from readback.readers.lines import BUFFER
from readback.readers.packed import unpack
from readback.readers.progress import Meter, Progress
from readback.readers.row import Blank, Event, Header, Refused, Row
from readback.readers.table_columns import JsonColumns
from readback.records import plugin_rows, repeated_ids
from readback.records.changed import ChangedWhileRead
from readback.records.dataset_index import IDS, SPOOL, TWICE, Names, mapped, table_for, write
from readback.records.field_names import FieldNames, invisible
from readback.records.private_fields import private_paths
from readback.records.record_ids import RecordIds
from readback.records.system_texts import known
from readback.records.training_census import Census
from readback.types import DatasetSource, Diagnostic, Location, Severity

Again = Callable[[int, int, dict[str, Any]], dict[str, Any]]
UNREAD = {"dat-bad-line", "dat-limit"}  # a file that could not be read is not called empty


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of a file's lines: read + bad + blank + header + continued == lines.

    `header` are the lines that name the columns of a CSV file; `continued` are lines that only continue a
    record begun above (100 CSV records with quoted line ends can fill 301 lines). In formats without lines
    of their own (a JSON list, Parquet) `lines` counts the rows.
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
    chosen: Chosen,
    entry: Path,
    progress: Progress | None,
    seen: State,
) -> None:
    """Write the index of `path`, as it was `seen`, to the cache entry.

    Raises Cancelled, ChangedWhileRead when the file is not what was seen any more, and OSError when it cannot be used.
    """
    made = cache_folder.fresh(entry)
    try:
        _fill(made, path, file, source, chosen, progress)
        if state(path) != seen:
            raise ChangedWhileRead
        cache_folder.keep(made, entry)
    except BaseException:
        cache_folder.drop(made)
        raise


def _reads_again(stream: BinaryIO, chosen: Chosen) -> Again:
    parse = getattr(chosen.module, "parse", jsonl.parse)

    def again(start: int, end: int, shape: dict[str, Any]) -> dict[str, Any]:
        fields: dict[str, Any] = parse(os.pread(stream.fileno(), end - start, start), shape)
        return fields

    return again


def _fill(made: Path, path: Path, file: str, source: DatasetSource, chosen: Chosen, progress: Progress | None) -> None:
    diagnostics = BoundedDiagnostics()
    steps = unpackers(chosen)
    meter = Meter(progress, path.stat().st_size, len(steps) + 1)
    data = path
    for step in steps:
        meter.begin(data.stat().st_size)
        unpacked = made / f"{SPOOL}-{step.__name__}"
        for found in _unpacked(step, data, unpacked, file):
            if isinstance(found, Diagnostic):
                diagnostics.add(found)
            else:
                meter.at(found)
        if data != path:
            data.unlink()
        data = unpacked
    if data != path:
        data = data.rename(made / SPOOL)
    with data.open("rb", BUFFER) as stream:
        meter.begin(os.fstat(stream.fileno()).st_size)
        reading = _read(stream, file, source, chosen, deepcopy(diagnostics), made, meter)
        if reading.columns and reading.columns.again:
            reading.ids.drop()
            stream.seek(0)
            meter.again()
            known = JsonColumns(tuple(reading.columns.held))
            reading = _read(stream, file, source, chosen, diagnostics, made, meter, known)
        meter.end()
        by_lines = getattr(chosen.module, "BY_LINES", True)
        meta, numbers = reading.finish(made, by_lines, _reads_again(stream, chosen))
    write(made, path, meta, numbers)


def _read(
    stream: BinaryIO,
    file: str,
    source: DatasetSource,
    chosen: Chosen,
    diagnostics: BoundedDiagnostics,
    made: Path,
    meter: Meter,
    known: JsonColumns | None = None,
) -> _Reading:
    """One pass over the text; `known` are the columns with JSON where an earlier pass found them."""
    cells = getattr(chosen.module, "CELLS", False)
    columns = known or (JsonColumns(source.json, source.text) if cells else None)
    reading = _Reading(file, source, diagnostics, made, columns)
    for event in events(chosen, stream, file):
        reading.see(event)
        if not isinstance(event, Diagnostic):
            meter.at(event.end)
    return reading


Unpacker = Callable[[Path, Any, str], Iterator[int | Diagnostic]]


def unpackers(chosen: Chosen) -> list[Unpacker]:
    """What has to be done to a file before its rows can be read: gzip, other encodings, formats that are no text."""
    steps: list[Unpacker] = [unpack] if chosen.packed else []
    if chosen.encoding:
        steps.append(decoding(chosen.encoding))
    if hasattr(chosen.module, "spool"):
        entry = plugins.of("formats", chosen.module)
        steps.append(plugin_rows.spool(entry, chosen.module) if entry else chosen.module.spool)
    return steps


def events(chosen: Chosen, stream: Any, file: str) -> Iterator[Event]:
    """The rows of a stream that is text by now."""
    if (entry := plugins.of("formats", chosen.module)) and hasattr(chosen.module, "rows"):
        return plugin_rows.rows(entry, chosen.module, stream, file)
    found: Iterator[Event] = getattr(chosen.module, "rows", jsonl.rows)(stream, file)
    return found


def _unpacked(step: Unpacker, data: Path, target: Path, file: str) -> Iterator[int | Diagnostic]:
    with target.open("wb") as out:
        yield from step(data, out, file)


class _Reading:
    """What one pass gathers."""

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
        self.held = BoundedDiagnostics()  # of what is refused before the first record
        self.no_objects = 0  # of these, values that are JSON and no objects
        private = private_paths(source)
        self.starts: array[int] = array("q")
        self.ends: array[int] = array("q")
        self.lines: array[int] = array("q")
        self.ids = RecordIds(source.id, private, folder, self.lines)
        self.guessed = source.id is None
        self.names = FieldNames(source, private)
        self.census = Census(private=bool(private))
        self.bad = self.blank = self.header = self.continued = self.last = 0
        self.longest = 0  # bytes of a record
        self.shape: dict[str, Any] = {}

    def see(self, event: Event) -> None:
        match event:
            case Row():
                self._row(event)
            case Refused(diagnostic=diagnostic, line=line, end_line=end_line):
                self.bad += 1
                self._span(line, end_line)
                if diagnostic:
                    (self.diagnostics if self.starts else self.held).add(diagnostic)
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
        self.ids.see(row)
        self.names.see(row.fields)
        self.census.see(row.fields)
        self.starts.append(row.offset)
        self.longest = max(self.longest, row.end - row.offset)
        if self.held.kept:
            self._release()
        self.ends.append(row.end)
        self.lines.append(row.line)
        self._span(row.line, row.end_line)

    def _release(self) -> None:
        """Say what was refused before the first record: once, where the file holds nothing but other values."""
        if self.starts or self.bad < 2 or self.no_objects < self.bad:
            self.diagnostics.take(self.held)
        else:
            first = self.held.kept[0]
            kind = first.values["kind"]
            reason = f"records are objects, but none of its {quantity(self.bad, 'row')} is one; the first is {kind}"
            self.diagnostics.add(replace(first, values={"reason": reason, "kind": kind, "count": self.bad}))
        self.held = BoundedDiagnostics()

    def finish(self, folder: Path, by_lines: bool, row: Again) -> tuple[dict[str, Any], list[Sequence[int]]]:
        """What the index is to hold; `row` reads the row between two bytes of the file once more."""
        field, id_ends, odd, diagnostics = self.ids.finish(folder / IDS, self.file)
        self.diagnostics.extend(diagnostics)
        names = Names(mapped(folder / IDS), id_ends)

        def place(index: int) -> Location:
            record = names[index].decode("utf-8", "surrogatepass")
            return Location(file=self.file, line=self.lines[index], index=index, record=record)

        again: list[tuple[int, int]] = []
        table = table_for(names, lambda index, first: again.append((index, first)))
        # a field that was only taken for the id, and is on several rows each, says what a row is about
        about = self.guessed and 2 * len(again) >= len(self.starts)
        held = list(self.columns.held) if self.columns else []
        shape = self.shape | ({"json": held, "named": self.source.json is not None} if held else {})
        apart = repeated_ids.meant(
            again if self.guessed and not about else (),
            list(self.names.top),
            lambda index: self.ends[index] - self.starts[index],
            lambda index: row(self.starts[index], self.ends[index], shape),
        )
        for index, first in again:
            at = place(index)
            values = {"id": at.record, "first": self.lines[first]}
            light: Severity | None = "info" if about or index in apart else None
            self.diagnostics.add(Diagnostic(TWICE, values, at, severity=light))
        self.diagnostics.extend(invisible("id", place(index).record or "", place(index)) for index in odd)
        if held and self.source.json is None:
            self.diagnostics.add(
                Diagnostic("dat-json-column", {"columns": held}, Location(file=self.file), "\n".join(held))
            )
        if self.starts:
            self.diagnostics.extend(self.names.diagnostics(self.file))
        elif not (self.bad or self.diagnostics.counts.keys() & UNREAD):
            values = {"columns": self.shape.get("names", [])}
            self.diagnostics.add(Diagnostic("dat-empty-file", values, Location(file=self.file)))
        self._release()
        of_training = BoundedDiagnostics()
        of_training.extend(self.census.diagnostics(self.file, place))
        for one in (self.diagnostics, of_training):
            one.extend(list(one.untold(self.file)))
        read = len(self.starts)
        counts = Counts(read, self.bad, lines=read + self.bad)
        if by_lines:
            counts = Counts(read, self.bad, self.blank, self.last, self.header, self.continued)
        meta = {
            "counts": asdict(counts),
            "notes": [as_json(diagnostic) for diagnostic in self.diagnostics.kept],
            "note_counts": self.diagnostics.counts,
            "fields": list(self.names.top),
            "field_counts": self.names.counts,
            "id_field": field,
            "kinds": self.census.counts,
            "systems": list(astuple(known(self.census.systems))),
            "training_notes": [as_json(diagnostic) for diagnostic in of_training.kept],
            "shape": shape,
            "longest": self.longest,
        }
        return meta, [self.starts, self.ends, self.lines, id_ends, table]
