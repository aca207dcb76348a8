"""Open a dataset and read any of its records by number or id without loading the whole file."""

from __future__ import annotations

import contextlib
import json
import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from readback import plugins, sandbox
from readback.readers import arrow_file, json_file, jsonl, llama_factory, sqlite_file
from readback.readers.choose_format import ChosenFormat, choose_format
from readback.readers.files import cache_folder, checksum
from readback.readers.files.bounded_diagnostics import from_json
from readback.readers.files.checksum import State, state
from readback.readers.files.paths import format_relative, resolve
from readback.readers.files.progress import Cancelled, Progress
from readback.readers.tables.table_columns import cell_of
from readback.records import plugin_rows
from readback.records.changed import ChangedWhileRead, DatasetChanged
from readback.records.dataset_index import SPOOL, TWICE, Index, load
from readback.records.fields.field_path import MISSING, look
from readback.records.fields.private_fields import mask_private, private_paths
from readback.records.index_pass import Counts, build
from readback.records.raw_rows import list_unpackers
from readback.records.record_ids import BY_LINE, BY_NUMBER
from readback.types import NO_SYSTEMS, DatasetSource, Diagnostic, Location, Record, Systems

ESCAPED = frozenset('"\\/\x7f') | {chr(code) for code in range(32)}  # characters that a JSON file may escape

__all__ = ["MISSING", "Cancelled", "Counts", "Dataset", "DatasetChanged", "look", "open_dataset"]

VERSION = "19"  # of the index; a new version makes every file be indexed again
CHUNK = 32 << 20  # bytes of a range of records
PIECE = 1 << 20  # bytes read at once for a hash
READINGS = 3  # attempts at a file that changes meanwhile
NONE = Counts()


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Dataset:
    """The records of one file, read from disk on demand. Safe to use from several threads.

    `diagnostics` are at most 1,000 of each code; `diagnostic_counts` counts all. `fields` are the top-level names of
    records; `field_counts` counts the records with each name, dotted for names inside objects.
    `training_diagnostics` are those about its rows as training data.
    """

    path: Path
    file: str
    format: str
    counts: Counts = NONE
    diagnostics: tuple[Diagnostic, ...] = ()
    diagnostic_counts: Mapping[str, int] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    field_counts: Mapping[str, int] = field(default_factory=dict)
    id_field: str | None = None
    kinds: Mapping[str, int] = field(default_factory=dict)  # rows of training data by kind, the most frequent first
    training_diagnostics: tuple[Diagnostic, ...] = ()
    systems: Systems = NO_SYSTEMS  # the system texts of its training rows
    detail: str = ""
    source: DatasetSource | None = None
    _index: Index | None = None
    _file: int = -1  # a descriptor: the indexed file stays readable if another file takes its name
    _parse: Any = jsonl.parse
    _private: tuple[str, ...] = ()
    _state: State | None = None  # of the open file
    _index_folder: Path | None = None  # the cache entry of its index

    def __len__(self) -> int:
        """Return the number of records."""
        if self._index:
            return self._index.count
        return int(self.source is None)

    def record(self, index: int) -> Record:
        """Return the record with a number, from 0. Raises IndexError and DatasetChanged."""
        if not 0 <= index < len(self):
            raise IndexError(f"record {index} of {len(self)}")
        if self._index is None or self.source is None:
            return EMPTY
        record_id = self._index.id(index)
        raw = self._raw(self._index, index)
        try:
            fields, masked = mask_private(self._parse(raw, self._index.meta["shape"]), self.source, self._private)
        except (ValueError, KeyError) as error:
            raise DatasetChanged(f"{self.file}: record {index} is no longer what it was: {error}") from error
        place = Location(file=self.file, line=self._index.line(index), index=index, record=record_id)
        return Record(record_id, fields, place, masked, self.is_repeated(index))

    def is_called_by_line(self, index: int) -> bool:
        """Tell whether a record has no id in its fields and is called by its line or number."""
        if self._index is None or self.id_field is None:
            return self._index is not None
        record_id = self._index.id(index)
        places = (f"{BY_LINE}{self._index.line(index)}", f"{BY_NUMBER}{index + 1}")
        return record_id.rstrip("_") in places and look(self.record(index).fields, self.id_field) != record_id

    def place(self, index: int) -> Location:
        """Return the file, line, number and id of a record."""
        if self._index is None:
            return Location(index=index)
        return Location(file=self.file, line=self._index.line(index), index=index, record=self._index.id(index))

    def is_repeated(self, index: int) -> bool:
        """Tell whether an earlier record has the same id."""
        if self._index is None or TWICE not in self.diagnostic_counts:
            return False
        return self._index.find(self._index.id(index)) != index

    def digest(self, start: int, stop: int) -> str:
        """Return the BLAKE3 of everything that determines the records of a range.

        These are their bytes, numbers, lines and ids, whether an earlier record has the same id, and how the file is
        read. Raises DatasetChanged.
        """
        hasher = checksum.start_hash(json.dumps([self.file, self.format, self.id_field, start, stop]).encode())
        if self._index is None or start >= stop:
            return hasher.hexdigest()
        hasher.update(json.dumps([self._index.meta["shape"], self.detail, asdict(self.systems)]).encode())
        hasher.update(self._index.bytes(start, stop))
        if TWICE in self.diagnostic_counts:
            hasher.update(bytes(map(self.is_repeated, range(start, stop))))
        begin, end = self._index.span(start)[0], self._index.span(stop - 1)[1]
        for at in range(begin, end, PIECE):
            hasher.update(self._bytes(at, min(at + PIECE, end), start))
        self.let_go()
        return hasher.hexdigest()

    @property
    def indexed_as(self) -> str:
        """The name of its index, which changes with the file and the way it is read; "" without an index."""
        if self._index_folder:
            return self._index_folder.name
        return ""

    @property
    def is_at_its_path(self) -> bool:
        """Whether `path` still leads to the open file, unchanged."""
        return not self.written and state(self.path) == self._state

    def still_indexed(self, root: Path) -> bool:
        """Tell whether the file below `root` is unchanged; if so, bounded children find its index in the cache.

        An index that has gone meanwhile, as after the cache was cleared, is rebuilt.
        """
        return not self.written and open_dataset(root, self.source)._index_folder == self._index_folder

    def let_go(self) -> None:
        """Release the memory of the pages of the index that were read."""
        if self._index:
            self._index.let_go()

    def _raw(self, mapped: Index, index: int) -> bytes:
        return self._bytes(*mapped.span(index), index)

    def _bytes(self, start: int, end: int, index: int) -> bytes:
        """Return bytes of the file; `index` is their first record, which an error names. Raises DatasetChanged."""
        try:
            raw = os.pread(self._file, end - start, start)
        except (OSError, ValueError) as error:  # a disk or a network folder that is gone
            reason = f"bytes {start} to {end} cannot be read: {error}"
            raise DatasetChanged(f"{self.file}: record {index}: {reason}") from error
        if len(raw) != end - start:
            raise DatasetChanged(f"{self.file}: record {index} is no longer there")
        return raw

    def lines(self, start: int, stop: int) -> tuple[bytes, Sequence[int]]:
        """Return the bytes from the first record of a range to the end of its last, and the offset of each in the file.

        Raises DatasetChanged.
        """
        if self._index is None or start >= stop:
            return b"", ()
        starts = self._index.numbers[start:stop]
        return self._bytes(starts[0], self._index.span(stop - 1)[1], start), starts

    @property
    def longest(self) -> int:
        """The length of its longest record in bytes."""
        if self._index:
            return int(self._index.meta["longest"])
        return 0

    def span(self, index: int) -> tuple[int, int]:
        """Return the offset of a record in the file and the offset after its end."""
        if self._index:
            return self._index.span(index)
        return (0, 0)

    @property
    def written(self) -> bool:
        """Whether the open file was written to since it was opened. A file that was replaced is still readable."""
        return self._file >= 0 and state(self._file) != self._state

    def find(self, record_id: str) -> int | None:
        """Return the number of the first record with an id; None without one."""
        if self._index:
            return self._index.find(record_id)
        return None

    def ids(self, start: int = 0, stop: int | None = None) -> tuple[str, ...]:
        """Return the ids of a range of records; `start` and `stop` are those of a slice."""
        if self._index:
            return tuple(self._index.id(index) for index in self._range(start, stop))
        return ()

    def records(self, start: int = 0, stop: int | None = None) -> Iterator[Record]:
        """Yield the records of a range, reading each when it is needed."""
        return (self.record(index) for index in self._range(start, stop))

    def _range(self, start: int, stop: int | None) -> range:
        return range(*slice(start, stop).indices(len(self)))

    def spans(self, size: int = CHUNK) -> tuple[tuple[int, int], ...]:
        """Return ranges of records (first, after the last), each of about `size` bytes of the file."""
        if self._index:
            return self._index.parts(size)
        return ((0, 1),) * len(self)

    def search(self, text: str, start: int = 0, stop: int | None = None) -> Iterator[int]:
        """Yield the numbers of records in a range with a field that contains `text`, ignoring case.

        Private fields are not searched: a match would reveal their text.
        """
        if self._index is None:
            return
        wanted = text.casefold()
        for index in self._range(start, stop):
            # the id of a checkpoint's record may be derived from its question, so it need not be in the file
            may_match = wanted in self._index.id(index).casefold() or may_contain(self._raw(self._index, index), wanted)
            if may_match and contains_text(self.record(index).fields, wanted):
                yield index


EMPTY = Record(None, {}, Location(index=0))  # of a workspace without data: everything renders from defaults


def open_dataset(
    root: Path,
    source: DatasetSource | None,
    progress: Progress | None = None,
    growing: bool = False,
) -> Dataset:
    """Open the dataset that `source` names below `root`; None gives one empty record.

    The first time, the whole file is read and its index stored; later only the index is read. Faults of the file are
    in `diagnostics`, never raised; the caller reports a file that is absent. A bounded child cannot store an index: it
    raises DatasetChanged if the present file has none, but for a `growing` file an index of its beginning is enough.
    Raises Cancelled when `progress(done, total)` returns False, and DiskFull without room for the index.
    """
    if source is None:
        return Dataset(root, "", "none")
    if source.absent:
        return Dataset(root / source.path, source.path, "", source=source)
    path = resolve(root, source.path, place=source.place)
    if isinstance(path, Diagnostic):
        return _report_unreadable(root, source, path)
    file = format_relative(root, path)
    try:
        if growing and sandbox.is_child():
            beginning = _open_beginning(path, file, source)
            if beginning:
                return beginning
        return _open_stable(path, file, source, progress)
    except cache_folder.DiskFull:  # a subclass of OSError that is no fault of the dataset
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        missing = Diagnostic("dat-file-missing", {"path": file, "reason": reason}, source.place, file)
        return _report_unreadable(root, source, missing)


def _report_unreadable(root: Path, source: DatasetSource, diagnostic: Diagnostic) -> Dataset:
    return Dataset(
        root / source.path,
        source.path,
        "",
        diagnostics=(diagnostic,),
        diagnostic_counts={diagnostic.code: 1},
        source=source,
    )


def _open_stable(path: Path, file: str, source: DatasetSource, progress: Progress | None) -> Dataset:
    """Open a file, again if it changed while it was read. Raises OSError after READINGS attempts."""
    for _ in range(READINGS):
        with contextlib.suppress(ChangedWhileRead):
            return _open_once(path, file, source, progress)
    raise OSError(f"it changed while it was read, {READINGS} times one after another; open it when it is written")


def _open_once(path: Path, file: str, source: DatasetSource, progress: Progress | None) -> Dataset:
    before = state(path)
    chosen = choose_format(path, file, source.format, source.encoding, source.table, source.environment)
    if isinstance(chosen, Diagnostic):
        return replace(_report_unreadable(path.parent, source, chosen), path=path, file=file)
    plugin = plugins.find_entry("formats", chosen.module)
    with cache_folder.room():
        entry = _locate_entry(path, file, source, plugin)
    index = load(entry)
    if index is None:
        size = path.stat().st_size

        def wait() -> None:
            if progress and not progress(0, size):
                raise Cancelled

        try:
            with cache_folder.room(), cache_folder.alone(entry, wait):
                if load(entry) is None:  # else another process has built it
                    build(path, file, source, chosen, entry, progress, before)
                index = load(entry)
        except OSError as error:
            if sandbox.is_child():  # it may not write; its parent has built the index
                raise DatasetChanged(f"{file}: its index is not there") from error
            raise
    if index is None:
        if state(path) != before:  # its index was removed with the old file
            raise ChangedWhileRead
        raise OSError(f"the index in {entry} cannot be read")
    spooled = bool(list_unpackers(chosen))
    handle = os.open(entry / SPOOL if spooled else path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if state(path if spooled else handle) != before:
            raise ChangedWhileRead
    except BaseException:
        os.close(handle)
        raise
    return _build_dataset(path, file, source, chosen, entry, index, handle)


def _open_beginning(path: Path, file: str, source: DatasetSource) -> Dataset | None:
    """Open the indexed beginning of a file that has grown since; None if it has not grown or has no index."""
    chosen = choose_format(path, file, source.format, source.encoding, source.table, source.environment)
    if isinstance(chosen, Diagnostic) or list_unpackers(chosen):
        return None
    entry = _locate_entry(path, file, source, plugins.find_entry("formats", chosen.module))
    if load(entry):
        return None
    for earlier in cache_folder.of_same_file(entry):
        index = load(earlier)
        if index is None:
            continue
        if index.count and path.stat().st_size < index.span(index.count - 1)[1]:
            return None
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        return _build_dataset(path, file, source, chosen, earlier, index, handle)
    return None


def _build_dataset(
    path: Path, file: str, source: DatasetSource, chosen: ChosenFormat, entry: Path, index: Index, handle: int
) -> Dataset:
    """Build the dataset of an open file from its index."""
    meta = index.meta
    rows, texts, most, frame = meta["systems"]
    dataset = Dataset(
        path=path,
        file=file,
        format=chosen.module.NAME + (" in gzip" if chosen.packed else "") + _name_encoding(chosen),
        counts=Counts(**meta["counts"]),
        diagnostics=tuple(from_json(diagnostic) for diagnostic in meta["notes"]),
        diagnostic_counts=meta["note_counts"],
        fields=tuple(meta["fields"]),
        field_counts=meta["field_counts"],
        id_field=meta["id_field"],
        kinds=meta["kinds"],
        training_diagnostics=tuple(from_json(diagnostic) for diagnostic in meta["training_notes"]),
        systems=Systems(rows, texts, most, tuple(frame)),
        detail=describe_reading(chosen, meta["shape"]),
        source=source,
        _index=index,
        _file=handle,
        _parse=_choose_parser(chosen, plugins.find_entry("formats", chosen.module)),
        _private=private_paths(source),
        _state=state(handle),
        _index_folder=entry,
    )
    weakref.finalize(dataset, os.close, handle)
    return dataset


def _locate_entry(path: Path, file: str, source: DatasetSource, plugin: plugins.Entry | None) -> Path:
    """Return the cache entry for the index of a file in its present state. Raises OSError."""
    settings = {**asdict(replace(source, place=Location())), "file": file, "place": asdict(source.place)}
    if plugin:  # another version of the plugin may read the file differently
        settings["reader"] = plugin.description
    if companions := _list_companion_states(path):
        settings["companions"] = companions
    return cache_folder.entry(path, settings, VERSION)


def _list_companion_states(path: Path) -> list[Any]:
    """Return the states of the files that hold a part of a dataset beside its own: a log of a database, say."""
    states: list[Any] = []
    for module in (sqlite_file, arrow_file, llama_factory):
        for companion in module.list_companions(path) if path.suffix in (*module.SUFFIXES, ".json") else ():
            with contextlib.suppress(OSError):
                states.append([companion.name, *state(companion)])
    return states


def locate_index(root: Path, source: DatasetSource | None) -> tuple[Path, Path] | None:
    """Return the file of a dataset and the cache entry for its index in the present state of the file.

    Return None without a dataset, for an unreadable file and for one that has to be unpacked. Raises OSError.
    """
    if source is None or source.absent:
        return None
    path = resolve(root, source.path, place=source.place)
    if isinstance(path, Diagnostic):
        return None
    file = format_relative(root, path)
    chosen = choose_format(path, file, source.format, source.encoding, source.table, source.environment)
    if isinstance(chosen, Diagnostic) or list_unpackers(chosen):
        return None
    return path, _locate_entry(path, file, source, plugins.find_entry("formats", chosen.module))


def _name_encoding(chosen: ChosenFormat) -> str:
    if chosen.encoding:
        return f" in {chosen.encoding}"
    return ""


def _choose_parser(chosen: ChosenFormat, plugin: plugins.Entry | None) -> Any:
    if plugin and hasattr(chosen.module, "parse"):
        return plugin_rows.guard_parse(plugin, chosen.module)
    return getattr(chosen.module, "parse", jsonl.parse)


def describe_reading(chosen: ChosenFormat, shape: Mapping[str, Any]) -> str:
    """Describe how a file was read: its separator, or the key of its list of records; "" without any of these."""
    separated = {";": "cells separated by ;", "\t": "cells separated by tabs"}.get(shape.get("delimiter", ""), "")
    if "list" in shape:
        listed = f"records are the list '{shape['list']}'"
    else:
        listed = ""
    if json_file.KEY in shape:
        keyed = f"each record stands under its key, which is its field '{shape[json_file.KEY]}'"
    else:
        keyed = ""
    return "; ".join(part for part in (chosen.detail, separated, listed, keyed) if part)


def may_contain(raw: bytes, wanted: str) -> bool:
    """Tell from the bytes of a record whether it may contain `wanted`, which is casefolded.

    This is quick, has no false negatives, and may have false positives.
    """
    if b"\\u" in raw or not ESCAPED.isdisjoint(wanted):
        return True
    if raw.isascii():
        return wanted.isascii() and wanted.encode() in raw.lower()
    return wanted in raw.decode("utf-8", "surrogateescape").casefold()


def contains_text(value: Any, wanted: str) -> bool:
    """Tell whether any text or number inside `value` contains `wanted`, which is casefolded."""
    if isinstance(value, str):
        return wanted in value.casefold()
    cell = cell_of(value)
    if cell is not None and wanted in cell.casefold():
        return True
    if isinstance(value, dict):
        return any(contains_text(inner, wanted) for inner in value.values())
    if isinstance(value, list):
        return any(contains_text(inner, wanted) for inner in value)
    return isinstance(value, int | float) and not isinstance(value, bool) and wanted in str(value).casefold()
