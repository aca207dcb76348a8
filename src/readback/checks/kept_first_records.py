"""Which record has each text first, and what was said of the records that repeat one, kept until these are others.

After a small change most ranges of a dataset are what they were, and the first ones come in the same order: of these
what was said is said again, without a look at what each of their marks was first seen in. Where the first other range
begins, it is known which record had each mark before.

In the file lie: a bit for each way in which marks end (`FirstRecords.maybe`); runs of marks, each followed by the
records of them; what was said of each range, packed; a head, which says where all that is, and its length.
"""

from __future__ import annotations

import hashlib
import os
import weakref
import zlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO

from readback import as_json
from readback.checks.finding_lines import line, read
from readback.checks.first_records import MAYBE, FirstRecords, Run
from readback.checks.kept_parts import Parts
from readback.checks.marks import Marks
from readback.checks.rules import Fault
from readback.readers import checksum
from readback.records.numbers_on_disk import SIZE, NumbersInFile
from readback.types import Finding

NAME = "first-records"  # of what is in the file, beside what it depends on
BLOCK = 1 << 18  # bytes that are copied at once
FEW = 8  # of so many ranges one may be new: that is not kept, but worked out again the next time
LENGTH = 8  # bytes that say how long the head is

Said = Mapping[int, Sequence[Finding | Fault]]  # by the numbers of records


@dataclass(frozen=True, slots=True)
class _Range:
    """Records that were told of together: the first, how many, the range's digest, that of their marks, and where what
    was said of them lies.
    """

    start: int
    count: int
    digest: str
    marks: str
    begin: int
    size: int


@dataclass(frozen=True, slots=True)
class _Kept:
    """What an earlier check knew: the open file, the ranges in their order, and the runs."""

    file: BinaryIO
    ranges: Sequence[_Range]
    runs: Sequence[Run]

    def said(self, one: _Range) -> Said:
        """Raises OSError and ValueError."""
        try:
            said = as_json.unpacked(zlib.decompress(self.packed(one)))
            return {int(index): [*map(read, found)] for index, found in said}
        except (zlib.error, TypeError, LookupError) as error:
            raise ValueError(f"what was said of records {one.start} and on: {error}") from error

    def packed(self, one: _Range) -> bytes:
        """The same as it lies there. Raises OSError."""
        found = os.pread(self.file.fileno(), one.size, one.begin)
        if len(found) != one.size:
            raise OSError(f"what was said of records {one.start} and on is there no more")
        return found


@dataclass(slots=True)
class _Coming:
    """The range whose records come now."""

    start: int
    digest: str
    marks: Marks = field(default_factory=Marks)
    said: list[Any] = field(default_factory=list)


class KeptFirstRecords:
    """Of the first dataset of a check, whose ranges come in their order. Without parts nothing is known or kept."""

    def __init__(self, parts: Parts | None, first: FirstRecords) -> None:
        """`first` knows of no record yet; it is told what was known where the first other range begins."""
        self._parts, self._first = parts, first
        self._kept: _Kept | None = None
        self._begun = self._left = False
        self._same = 0  # ranges that are what they were
        self._new: list[_Range] = []
        self._coming: _Coming | None = None
        self._said: IO[bytes] | None = None  # of the new ones
        self._size = 0  # bytes of that
        self._keeping = parts is not None

    def told(self, indices: Sequence[int], marks: Marks) -> Said | None:
        """What was said of a range of records, if it and all before it are what they were."""
        if not self._begun:
            self._begun = True
            path = self._parts.of_file(NAME) if self._parts and self._parts.any_of_file(NAME) else None
            self._kept = _read(path, self._first) if path else None
            if self._kept:
                weakref.finalize(self, _close, self._kept.file)
        if self._kept and not self._left:
            with suppress(OSError, ValueError):  # then it is worked out
                if one := self._next(indices, marks):
                    said = self._kept.said(one)
                    self._same += 1
                    return said
            self.leave()
        return None

    def _next(self, indices: Sequence[int], marks: Marks) -> _Range | None:
        """The range that comes next in what is kept, if it is this one."""
        if not self._parts or not self._kept or not indices or self._same == len(self._kept.ranges):
            return None
        one = self._kept.ranges[self._same]
        if (indices[0], len(indices)) != (one.start, one.count) or self._parts.where(one.start) != (one.digest, 0):
            return None
        return one if _digest(marks) == one.marks else None

    def leave(self) -> None:
        """From here on the records are others."""
        if self._kept and not self._left:
            if self._same:
                last = self._kept.ranges[self._same - 1]
                for run in self._kept.runs:
                    run.beyond = last.start + last.count
            else:
                self._first.resume(bytes(MAYBE), ())
        self._left = True

    def take(self, indices: Sequence[int], marks: Marks, said: Said) -> None:
        """What is said where nothing was known."""
        where = self._parts.where(indices[0]) if self._parts and self._keeping else None
        if where is None or any(isinstance(one, Fault) for found in said.values() for one in found):
            self._keeping = False
            return
        digest, place = where
        if not place:
            self._close()
            self._coming = _Coming(indices[0], digest)
        if self._coming is None or (digest, place) != (self._coming.digest, self._coming.marks.count):
            self._keeping = False
            return
        self._coming.marks.extend(marks)
        kept = ((index, found) for index, found in said.items() if found)
        self._coming.said += [
            [index, [line(one) for one in found if isinstance(one, Finding)]] for index, found in kept
        ]

    def _close(self) -> None:
        if one := self._coming:
            packed = zlib.compress(as_json.packed(one.said), 1)
            try:
                if self._said is None:
                    self._said = TemporaryFile()  # noqa: SIM115 - it is closed with this
                    weakref.finalize(self, _close, self._said)
                self._said.write(packed)
            except OSError:  # a full disk, say
                self._keeping = False
            self._new.append(
                _Range(one.start, one.marks.count, one.digest, _digest(one.marks), self._size, len(packed))
            )
            self._size += len(packed)
        self._coming = None

    def end(self) -> None:
        """All records were taken: keep what is known, where much of it is new."""
        if self._keeping and self._parts:
            self._close()
        if not self._keeping or not self._parts or len(self._new) * FEW <= self._same:
            return
        runs = self._first.runs()
        if not any(len(run.marks) for run in runs):
            return
        most = MAYBE + sum(2 * SIZE * len(run.marks) for run in runs) + self._size + (1 << 20)
        most += sum(one.size for one in self._kept.ranges[: self._same]) if self._kept else 0
        self._parts.keep_of_file(NAME, most, lambda: self._pieces(runs))

    def _pieces(self, runs: Sequence[Run]) -> Iterator[bytes]:
        yield (bits := zlib.compress(self._first.maybe, 1))
        at, found = len(bits), list[tuple[int, int]]()
        for run in runs:
            begin, count = at, 0
            for marks, _ in run.pairs():
                yield array("q", marks).tobytes()
                count += len(marks)
            for _, records in run.pairs():
                yield array("q", records).tobytes()
            found += [(begin, count)] if count else []
            at += 2 * SIZE * count
        ranges: list[_Range] = []
        for one in self._kept.ranges[: self._same] if self._kept else ():
            yield self._kept.packed(one) if self._kept else b""
            ranges.append(replace(one, begin=at))
            at += one.size
        ranges += [replace(one, begin=at + one.begin) for one in self._new]
        if self._said:
            self._said.seek(0)
            yield from iter(partial(self._said.read, BLOCK), b"")
        head = as_json.packed([[astuple(one) for one in ranges], found, len(bits)])
        yield head
        yield len(head).to_bytes(LENGTH, "big")


def _read(path: Path, first: FirstRecords) -> _Kept | None:
    """What was kept, which `first` knows from now on; None where nothing is, or something else than was written."""
    try:
        with ExitStack() as stack:
            file = stack.enter_context(path.open("rb"))
            whole = checksum.checked_size(file)
            if whole is None or whole < LENGTH:
                return None
            os.utime(path)
            size = int.from_bytes(os.pread(file.fileno(), LENGTH, whole - LENGTH), "big")
            ranges, runs, bits = as_json.unpacked(os.pread(file.fileno(), size, whole - LENGTH - size))
            kept = _Kept(file, [_Range(*one) for one in ranges], [_run(file, *one) for one in runs])
            first.resume(zlib.decompress(os.pread(file.fileno(), bits, 0)), kept.runs)
            stack.pop_all()
            return kept
    except (OSError, ValueError, TypeError, zlib.error):
        return None


def _run(file: BinaryIO, begin: int, count: int) -> Run:
    """The marks from a byte on, and behind them the records."""
    return Run(NumbersInFile(file, begin, count), NumbersInFile(file, begin + SIZE * count, count))


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # what was not written, on a full disk, cannot be
        file.close()


def _digest(marks: Marks) -> str:
    made = hashlib.blake2b(as_json.packed([marks.count, marks.runs]), digest_size=checksum.SIZE)
    made.update(marks.numbers)
    return made.hexdigest()
