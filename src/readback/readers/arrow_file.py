"""Arrow files, and the folders in which Hugging Face datasets are saved (`Dataset.save_to_disk`).

Source: the *Arrow Columnar Format* (IPC streams and files); `datasets.arrow_dataset` 4 and 5: a folder holds
`data-00000-of-0000N.arrow`, each an Arrow stream, `dataset_info.json`, and `state.json`, whose `_data_files` names the
files in their order. Files of the cache of datasets are streams, too. A DatasetDict is a folder of such folders with
`dataset_dict.json`: each of its splits is a dataset of its own.

The dataset of a folder is its `state.json`. Decoding runs in the bounded child, as for Parquet.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from readback.quantity import quantity
from readback.readers import parquet
from readback.readers.files.paths import resolve
from readback.readers.files.row import Event
from readback.readers.files.text_file import read_head
from readback.readers.tables.table_columns import number_repeated_names
from readback.sandbox import Stopped, stream
from readback.types import Diagnostic, Location

NAME = "arrow"
SUFFIXES = (".arrow", ".feather", ".ipc")
BY_LINES = False
FILE, STREAM, OLD_FEATHER = b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"
STATE, INFO, SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"
LARGEST_STATE = 4 << 20
MOST_FILES = 10_000
LIMITS = parquet.LIMITS
parse = parquet.parse


def is_state(head: bytes) -> bool:
    """Tell whether a JSON file that begins so is the `state.json` of a saved dataset."""
    return head.startswith(b"{") and b'"_data_files"' in head and b'"_fingerprint"' in head


def find_state(path: Path) -> Path | None:
    """Return the file of the saved dataset that a file belongs to; None where it belongs to none."""
    home = path.with_name(STATE)
    if path.name == SPLITS:
        return next((each for each in sorted(path.parent.glob(f"*/{STATE}")) if _is_state_file(each)), None)
    if path == home or not _is_state_file(home):
        return None
    if path.name == INFO or path in _list_files(home, STATE)[0]:
        return home
    return None


def _is_state_file(path: Path) -> bool:
    return is_state(read_head(path, LARGEST_STATE).lstrip())


def list_companions(path: Path) -> tuple[Path, ...]:
    """Return the files that belong to a dataset: those that its `state.json` names."""
    if path.suffix != ".json" or not _is_state_file(path):  # any other file of JSON is not read for its names
        return ()
    files, _ = _list_files(path, path.name)
    return tuple(files)


def spool(path: Path, out: BinaryIO, file: str) -> Iterator[int | Diagnostic]:
    """Write the rows of an Arrow file, or of the files that a `state.json` names, to `out` as JSON lines."""
    files = [path]
    if _is_state_file(path):
        files, diagnostics = _list_files(path, file)
        yield from diagnostics
    size = path.stat().st_size
    done = 0
    for at, each in enumerate(files):
        if each == path:
            name = file
        else:
            name = (PurePosixPath(file).parent / each.name).as_posix()
        for event in _decode_file(each, out, name, done, is_first=not at):
            if isinstance(event, Diagnostic):
                yield event
            else:
                done = event
        yield size * (at + 1) // len(files)


def _list_files(path: Path, file: str) -> tuple[list[Path], list[Diagnostic]]:
    """Return the files that a `state.json` names, in its order; they lie beside it."""
    place = Location(file=file)
    try:
        with path.open("rb") as source:
            value = json.loads(source.read(LARGEST_STATE))
        names = [str(entry["filename"]) for entry in value["_data_files"]][:MOST_FILES]
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        reason = f"no file names can be read from it ({type(error).__name__})"
        return [], [Diagnostic("dat-bad-line", {"reason": reason}, place)]
    files: list[Path] = []
    diagnostics: list[Diagnostic] = []
    for name in names:
        each = resolve(path.parent, name, place=place)
        if isinstance(each, Diagnostic):
            diagnostics.append(each)
        else:
            files.append(each)
    return files, diagnostics


def _decode_file(path: Path, out: BinaryIO, file: str, done: int, is_first: bool) -> Iterator[int | Diagnostic]:
    """Write the rows of one file below `done` others; yield how many there are then, and diagnostics."""
    place = Location(file=file)
    try:
        for frame in stream("readback.readers.arrow_file:decode_rows", str(path.resolve()), LIMITS):
            if "names" in frame:
                if is_first:
                    yield from number_repeated_names(frame["names"], place)[1]
            elif "lost" in frame:
                count = min(frame["lost"], parquet.LOST)
                out.write(parquet.GONE * count)
                reason = parquet.describe_lost_rows(frame, done)
                yield Diagnostic("dat-bad-line", {"reason": reason}, replace(place, line=done + 1), f"{done}")
                done += count
                yield done
            elif "error" in frame:
                yield Diagnostic("dat-bad-line", {"reason": f"not Arrow that can be read: {frame['error']}"}, place)
            else:
                out.write("".join(f"{text}\n" for text in frame["json"]).encode())
                done += len(frame["json"])
                yield done
    except Stopped as stopped:
        yield Diagnostic("dat-limit", {"what": f"{stopped.kind} for decoding", "limit": stopped.detail}, place)


def rows(lines: BinaryIO, file: str) -> Iterator[Event]:
    """Yield the rows that `spool` wrote; `line` is the number of the row."""
    return parquet.rows(lines, file)


def decode_rows(path: str) -> Iterator[Mapping[str, Any]]:
    """Decode an Arrow stream or file; runs in the bounded child, for its lengths may promise anything.

    Yield {"names"}, then {"json": rows as JSON, a line each}, {"lost", "error"} where a file of several batches has one
    that cannot be read, and {"error"} where nothing can or where a stream ends early.
    """
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    import pyarrow as pa  # type: ignore[import-untyped]

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    broken = (pa.ArrowException, OSError, ValueError)
    try:
        with pa.OSFile(path, "rb") as source:
            begin = source.read(len(FILE))
            source.seek(0)
            if begin == FILE:
                yield from _decode_batches(pa.ipc.open_file(source), broken)
            else:
                yield from _decode_stream(pa.ipc.open_stream(source), broken)
                if rest := source.size() - source.tell():
                    yield {
                        "error": f"the stream is marked as ended {quantity(rest, 'byte')} before the end of the file"
                    }
    except broken as error:
        yield {"error": parquet.shorten_error(error)}


def _decode_batches(reader: Any, broken: tuple[type[Exception], ...]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of an Arrow file, whose batches stand for themselves."""
    names = _number_names(reader.schema)
    yield {"names": list(reader.schema.names)}
    for number in range(reader.num_record_batches):
        try:
            batch = reader.get_batch(number)
            batch.validate(full=True)
            yield from _split(batch, names)
        except broken as error:
            yield {"lost": 1, "error": f"batch {number + 1}: {parquet.shorten_error(error)}"}


def _decode_stream(reader: Any, broken: tuple[type[Exception], ...]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of an Arrow stream; after a batch that cannot be read the rest is lost, for lengths chain it."""
    names = _number_names(reader.schema)
    yield {"names": list(reader.schema.names)}
    while True:
        try:
            batch = reader.read_next_batch()
            batch.validate(full=True)
            yield from _split(batch, names)
        except StopIteration:
            return
        except broken as error:
            yield {"error": f"what follows is lost: {parquet.shorten_error(error)}"}
            return


def _number_names(schema: Any) -> tuple[str, ...]:
    return number_repeated_names(list(schema.names), Location())[0]


def _split(batch: Any, names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    for start in range(0, batch.num_rows, parquet.BATCH):
        yield from parquet.split_into_frames(batch.slice(start, parquet.BATCH), tuple(names))
