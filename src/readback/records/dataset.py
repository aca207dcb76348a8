"""Open a dataset: any record by number or id, none of them held in memory."""

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
from readback.readers import cache_folder, checksum, jsonl
from readback.readers.bounded_diagnostics import from_json
from readback.readers.choose_format import Chosen, choose
from readback.readers.file_state import State, state
from readback.readers.json_cells import cell_of
from readback.readers.paths import resolve, show
from readback.readers.progress import Cancelled, Progress
from readback.records import plugin_rows
from readback.records.changed import ChangedWhileRead, DatasetChanged
from readback.records.dataset_index import SPOOL, TWICE, Index, load
from readback.records.field_path import MISSING, look
from readback.records.index_pass import Counts, build, unpackers
from readback.records.private_fields import private_paths, shown
from readback.records.record_ids import BY_LINE, BY_NUMBER
from readback.types import NO_SYSTEMS, DatasetSource, Diagnostic, Location, Record, Systems

ESCAPED = frozenset('"\\/\x7f') | {chr(code) for code in range(32)}  # may be written differently in the file


__all__ = ["MISSING", "Cancelled", "Counts", "Dataset", "DatasetChanged", "look", "open_dataset"]

VERSION = "16"  # of the index; another one makes every file be read again
CHUNK = 32 << 20
PIECE = 1 << 20  # bytes that are read at once where no more than a hash is made of them
READINGS = 3  # of a file that changes meanwhile; one that is written all the time is not read for ever
NONE = Counts()


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Dataset:
    """The records of one file, read from disk when they are asked for. Safe to use from several threads.

    `diagnostics` are at most 1,000 of each code; `diagnostic_counts` counts all. `fields` are the names records have at
    their top level; `field_counts` says how many records have each, with names inside objects dotted.
    `training_notes` are those about its rows as training data, for whoever takes them for that.
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
    _file: int = -1  # an open file: what was indexed stays readable when the name is given to another file
    _parse: Any = jsonl.parse
    _private: tuple[str, ...] = ()
    _seen: State | None = None  # of the open file
    _kept: Path | None = None  # where its index is

    def __len__(self) -> int:
        return self._index.count if self._index else int(self.source is None)

    def record(self, index: int) -> Record:
        """The record of that number, from 0. Raises IndexError, and DatasetChanged."""
        if not 0 <= index < len(self):
            raise IndexError(f"record {index} of {len(self)}")
        if self._index is None or self.source is None:
            return EMPTY
        called = self._index.id(index)
        raw = self._raw(self._index, index)
        try:
            fields, masked = shown(self._parse(raw, self._index.meta["shape"]), self.source, self._private)
        except (ValueError, KeyError) as error:
            raise DatasetChanged(f"{self.file}: record {index} is no longer what it was: {error}") from error
        place = Location(file=self.file, line=self._index.line(index), index=index, record=called)
        return Record(called, fields, place, masked, self.again(index))

    def called_by_line(self, index: int) -> bool:
        """Whether a record has no id of its own and is called by its line."""
        if self._index is None or self.id_field is None:
            return self._index is not None
        called = self._index.id(index)
        places = (f"{BY_LINE}{self._index.line(index)}", f"{BY_NUMBER}{index + 1}")
        return called.rstrip("_") in places and look(self.record(index).fields, self.id_field) != called

    def place(self, index: int) -> Location:
        """Where a record is."""
        if self._index is None:
            return Location(index=index)
        return Location(file=self.file, line=self._index.line(index), index=index, record=self._index.id(index))

    def again(self, index: int) -> bool:
        """Whether an earlier record has the id of this one."""
        if self._index is None or TWICE not in self.diagnostic_counts:
            return False
        return self._index.find(self._index.id(index)) != index

    def digest(self, start: int, stop: int) -> str:
        """The BLAKE3 of what the records of a range are made of: their bytes, numbers, lines and ids, whether an
        earlier record has the same id, and how the file is read. Raises DatasetChanged.
        """
        made = checksum.of_content(json.dumps([self.file, self.format, self.id_field, start, stop]).encode())
        if self._index is None or start >= stop:
            return made.hexdigest()
        made.update(json.dumps([self._index.meta["shape"], self.detail, asdict(self.systems)]).encode())
        made.update(self._index.bytes(start, stop))
        if TWICE in self.diagnostic_counts:
            made.update(bytes(map(self.again, range(start, stop))))
        begin, end = self._index.span(start)[0], self._index.span(stop - 1)[1]
        for at in range(begin, end, PIECE):
            made.update(self._bytes(at, min(at + PIECE, end), start))
        self.let_go()
        return made.hexdigest()

    @property
    def indexed_as(self) -> str:
        """What names its index: another one where the file is another, or read in another way; "" where it has none."""
        return self._kept.name if self._kept else ""

    @property
    def is_at_its_path(self) -> bool:
        """Whether the open file is the very file of that name, and what it was."""
        return not self.written and state(self.path) == self._seen

    def still_indexed(self, root: Path) -> bool:
        """Whether the file below `root` is what was opened. Its index is then where bounded children look for it: one
        that has gone meanwhile, since somebody cleared the cache, is made again.
        """
        return not self.written and open_dataset(root, self.source)._kept == self._kept

    def let_go(self) -> None:
        """Give back the memory of the pages of the index that were looked at."""
        if self._index:
            self._index.let_go()

    def _raw(self, held: Index, index: int) -> bytes:
        return self._bytes(*held.span(index), index)

    def _bytes(self, start: int, end: int, index: int) -> bytes:
        """Some bytes of the file, of the record `index` and those after it."""
        try:
            raw = os.pread(self._file, end - start, start)
        except (OSError, ValueError) as error:  # a disk or a network folder that is gone
            reason = f"bytes {start} to {end} cannot be read: {error}"
            raise DatasetChanged(f"{self.file}: record {index}: {reason}") from error
        if len(raw) != end - start:
            raise DatasetChanged(f"{self.file}: record {index} is no longer there")
        return raw

    def lines(self, start: int, stop: int) -> tuple[bytes, Sequence[int]]:
        """The bytes of a range of records and of what is between them, and where in the file each record begins.

        Raises DatasetChanged.
        """
        if self._index is None or start >= stop:
            return b"", ()
        starts = self._index.numbers[start:stop]
        return self._bytes(starts[0], self._index.span(stop - 1)[1], start), starts

    @property
    def longest(self) -> int:
        """The bytes of its longest record in the file."""
        return int(self._index.meta["longest"]) if self._index else 0

    def span(self, index: int) -> tuple[int, int]:
        """The first byte of a record in the file and the byte after its last."""
        return self._index.span(index) if self._index else (0, 0)

    @property
    def written(self) -> bool:
        """Whether the open file was written to since: what it held is gone. One that was replaced is still whole."""
        return self._file >= 0 and state(self._file) != self._seen

    def find(self, called: str) -> int | None:
        """The number of the first record of that id."""
        return self._index.find(called) if self._index else None

    def ids(self, start: int = 0, stop: int | None = None) -> tuple[str, ...]:
        """The ids of a range of records, as of a slice."""
        return tuple(self._index.id(at) for at in self._range(start, stop)) if self._index else ()

    def records(self, start: int = 0, stop: int | None = None) -> Iterator[Record]:
        """A range of records, one at a time."""
        return (self.record(index) for index in self._range(start, stop))

    def _range(self, start: int, stop: int | None) -> range:
        return range(*slice(start, stop).indices(len(self)))

    def spans(self, size: int = CHUNK) -> tuple[tuple[int, int], ...]:
        """Ranges of records (first, beyond the last), each about `size` bytes of the file."""
        return self._index.parts(size) if self._index else ((0, 1),) * len(self)

    def search(self, text: str, start: int = 0, stop: int | None = None) -> Iterator[int]:
        """The numbers of records, from `start` and before `stop`, with a field that holds `text`, whatever the case.

        Private fields are not searched: finding a text would tell it.
        """
        if self._index is None:
            return
        wanted = text.casefold()
        for index in self._range(start, stop):
            # of a checkpoint an id may be made of the question, and so not be in the file
            near = wanted in self._index.id(index).casefold() or may_hold(self._raw(self._index, index), wanted)
            if near and holds(self.record(index).fields, wanted):
                yield index


EMPTY = Record(None, {}, Location(index=0))  # of a workspace without data: everything renders from defaults


def open_dataset(
    root: Path,
    source: DatasetSource | None,
    progress: Progress | None = None,
    growing: bool = False,
) -> Dataset:
    """The dataset that `source` names below `root`; None gives one empty record.

    The first time a file is read from end to end and its index kept; later only the index is read. What is
    wrong is in `diagnostics`, never raised; of a named one that is absent, whoever named it says so. Raises Cancelled
    when `progress(done, total)` answers False, and DiskFull where the index finds no room. In a bounded child, which
    can keep no index, it raises DatasetChanged where there is none of the file as it is; of one that may be `growing`
    an index of its beginning will do.
    """
    if source is None:
        return Dataset(root, "", "none")
    if source.absent:
        return Dataset(root / source.path, source.path, "", source=source)
    path = resolve(root, source.path, place=source.place)
    if isinstance(path, Diagnostic):
        return _unread(root, source, path)
    file = show(root, path)
    try:
        if growing and sandbox.inside() and (found := _beginning(path, file, source)):
            return found
        return _settled(path, file, source, progress)
    except cache_folder.DiskFull:  # one of them is an OSError too, and says nothing of the dataset
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return _unread(
            root, source, Diagnostic("dat-file-missing", {"path": file, "reason": reason}, source.place, file)
        )


def _unread(root: Path, source: DatasetSource, diagnostic: Diagnostic) -> Dataset:
    return Dataset(
        root / source.path,
        source.path,
        "",
        diagnostics=(diagnostic,),
        diagnostic_counts={diagnostic.code: 1},
        source=source,
    )


def _settled(path: Path, file: str, source: DatasetSource, progress: Progress | None) -> Dataset:
    """The dataset of a file that was the same from the first look to the last; read again where it was not."""
    for _ in range(READINGS):
        with contextlib.suppress(ChangedWhileRead):
            return _opened(path, file, source, progress)
    raise OSError(f"it changed while it was read, {READINGS} times one after another; open it when it is written")


def _opened(path: Path, file: str, source: DatasetSource, progress: Progress | None) -> Dataset:
    seen = state(path)
    chosen = choose(path, file, source.format, source.encoding)
    if isinstance(chosen, Diagnostic):
        return replace(_unread(path.parent, source, chosen), path=path, file=file)
    plugin = plugins.of("formats", chosen.module)
    with cache_folder.room():
        entry = _entry(path, file, source, plugin)
    index = load(entry)
    if index is None:
        size = path.stat().st_size

        def waiting() -> None:
            if progress and not progress(0, size):
                raise Cancelled

        try:
            with cache_folder.room(), cache_folder.alone(entry, waiting):
                if load(entry) is None:  # else somebody was quicker
                    build(path, file, source, chosen, entry, progress, seen)
                index = load(entry)
        except OSError as error:
            if sandbox.inside():  # it may not write, and whoever asks it has made the index before
                raise DatasetChanged(f"{file}: its index is not there") from error
            raise
    if index is None:
        if state(path) != seen:  # of a file that was replaced or is gone, somebody else took the index away
            raise ChangedWhileRead
        raise OSError(f"the index in {entry} cannot be read")
    spooled = bool(unpackers(chosen))
    handle = os.open(entry / SPOOL if spooled else path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if state(path if spooled else handle) != seen:
            raise ChangedWhileRead
    except BaseException:
        os.close(handle)
        raise
    return _dataset(path, file, source, chosen, entry, index, handle)


def _beginning(path: Path, file: str, source: DatasetSource) -> Dataset | None:
    """What is known of a file that has grown since it was indexed; None where it has not, or is not known at all."""
    chosen = choose(path, file, source.format, source.encoding)
    if isinstance(chosen, Diagnostic) or unpackers(chosen):
        return None
    entry = _entry(path, file, source, plugins.of("formats", chosen.module))
    earlier = [] if load(entry) else cache_folder.of_same_file(entry)
    index, kept = next(((found, one) for one in earlier if (found := load(one))), (None, entry))
    if index is None or (index.count and path.stat().st_size < index.span(index.count - 1)[1]):
        return None
    return _dataset(path, file, source, chosen, kept, index, os.open(path, os.O_RDONLY | os.O_CLOEXEC))


def _dataset(
    path: Path, file: str, source: DatasetSource, chosen: Chosen, entry: Path, index: Index, handle: int
) -> Dataset:
    """The dataset whose index is in an entry of the cache, and whose rows are in an open file."""
    meta = index.meta
    dataset = Dataset(
        path=path,
        file=file,
        format=chosen.module.NAME + (" in gzip" if chosen.packed else "") + _in_encoding(chosen),
        counts=Counts(**meta["counts"]),
        diagnostics=tuple(from_json(diagnostic) for diagnostic in meta["notes"]),
        diagnostic_counts=meta["note_counts"],
        fields=tuple(meta["fields"]),
        field_counts=meta["field_counts"],
        id_field=meta["id_field"],
        kinds=meta["kinds"],
        training_diagnostics=tuple(from_json(diagnostic) for diagnostic in meta["training_notes"]),
        systems=_systems(*meta["systems"]),
        detail=detail(chosen, meta["shape"]),
        source=source,
        _index=index,
        _file=handle,
        _parse=_parser(chosen, plugins.of("formats", chosen.module)),
        _private=private_paths(source),
        _seen=state(handle),
        _kept=entry,
    )
    weakref.finalize(dataset, os.close, handle)
    return dataset


def _entry(path: Path, file: str, source: DatasetSource, plugin: plugins.Entry | None) -> Path:
    """The folder of the index of a file as it is now, read in this way. Raises OSError."""
    settings = {**asdict(replace(source, place=Location())), "file": file, "place": asdict(source.place)}
    if plugin:  # another version of it may read the file in another way
        settings["reader"] = plugin.said
    return cache_folder.entry(path, settings, VERSION)


def place_of_index(root: Path, source: DatasetSource | None) -> tuple[Path, Path] | None:
    """The file of a dataset and the folder of its index, as the file is now; None where there is none, of one that
    cannot be read, and of one that is unpacked to be read. Raises OSError.
    """
    if source is None or source.absent:
        return None
    path = resolve(root, source.path, place=source.place)
    if isinstance(path, Diagnostic):
        return None
    file = show(root, path)
    chosen = choose(path, file, source.format, source.encoding)
    if isinstance(chosen, Diagnostic) or unpackers(chosen):
        return None
    return path, _entry(path, file, source, plugins.of("formats", chosen.module))


def _in_encoding(chosen: Chosen) -> str:
    return f" in {chosen.encoding}" if chosen.encoding else ""


def _parser(chosen: Chosen, plugin: plugins.Entry | None) -> Any:
    if plugin and hasattr(chosen.module, "parse"):
        return plugin_rows.parse(plugin, chosen.module)
    return getattr(chosen.module, "parse", jsonl.parse)


def _systems(rows: int, texts: int, most: int, frame: Sequence[str]) -> Systems:
    return Systems(rows, texts, most, tuple(frame))


def detail(chosen: Chosen, shape: Mapping[str, Any]) -> str:
    """What was decided about a file while reading it, in words."""
    separated = {";": "cells separated by ;", "\t": "cells separated by tabs"}.get(shape.get("delimiter", ""), "")
    listed = f"records are the list '{shape['list']}'" if "list" in shape else ""
    return "; ".join(part for part in (chosen.detail, separated, listed) if part)


# Whether a record holds a text, whatever the case.
def may_hold(raw: bytes, wanted: str) -> bool:
    """A quick look at a record's bytes that never misses; `wanted` is casefolded."""
    if b"\\u" in raw or not ESCAPED.isdisjoint(wanted):
        return True
    if raw.isascii():
        return wanted.isascii() and wanted.encode() in raw.lower()
    return wanted in raw.decode("utf-8", "surrogateescape").casefold()


def holds(value: Any, wanted: str) -> bool:
    """Whether a text or number anywhere inside `value` holds `wanted`, which is casefolded."""
    if isinstance(value, str):
        return wanted in value.casefold()
    if (cell := cell_of(value)) is not None and wanted in cell.casefold():
        return True
    if isinstance(value, dict):
        return any(holds(inner, wanted) for inner in value.values())
    if isinstance(value, list):
        return any(holds(inner, wanted) for inner in value)
    return isinstance(value, int | float) and not isinstance(value, bool) and wanted in str(value).casefold()
