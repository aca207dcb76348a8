"""The checksum of what is kept on disk between runs: damaged bytes are made again from their source, never believed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

from blake3 import blake3

from readback.readers.file_state import State, state

SIZE = 16  # bytes
PART = 64 << 20  # bytes of a file that are hashed by one thread
BLOCK = 1 << 20  # bytes that are read at once


def compute_digest(content: bytes | memoryview) -> bytes:
    """16 bytes of BLAKE2b over the content (RFC 7693): a change that nobody means is found, whatever it is."""
    return hashlib.blake2b(content, digest_size=SIZE).digest()


def compute_file_digest(path: Path) -> str:
    """Return the same checksum over a file's bytes, in hex. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=SIZE)).hexdigest()


def write(file: BinaryIO, pieces: Iterable[bytes | memoryview]) -> None:
    """Write content that comes in pieces, and its checksum behind it. Raises OSError."""
    hasher = hashlib.blake2b(digest_size=SIZE)
    for piece in pieces:
        hasher.update(piece)
        file.write(piece)
    file.write(hasher.digest())


def strip_checksum(content: bytes | memoryview) -> bytes | memoryview | None:
    """Return what stands before the checksum at the end of the content; None where the checksum does not match."""
    body = content[:-SIZE]
    return body if len(content) >= SIZE and compute_digest(body) == bytes(content[-SIZE:]) else None


# Of what somebody else wrote: a cryptographic hash, for it decides whether a file still holds what it held. BLAKE3 is
# three times as fast as SHA-256, which counts where whole files are hashed (docs/decisions/0042).


def start_hash(begin: bytes | memoryview = b"") -> blake3:
    """Start a BLAKE3 hash of content that comes in pieces with the first one; use `update` and `hexdigest`."""
    return blake3(begin)


class Hashes:
    """The hashes (`of_part`) of parts of files, each worked out once, as long as the file's state stays what it was.

    Of one piece of work, which looks whether files have changed before and after it: a later one believes no state.
    Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._digests: dict[tuple[Path, State, int, int], str] = {}

    def hash_parts(self, parts: Sequence[tuple[Path, int, int]]) -> list[str]:
        """Of parts, each a path, its first byte and the byte after its last. Raises OSError."""
        with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="readback-hash") as threads:
            return list(threads.map(lambda part: self.hash_part(*part), parts))

    def hash_part(self, path: Path, start: int, end: int) -> str:
        """Of one part, which ends earlier where the file does. Raises OSError."""
        key = (path, state(path), start, end)
        if (digest := self._digests.get(key)) is not None:
            return digest
        digest = hash_part(path, start, end)
        if state(path) == key[1]:
            self._digests[key] = digest
        return digest


def hash_part(path: Path, start: int, end: int) -> str:
    """Return the BLAKE3 of one part in hex; the part ends earlier where the file does. Other threads run meanwhile."""
    hasher = start_hash()
    with path.open("rb", buffering=0) as file:
        file.seek(start)
        left = end - start
        while left and (block := file.read(min(BLOCK, left))):
            hasher.update(block)
            left -= len(block)
    return hasher.hexdigest()
