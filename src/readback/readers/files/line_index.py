"""Where the lines of a file are, so that one line of a large file is shown without reading the others.

For each block of the file the index has how many lines end before the block does, and a hash of its bytes. A line is
looked for in the one block in which it begins, and what is read there is believed only if it is what was counted.
"""

from __future__ import annotations

import json
import os
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from readback.readers.files import cache_folder, checksum
from readback.readers.files.checksum import state

BLOCK = 1 << 20  # bytes
DIGEST = 32  # bytes of a block's BLAKE3
LINES = "lines.bin"  # how many lines end, as int64, for each block; then the digests; then a checksum
VERSION = "1"
END = ord("\n")


class Changed(Exception):  # noqa: N818 - an outcome to say, and nobody's mistake
    """The file is not what was indexed any more."""


@dataclass(frozen=True, slots=True)
class LineIndex:
    """Of one file: `ends` counts the LF up to the end of each block, `digests` are those of the blocks, in one."""

    path: Path
    ends: array[int]
    digests: bytes

    def line(self, number: int, longest: int) -> bytes | None:
        """Return the line of that number (from 1) with its line end; None where there is none or it is longer. Raises
        Changed, and OSError.
        """
        with self.path.open("rb", buffering=0) as file:
            start = self._begin(file.fileno(), number)
            if start is None:
                return None
            block, at = start
            pieces, size = list[bytes](), 0
            while block < len(self.ends) and size <= longest:
                piece = self._block(file.fileno(), block)[at:]
                end = piece.find(b"\n") + 1
                pieces.append(piece[: end or None])
                size += len(pieces[-1])
                if end:
                    break
                block, at = block + 1, 0
        if 0 < size <= longest:
            return b"".join(pieces)
        return None

    def _begin(self, file: int, number: int) -> tuple[int, int] | None:
        """Return the block in which a line begins, and its first byte there; None where there is no such line."""
        before = number - 1  # line ends
        if not before:
            return 0, 0
        block = bisect_left(self.ends, before)
        if block == len(self.ends) or before < 0:
            return None
        content, at = self._block(file, block), -1
        for _ in range(before - (self.ends[block - 1] if block else 0)):
            at = content.find(b"\n", at + 1)
        if at + 1 < len(content):
            return (block, at + 1)
        return (block + 1, 0)

    def _block(self, file: int, number: int) -> bytes:
        content = os.pread(file, BLOCK, number * BLOCK)
        if checksum.start_hash(content).digest() != self.digests[number * DIGEST : (number + 1) * DIGEST]:
            raise Changed(f"{self.path}: its bytes from {number * BLOCK} on are others")
        return content


def load_index(path: Path) -> LineIndex:
    """Load the index of a file as it is now; build and store it where there is none yet. Raises Changed, OSError and
    DiskFull.
    """
    with cache_folder.room():
        entry = cache_folder.entry(path, LINES, VERSION)
    if stored := _read(path, entry / LINES):
        return stored
    before = state(path)
    index = read(path)
    if state(path) != before:
        raise Changed(f"{path}: it is written to")
    with cache_folder.room():
        folder = cache_folder.fresh(entry)
        try:
            with (folder / LINES).open("wb") as out:
                checksum.write(out, [index.ends.tobytes(), index.digests])
            (folder / cache_folder.ABOUT).write_text(json.dumps({"path": str(path)}), "utf-8")
            cache_folder.keep(folder, entry)
        except OSError:
            cache_folder.drop(folder)
            if not entry.exists():  # else somebody was quicker
                raise
    return index


def read(path: Path) -> LineIndex:
    """Build the index of a file from its first byte to its last. Raises OSError."""
    import numpy as np  # not with the command line, which hardly ever asks

    ends, digests, block, count = array("q"), bytearray(), bytearray(BLOCK), 0
    letters, view = np.frombuffer(block, np.uint8), memoryview(block)
    with path.open("rb", buffering=0) as raw, BufferedReader(raw) as file:  # which fills each block, and copies none
        while size := file.readinto(block):
            count += int(np.count_nonzero(letters[:size] == END))
            ends.append(count)
            digests += checksum.start_hash(view[:size]).digest()
    return LineIndex(path, ends, bytes(digests))


def _read(path: Path, index_file: Path) -> LineIndex | None:
    try:
        whole = checksum.strip_checksum(index_file.read_bytes())
    except OSError:
        return None
    if whole is None:
        return None
    blocks = len(whole) // (array("q").itemsize + DIGEST)
    ends = array("q")
    ends.frombytes(whole[: blocks * ends.itemsize])
    return LineIndex(path, ends, bytes(whole[blocks * ends.itemsize :]))
