"""What a pass over a file knew where its last whole line ended: a longer file is read on from there.

That the beginning is still the same is proved by its content, never by size and time. What is damaged, of another
version or of another beginning is not believed, and the file read from its first byte.
"""

from __future__ import annotations

import base64
import json
import zlib
from array import array
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readback.readers import checksum
from readback.readers.cache_folder import of_same_file
from readback.readers.checksum import PART, Hashes
from readback.readers.row import Mark
from readback.records.dataset_index import Index, load

STATE = "reading.bin"  # JSON and its checksum
LEAST = 4 << 20  # bytes of a file of which it is kept: a smaller one is read as fast


@dataclass(frozen=True, slots=True)
class Earlier:
    """A pass over the beginning of a file: where it ends, what was known there, the index that was made of it, and the
    hash of each part.
    """

    mark: Mark
    known: Mapping[str, Any]
    index: Index
    hashes: tuple[str, ...]
    folder: Path

    @property
    def whole(self) -> tuple[str, ...]:
        """The hashes of the parts that are as long as parts are."""
        return self.hashes[: self.mark.end // PART]


def earlier(entry: Path, path: Path, version: str, hashes: Hashes) -> Earlier | None:
    """The longest pass over what is the beginning of a file still; `entry` is where the index of the whole will be."""
    found = (one for folder in of_same_file(entry) if (one := _read(folder, version)))
    for one in sorted(found, key=lambda one: one.mark.end, reverse=True):
        try:
            if _hashes(path, one.mark.end, hashes) == one.hashes:
                return one
        except OSError:
            return None
    return None


def _read(folder: Path, version: str) -> Earlier | None:
    try:
        whole = checksum.checked((folder / STATE).read_bytes())
        held = load(folder) if whole is not None else None
        if whole is None or held is None:
            return None
        known = json.loads(bytes(whole))
        if known["version"] != version:
            return None
        return Earlier(Mark(*known["mark"]), known["known"], held, tuple(known["hashes"]), folder)
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def write(folder: Path, version: str, mark: Mark, known: Mapping[str, Any], hashes: tuple[str, ...]) -> None:
    """Keep what was known at a mark in a folder that has the index. Raises OSError."""
    whole = json.dumps({"version": version, "mark": mark, "known": known, "hashes": hashes}).encode()
    with (folder / STATE).open("wb") as out:
        checksum.write(out, [whole])


def _hashes(path: Path, end: int, hashes: Hashes) -> tuple[str, ...]:
    return tuple(hashes.of_parts([(path, at, min(at + PART, end)) for at in range(0, end, PART)]))


class Hashing:
    """The hash of each part of a file, worked out by another thread while the file is read; `known` are the first.

    A context, which ends the thread.
    """

    def __init__(self, path: Path, size: int, hashes: Hashes, known: tuple[str, ...] = ()) -> None:
        self._path, self._known = path, known
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="readback-hash")
        starts = range(len(known) * PART, size - PART + 1, PART)
        self._made: list[Future[str]] = [self._threads.submit(hashes.of_part, path, at, at + PART) for at in starts]

    def __enter__(self) -> Hashing:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)

    def up_to(self, end: int) -> tuple[str, ...]:
        """Those of the bytes before `end`. Raises OSError."""
        whole = [*self._known, *(one.result() for one in self._made)][: end // PART]
        rest = [checksum.of_part(self._path, len(whole) * PART, end)] if end % PART else []
        return (*whole, *rest)


def packed(numbers: array[int] | bytes | bytearray) -> str:
    """Numbers as a JSON value, in few letters where they are alike."""
    return base64.b64encode(zlib.compress(bytes(numbers), 1)).decode("ascii")


def unpacked(text: str) -> bytes:
    """The bytes of numbers that were packed."""
    return zlib.decompress(base64.b64decode(text))
