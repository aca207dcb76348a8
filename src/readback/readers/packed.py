"""Unpack gzip into a file, never more of it than a budget."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from readback.types import Diagnostic, Location

BUDGET = 2 << 30  # bytes that come out: 20 MB of gzip can hold 20 GB
RATIO = 200  # times the bytes of the file, where that is less: rows of text are packed to a tenth, rarely a fiftieth
LEAST = 64 << 20  # bytes that may come out of any file, for small files of equal rows are packed well
CHUNK = 1 << 20
GZIP = 31  # zlib: a gzip header, the largest window


def budget_of(size: int) -> int:
    """Return how many bytes may come out of a packed file of that size."""
    return min(BUDGET, max(LEAST, RATIO * size))


def unpack(path: Path, out: BinaryIO, file: str, budget: int | None = None) -> Iterator[int | Diagnostic]:
    """Write what `path` holds to `out`; yields how many bytes of `path` were read, and a Diagnostic at an early end.

    Without a `budget` so much comes out as `budget_of` allows.

    What came out before a fault is kept. Raises OSError when the file cannot be read or `out` not written.
    """
    if budget is None:
        budget = budget_of(path.stat().st_size)
    left = budget
    packer = zlib.decompressobj(wbits=GZIP)
    with path.open("rb") as source:
        data = source.read(CHUNK)
        while data:
            try:
                text = packer.decompress(data, CHUNK)
            except zlib.error as error:
                yield Diagnostic("dat-bad-line", {"reason": f"not gzip from here on ({error})"}, Location(file=file))
                return
            out.write(text[:left])
            left -= len(text)
            if left < 0:
                yield Diagnostic("dat-limit", {"what": "unpacked bytes", "limit": budget}, Location(file=file))
                return
            data = packer.unconsumed_tail or packer.unused_data.lstrip(b"\0") or source.read(CHUNK)
            if packer.eof and data:  # gzip files may be joined, and padded with zeros
                packer = zlib.decompressobj(wbits=GZIP)
            yield source.tell()
    if not packer.eof:
        yield Diagnostic("dat-bad-line", {"reason": "the packed data end too early"}, Location(file=file))
