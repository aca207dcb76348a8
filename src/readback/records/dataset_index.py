"""Where every record of a file starts and what it is called, kept on disk and memory-mapped."""

from __future__ import annotations

import json
import mmap
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.readers import checksum
from readback.readers.cache_folder import ABOUT

NUMBERS = "numbers.i64"  # starts, ends, lines, ends of ids, then the table that finds an id
IDS = "ids.bin"
META = "meta.json"
SPOOL = "spool"  # what a packed or binary file holds, as lines
PARTS = (NUMBERS, IDS, META, SPOOL)
TWICE = "dat-duplicate-id"  # the code of what is said where an id comes again
NOTHING = memoryview(b"")
BLOCK = 1 << 16  # numbers that are written at once


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """The index of one file. `meta` is small; the rest is mapped and costs no memory of its own."""

    count: int
    meta: dict[str, Any]
    numbers: memoryview
    names: memoryview

    @property
    def ends(self) -> memoryview:
        """Where each id ends."""
        return self.numbers[3 * self.count : 4 * self.count]

    @property
    def table(self) -> memoryview:
        """What finds an id: see `table_for`."""
        return self.numbers[4 * self.count :]

    def let_go(self) -> None:
        """Give back the memory of the pages that were looked at; they are read again where they are needed again."""
        for one in (self.numbers, self.names):
            if isinstance(one.obj, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
                one.obj.madvise(mmap.MADV_DONTNEED)

    def span(self, index: int) -> tuple[int, int]:
        """The first byte of a record and the byte after its last."""
        return self.numbers[index], self.numbers[self.count + index]

    def line(self, index: int) -> int:
        """The physical line (from 1) a record starts in."""
        return int(self.numbers[2 * self.count + index])

    def id(self, index: int) -> str:
        """What a record is called."""
        return self._name(index).decode("utf-8", "surrogatepass")

    def _name(self, index: int) -> bytes:
        ends = 3 * self.count
        start = self.numbers[ends + index - 1] if index else 0
        return bytes(self.names[start : self.numbers[ends + index]])

    def bytes(self, start: int, stop: int) -> bytes:
        """Where the records of a range begin and end, from its first byte on, where their ids end, from the first byte
        of these on, their lines, and their ids.
        """
        if start >= stop:
            return b""
        starts, ends, lines, ends_of_ids, names = self.raw(start, stop)
        first, first_of_ids = starts[0], ends_of_ids[-1] - len(names)
        bounds = (array("q", map((-first).__add__, column)) for column in (starts, ends))
        in_ids = array("q", map((-first_of_ids).__add__, ends_of_ids))
        return b"".join((*bounds, in_ids, lines, names))

    def raw(self, start: int, stop: int) -> Iterator[memoryview]:
        """The numbers of a range of records as they are, then their ids: another range has others."""
        for at in range(0, 4 * self.count, self.count):
            yield self.numbers[at + start : at + stop]
        ends = self.ends
        yield self.names[ends[start - 1] if start else 0 : ends[stop - 1]]

    def find(self, called: str) -> int | None:
        """The first record of that id."""
        name = called.encode("utf-8", "surrogatepass")
        return next((index for index in slots(self.table, name) if self._name(index) == name), None)

    def parts(self, size: int) -> tuple[tuple[int, int], ...]:
        """Ranges of records that each hold about `size` bytes."""
        starts = self.numbers[: self.count]
        cuts = [0]
        while cuts[-1] < self.count:
            cuts.append(max(cuts[-1] + 1, bisect_left(starts, starts[cuts[-1]] + size, cuts[-1])))
        return tuple(pairwise(cuts))


def table_for(names: Names, doubled: Callable[[int, int], None]) -> array[int]:
    """A table that finds an id (open addressing; record number + 1).

    `doubled` is told of each record whose id an earlier record has, and of that one.
    """
    size = 8
    while size < 2 * len(names):
        size *= 2
    # half as wide as it is on the disk, where a file of so many records lets it: it is all in memory
    kind = "q" if len(names) >= 1 << 31 else "i"
    table = array(kind, bytes(size * array(kind).itemsize))
    for number, name in enumerate(names, 1):
        at = _slot(name, size)
        while (other := table[at]) and names[other - 1] != name:
            at = (at + 1) % size
        if other:
            doubled(number - 1, other - 1)
        else:
            table[at] = number
    return table


def slots(table: memoryview, name: bytes) -> Iterator[int]:
    """The records a name may belong to, in the order of the table."""
    size = len(table)
    at = _slot(name, size) if size else 0
    while size and (found := table[at]):
        yield found - 1
        at = (at + 1) % size


def _slot(name: bytes, size: int) -> int:
    # a cryptographic hash: ids chosen to collide would turn the table into a list
    return int.from_bytes(blake2b(name, digest_size=8).digest()) % size


class Names:
    """Ids in one buffer, by number."""

    def __init__(self, buffer: memoryview, ends: array[int]) -> None:
        self.buffer = buffer
        self.ends = ends

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: int) -> bytes:
        return bytes(self.buffer[self._begin(index) : self.ends[index]])

    def __iter__(self) -> Iterator[bytes]:
        start = 0
        for end in self.ends:
            yield bytes(self.buffer[start:end])
            start = end

    def _begin(self, index: int) -> int:
        return self.ends[index - 1] if index else 0


def write(folder: Path, path: Path, meta: dict[str, Any], numbers: Sequence[Sequence[int]]) -> None:
    """Write an index into a fresh folder; ABOUT comes last and holds the checksums of the others, and its own."""
    with (folder / NUMBERS).open("wb") as out:
        for one in numbers:
            for at in range(0, len(one), BLOCK):
                array("q", one[at : at + BLOCK]).tofile(out)
    (folder / META).write_text(json.dumps(meta), "utf-8")
    seal(folder, path)


def seal(folder: Path, path: Path) -> None:
    """Say of which file the index in a folder is, when all its parts are there."""
    about = {"path": str(path), "sums": _sums(folder)}
    (folder / ABOUT).write_text(json.dumps({**about, "sum": _sum(about)}), "utf-8")


def load(folder: Path) -> Index | None:
    """The index in a folder; None when there is none, or it is damaged.

    A bounded child believes what its caller has just checked: there are thousands of children.
    """
    try:
        about = json.loads((folder / ABOUT).read_text("utf-8"))
        if not sandbox.inside() and (_sum(about) != about["sum"] or about["sums"] != _sums(folder)):
            return None
        meta = json.loads((folder / META).read_text("utf-8"))
        numbers = mapped(folder / NUMBERS).cast("q")
        return Index(meta["counts"]["read"], meta, numbers, mapped(folder / IDS))
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def _sums(folder: Path) -> dict[str, str]:
    """The checksum of each part; the unpacked file is one where there is any."""
    return {name: checksum.of_file(folder / name) for name in PARTS if name != SPOOL or (folder / name).exists()}


def _sum(about: Mapping[str, Any]) -> str:
    return checksum.of(json.dumps([about["path"], about["sums"]]).encode()).hex()


def mapped(path: Path) -> memoryview:
    """The bytes of a file, mapped; the mapping ends with its last view."""
    with path.open("rb") as file:
        if not path.stat().st_size:
            return NOTHING
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
