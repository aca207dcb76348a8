"""Store the offsets, lines and ids of the records of a file on disk, and map them into memory."""

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
from readback.readers.files import checksum
from readback.readers.files.cache_folder import ABOUT

NUMBERS = "numbers.i64"  # starts, ends, lines, ends of ids, then the hash table of ids
IDS = "ids.bin"
META = "meta.json"
SPOOL = "spool"  # the content of a packed or binary file, as lines
PARTS = (NUMBERS, IDS, META, SPOOL)
TWICE = "dat-duplicate-id"  # the code of the diagnostic about a repeated id
NOTHING = memoryview(b"")
BLOCK = 1 << 16  # numbers that are written at once


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """The index of one file. `meta` is small; the rest is memory-map_file."""

    count: int
    meta: dict[str, Any]
    numbers: memoryview
    names: memoryview

    @property
    def ends(self) -> memoryview:
        """The end of each id in `names`."""
        return self.numbers[3 * self.count : 4 * self.count]

    @property
    def table(self) -> memoryview:
        """The hash table of ids: see `build_table`."""
        return self.numbers[4 * self.count :]

    def let_go(self) -> None:
        """Release the memory of the pages that were read; the system reads them again on demand."""
        for view in (self.numbers, self.names):
            if isinstance(view.obj, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
                view.obj.madvise(mmap.MADV_DONTNEED)

    def span(self, index: int) -> tuple[int, int]:
        """Return the offset of a record and the offset after its end."""
        return self.numbers[index], self.numbers[self.count + index]

    def line(self, index: int) -> int:
        """Return the physical line, from 1, in which a record starts."""
        return int(self.numbers[2 * self.count + index])

    def id(self, index: int) -> str:
        """Return the id of a record."""
        return self._name(index).decode("utf-8", "surrogatepass")

    def _name(self, index: int) -> bytes:
        ends = 3 * self.count
        if index:
            start = self.numbers[ends + index - 1]
        else:
            start = 0
        return bytes(self.names[start : self.numbers[ends + index]])

    def bytes(self, start: int, stop: int) -> bytes:
        """Return the index of a range as bytes, with offsets relative to the range, for a digest.

        These are the starts and ends of records, the ends of their ids, their lines, and their ids.
        """
        if start >= stop:
            return b""
        starts, ends, lines, absolute_id_ends, names = self.raw(start, stop)
        first, id_start = starts[0], absolute_id_ends[-1] - len(names)
        bounds = (array("q", map((-first).__add__, column)) for column in (starts, ends))
        id_ends = array("q", map((-id_start).__add__, absolute_id_ends))
        return b"".join((*bounds, id_ends, lines, names))

    def raw(self, start: int, stop: int) -> Iterator[memoryview]:
        """Yield the four columns of numbers of a range of records as stored, then their ids."""
        for column in range(0, 4 * self.count, self.count):
            yield self.numbers[column + start : column + stop]
        ends = self.ends
        yield self.names[ends[start - 1] if start else 0 : ends[stop - 1]]

    def find(self, record_id: str) -> int | None:
        """Return the number of the first record with an id; None without one."""
        name = record_id.encode("utf-8", "surrogatepass")
        return next((index for index in find_candidates(self.table, name) if self._name(index) == name), None)

    def parts(self, size: int) -> tuple[tuple[int, int], ...]:
        """Return ranges of records (first, after the last), each of about `size` bytes of the file."""
        starts = self.numbers[: self.count]
        cuts = [0]
        while cuts[-1] < self.count:
            cuts.append(max(cuts[-1] + 1, bisect_left(starts, starts[cuts[-1]] + size, cuts[-1])))
        return tuple(pairwise(cuts))


def build_table(names: Names, report_repeat: Callable[[int, int], None]) -> array[int]:
    """Return a hash table of ids with open addressing; an entry is the number of a record + 1, or 0.

    `report_repeat` is called with each record whose id an earlier record has, and with that earlier record.
    """
    size = 8
    while size < 2 * len(names):
        size *= 2
    # half as wide as on disk if the count of records allows, since the whole table is in memory
    kind = "q" if len(names) >= 1 << 31 else "i"
    table = array(kind, bytes(size * array(kind).itemsize))
    for number, name in enumerate(names, 1):
        slot = _hash_to_slot(name, size)
        while table[slot] and names[table[slot] - 1] != name:
            slot = (slot + 1) % size
        if table[slot]:
            report_repeat(number - 1, table[slot] - 1)
        else:
            table[slot] = number
    return table


def find_candidates(table: memoryview, name: bytes) -> Iterator[int]:
    """Yield the records that may have an id, in the order of the hash table."""
    size = len(table)
    if not size:
        return
    slot = _hash_to_slot(name, size)
    while table[slot]:
        yield table[slot] - 1
        slot = (slot + 1) % size


def _hash_to_slot(name: bytes, size: int) -> int:
    # a cryptographic hash: ids chosen to collide would turn the table into a list
    return int.from_bytes(blake2b(name, digest_size=8).digest()) % size


class Names:
    """The ids of records in one buffer, by number."""

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
        if index:
            return self.ends[index - 1]
        return 0


def write(folder: Path, path: Path, meta: dict[str, Any], numbers: Sequence[Sequence[int]]) -> None:
    """Write an index into a fresh folder; `numbers` are the columns of NUMBERS."""
    with (folder / NUMBERS).open("wb") as out:
        for column in numbers:
            for start in range(0, len(column), BLOCK):
                array("q", column[start : start + BLOCK]).tofile(out)
    (folder / META).write_text(json.dumps(meta), "utf-8")
    seal(folder, path)


def seal(folder: Path, path: Path) -> None:
    """Write ABOUT into a folder with a complete index: its file, the checksums of its parts, and its own."""
    about = {"path": str(path), "sums": _describe_parts(folder)}
    (folder / ABOUT).write_text(json.dumps({**about, "sum": _hash_about(about)}), "utf-8")


def load(folder: Path) -> Index | None:
    """Return the index in a folder; None without one, or if it is damaged.

    A bounded child does not verify the checksums, since its parent has just done so.
    """
    try:
        about = json.loads((folder / ABOUT).read_text("utf-8"))
        if not sandbox.is_child() and (_hash_about(about) != about["sum"] or about["sums"] != _describe_parts(folder)):
            return None
        meta = json.loads((folder / META).read_text("utf-8"))
        numbers = map_file(folder / NUMBERS).cast("q")
        return Index(meta["counts"]["read"], meta, numbers, map_file(folder / IDS))
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def _describe_parts(folder: Path) -> dict[str, Any]:
    """Return by name the checksum of each part; of the text, where it is a part, its state, as of any file of rows."""
    sums: dict[str, Any] = {name: checksum.hash_file(folder / name) for name in PARTS if name != SPOOL}
    if (folder / SPOOL).exists():
        sums[SPOOL] = list(checksum.state(folder / SPOOL))
    return sums


def _hash_about(about: Mapping[str, Any]) -> str:
    return checksum.compute_digest(json.dumps([about["path"], about["sums"]]).encode()).hex()


def map_file(path: Path) -> memoryview:
    """Return the bytes of a file, memory-map_file; the mapping ends with its last view."""
    with path.open("rb") as file:
        if not path.stat().st_size:
            return NOTHING
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
