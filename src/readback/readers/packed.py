"""Unpack gzip into a file, never more of it than a budget."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from readback.types import Diagnostic, Location

BUDGET = 2 << 30  # bytes that come out: 20 MB of gzip can hold 20 GB
CHUNK = 1 << 20
GZIP = 31  # zlib: a gzip header, the largest window


def unpack(path: Path, out: BinaryIO, file: str, budget: int = BUDGET) -> Iterator[int | Diagnostic]:
    """Write what `path` holds to `out`; yields how many bytes of `path` were read, and a Diagnostic at an early end.

    What came out before a fault is kept. Raises OSError when the file cannot be read or `out` not written.
    """
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
