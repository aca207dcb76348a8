"""Read the `.json` of Inspect: one object with `eval`, `results` and the list `samples`, read sample by sample.

The tool writes what is about the run before the samples. In a file where it comes after them, they are passed over
first. Source: inspect_ai 0.3.285, `log/_recorders/json.py`.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from readback.readers.files.decoding import budget_of
from readback.readers.files.text_file import UTF8_MARK
from readback.readers.logs.events import Event
from readback.readers.logs.formats.inspect.byte_walk import CHUNK, BrokenText, ByteWalk, Source
from readback.readers.logs.formats.inspect.log_events import LONGEST_HEADER, list_end, list_head
from readback.readers.logs.formats.inspect.long_sample import LONGEST_SAMPLE
from readback.readers.logs.formats.inspect.sample import SampleReader, report_row
from readback.readers.logs.formats.inspect.values import Fields, Unreadable, decode_value
from readback.readers.logs.position import follow

GZIP = b"\x1f\x8b"
SAMPLES = "samples"
HEADER = ("version", "status", "eval", "results", "error", "invalidated")
SIGNS = {"version", "status", "plan", "results", "samples", "stats"}  # one of these stands beside `eval`
TASK = b'"task"'


def recognise(head: bytes) -> bool:
    """Return whether a JSON object that begins so is a log: it has an `eval` with a task, and another sign."""
    walk = ByteWalk(io.BytesIO(head.removeprefix(UTF8_MARK)))
    if walk.peek() != b"{" or b'"eval"' not in head:
        return False
    keys, has_task = set[str](), False
    try:
        for key in walk.list_keys():
            name = _decode_key(key)
            keys.add(name)
            if name != "eval":
                walk.take_value(0)
                continue
            if walk.peek() != b"{":
                return False
            has_task = TASK in head  # the spec may be longer than what is looked at
            spec = walk.take_value(len(head))
            has_task = spec is not None and TASK in spec
    except BrokenText:
        pass
    return has_task and bool(keys & SIGNS)


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield the events of the log at `path`. Raises OSError where it cannot be read."""
    with path.open("rb") as raw:
        follow(raw.tell, path.stat().st_size)
        is_packed = raw.read(len(GZIP)) == GZIP
        raw.seek(0)
        stream: Source = _Packed(raw, budget_of(path.stat().st_size)) if is_packed else raw
        yield from _read_stream(stream, file)


class _Packed:
    """A gzip file out of which no more than `budget` bytes come."""

    def __init__(self, raw: BinaryIO, budget: int) -> None:
        self._raw = gzip.GzipFile(fileobj=raw, mode="rb")
        self._budget = budget

    def read(self, size: int) -> bytes:
        """Return the next bytes. Raises BrokenText where they cannot be unpacked, or are too many."""
        if self._raw.tell() > self._budget:
            raise BrokenText("the log unpacks to more than can be true of texts")
        try:
            return self._raw.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise BrokenText(f"the packed data end or break here ({error})") from None

    def seek(self, offset: int) -> int:
        """Go to a place in what is unpacked."""
        return self._raw.seek(offset)


def _read_stream(stream: Source, file: str) -> Iterator[Event]:
    header: Fields = {}
    reader: SampleReader | None = None
    fault, line, is_passed = None, 1, False
    try:
        walk = _begin(stream)
        try:
            for key in walk.list_keys():
                name = _decode_key(key)
                if name == SAMPLES and "eval" in header and reader is None:
                    reader = yield from list_head(header, True, file)
                    yield from _read_samples(walk, stream, reader)
                elif name == SAMPLES:
                    is_passed = True
                    walk.take_value(0)
                elif name in HEADER:
                    yield from _read_fact(walk, name, header, file)
                else:
                    walk.take_value(0)
            if walk.peek():
                fault = "something follows the end of the object"
        finally:
            line = walk.line
    except BrokenText as error:
        fault = str(error)
    if reader is None:
        reader = yield from list_head(header, True, file)
        if is_passed:
            yield from _read_late(stream, reader)
    if fault:
        yield report_row(file, f"the log cannot be read beyond this line: {fault}", line)
    yield from list_end(header, reader)


def _read_fact(walk: ByteWalk, name: str, header: Fields, file: str) -> Iterator[Event]:
    line = walk.line
    text = walk.take_value(LONGEST_HEADER)
    try:
        if text is None:
            raise Unreadable(f"longer than {LONGEST_HEADER >> 20} MiB")
        header[name] = decode_value(text)
    except Unreadable as error:
        yield report_row(file, f"{name}: {error}", line)


def _read_samples(walk: ByteWalk, stream: Source, reader: SampleReader) -> Iterator[Event]:
    if walk.peek() != b"[":
        text = walk.take_value(CHUNK)
        if text != b"null":
            yield report_row(reader.file, "its samples are no list", walk.line)
        return
    for text, line, offset in walk.list_items(LONGEST_SAMPLE):
        if text is None:
            stream.seek(offset)
            yield from reader.read_long(ByteWalk(stream), line=line)
            walk.return_to_stream()
        else:
            yield from reader.read(text, line=line)


def _read_late(stream: Source, reader: SampleReader) -> Iterator[Event]:
    """Read the samples that stand before what is about the run. What breaks off was reported the first time."""
    stream.seek(0)
    try:
        walk = _begin(stream)
        for key in walk.list_keys():
            if _decode_key(key) == SAMPLES:
                yield from _read_samples(walk, stream, reader)
                return
            walk.take_value(0)
    except BrokenText:
        return


def _begin(stream: Source) -> ByteWalk:
    if stream.read(len(UTF8_MARK)) == UTF8_MARK:
        begin = len(UTF8_MARK)
    else:
        begin = 0
    stream.seek(begin)
    return ByteWalk(stream, begin)


def _decode_key(key: bytes) -> str:
    try:
        return str(decode_value(key))
    except Unreadable:
        return key.decode("utf-8", "replace")
