"""Read `.eval`: a ZIP with `header.json` and a member for each sample, `samples/ID_epoch_N.json`.

A run writes its header last. Without one the run goes on or was killed: `_journal/start.json` says what was started.
A sample that ran again is a second member of its name, and the later counts. Samples come in the order in which the
tool lists them: by epoch, then by id as a text, with numbers filled with zeros. Source: inspect_ai 0.3.285,
`log/_recorders/eval.py`, `log/_log.py` (`sort_samples`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from readback.readers.files.decoding import LEAST, RATIO
from readback.readers.logs.events import Event, Id
from readback.readers.logs.formats.inspect.byte_walk import ByteWalk
from readback.readers.logs.formats.inspect.log_events import LONGEST_HEADER, list_end, list_head, report_part
from readback.readers.logs.formats.inspect.long_sample import LONGEST_SAMPLE
from readback.readers.logs.formats.inspect.sample import SampleReader, report_row
from readback.readers.logs.formats.inspect.values import Fields, Unreadable, decode_value
from readback.readers.logs.formats.inspect.zip_members import (
    METHODS,
    BadZip,
    Member,
    MemberStream,
    list_members,
    read_member,
    scan_members,
)
from readback.readers.logs.position import follow
from readback.types import Diagnostic, Location

HEADER, START = "header.json", "_journal/start.json"
SAMPLES = "samples/"
SUFFIX = ".json"
SAMPLE = re.compile(r"samples/(?P<id>.+)_epoch_(?P<epoch>\d{1,9})\.json", re.DOTALL)
PIECE = re.compile(
    r"samples/(?P<id>.+)_epoch_(?P<epoch>\d{1,9})/(?:(?:messages|events|calls|attachments)/)?\w+\.json", re.DOTALL
)
MOST_MEMBERS = 200_000  # each takes 300 bytes of memory
ZIP_MARK = b"PK\x03\x04"
LOOKED_AT = 20_000  # members of a ZIP that is recognised


def recognise(path: Path) -> bool:
    """Return whether a ZIP holds a log, by the names of its members."""
    has_header, has_samples = False, path.suffix == ".eval"  # a log without samples has a name at least
    with path.open("rb") as stream:
        try:
            for number, member in enumerate(list_members(stream)):
                has_header |= member.name == HEADER
                has_samples |= member.name.startswith((SAMPLES, "_journal/")) or member.name == "summaries.json"
                if member.name == START or (has_header and has_samples):
                    return True
                if number > LOOKED_AT and path.suffix != ".eval":  # the header of a log comes last
                    return False
        except BadZip:
            stream.seek(0)
            first = next(scan_members(stream), None)
            return first is not None and first.name == START
    return False


class Archive:
    """The members of a log that are read, by name; of two with one name the later."""

    def __init__(self, stream: BinaryIO) -> None:
        self.faults: list[str] = []
        self.header: dict[str, Member] = {}
        self.samples: dict[str, Member] = {}
        self.pieces: dict[str, str] = {}  # names of samples in pieces, with one member of each
        self.repeated = 0
        self.done = 0  # bytes of the packed samples that have been read
        self.is_full = False
        try:
            self._add(list_members(stream))
        except BadZip as error:
            self.faults.append(f"the ZIP cannot be read to its end: {error}")
            self._add(scan_members(stream))

    def _add(self, members: Iterator[Member]) -> None:
        for member in members:
            if member.name in (HEADER, START):
                self.header[member.name] = member
            elif SAMPLE.fullmatch(member.name):
                self.repeated += member.name in self.samples
                self.samples[member.name] = member
            elif piece := PIECE.fullmatch(member.name):
                self.pieces[f"{SAMPLES}{piece['id']}_epoch_{piece['epoch']}{SUFFIX}"] = member.name
            if len(self.samples) >= MOST_MEMBERS:
                self.is_full = True
                return


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield the events of the log at `path`. Raises OSError where it cannot be read."""
    with path.open("rb") as stream:
        archive = Archive(stream)
        for reason in archive.faults:
            yield report_row(file, reason)
        follow(lambda: archive.done, sum(member.packed for member in archive.samples.values()))
        header, fault = _read_header(stream, archive)
        if fault:
            yield report_row(file, fault)
        reader = yield from list_head(header, HEADER in archive.header, file)
        yield from _read_samples(stream, archive, reader, header, path.stat().st_size)
        if archive.repeated:
            yield report_part(
                file, f"{archive.repeated} earlier members of a name that comes again: the sample ran again"
            )
        if archive.is_full:
            yield Diagnostic("dat-limit", {"what": "samples", "limit": MOST_MEMBERS}, Location(file=file))
        yield from list_end(header, reader)


def _read_header(stream: BinaryIO, archive: Archive) -> tuple[Fields, str | None]:
    fault: str | None = None
    for name in (HEADER, START):
        if name not in archive.header:
            continue
        try:
            value = decode_value(read_member(stream, archive.header[name], LONGEST_HEADER))
        except (BadZip, Unreadable) as error:
            fault = f"{name}: {error}"
            continue
        if isinstance(value, dict):
            return value, fault
        fault = f"{name}: not an object"
    return {}, fault or "neither header.json nor _journal/start.json is in it"


def _read_samples(
    stream: BinaryIO, archive: Archive, reader: SampleReader, header: Fields, packed: int
) -> Iterator[Event]:
    budget = max(LEAST, RATIO * packed)
    read_id = _make_id_reader(header)
    for name in sorted({*archive.samples, *archive.pieces}, key=lambda name: _order(name, read_id)):
        record, epoch = _read_name(name, read_id)
        if name not in archive.samples:
            yield from reader.refuse("it is stored in pieces, which are not read", record, epoch)
            continue
        member = archive.samples[name]
        archive.done += member.packed
        budget -= member.size
        if budget < 0:
            yield from reader.refuse("the log unpacks to more than can be true of texts", record, epoch)
            continue
        if member.size > LONGEST_SAMPLE and member.method in METHODS:
            yield from reader.read_long(ByteWalk(MemberStream(stream, member)), record, epoch, is_alone=True)
            continue
        try:
            text = read_member(stream, member, LONGEST_SAMPLE)
        except BadZip as error:
            yield from reader.refuse(str(error), record, epoch)
            continue
        yield from reader.read(text, record, epoch)


def _make_id_reader(header: Fields) -> Callable[[str], Id]:
    """Return what makes an id of its text in the name of a member: a number where the run lists it as one."""
    spec = header.get("eval")
    if isinstance(spec, dict):
        dataset = spec.get("dataset")
    else:
        dataset = None
    if isinstance(dataset, dict):
        ids = dataset.get("sample_ids")
    else:
        ids = None
    listed = ids if isinstance(ids, list) else []
    texts = {item for item in listed if isinstance(item, str)}

    def read_id(text: str) -> Id:
        is_number = text.isascii() and text.isdigit() and len(text) <= 18 and text == str(int(text))
        if is_number and text not in texts:
            return int(text)
        return text

    return read_id


def _read_name(name: str, read_id: Callable[[str], Id]) -> tuple[Id, int]:
    match = SAMPLE.fullmatch(name)
    if match:
        return (read_id(match["id"]), int(match["epoch"]))
    return (None, 1)


def _order(name: str, read_id: Callable[[str], Id]) -> tuple[int, str]:
    record, epoch = _read_name(name, read_id)
    return epoch, record if isinstance(record, str) else str(record).zfill(20)
