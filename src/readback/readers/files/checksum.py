"""Tell whether a file is what it was: its state (size, time, edges), and checksums of what is kept between runs."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, NamedTuple

from blake3 import blake3

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
    if len(content) >= SIZE and compute_digest(body) == bytes(content[-SIZE:]):
        return body
    return None


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


SETTLED_AFTER = 100_000_000  # ns after which the clock of a usual file system has gone on
_hashed: dict[tuple[int, int], tuple[tuple[int, int, int], str]] = {}


def hash_file(path: Path) -> str:
    """Return the BLAKE3 of a file in hex, worked out once as long as the system says that nothing of it has changed.

    For a file of our own that is opened again and again, against damage, not against whoever can set the clock.
    Raises OSError.
    """
    key, about = _identify(path)
    entry = _hashed.get(key)
    if entry is not None and entry[0] == about:
        return entry[1]
    hasher = start_hash()
    with path.open("rb", buffering=0) as file:
        while block := file.read(BLOCK):
            hasher.update(block)
    digest = hasher.hexdigest()
    if _identify(path) == (key, about) and time.time_ns() - about[2] >= SETTLED_AFTER:
        if len(_hashed) >= KEPT:
            _hashed.clear()
        _hashed[key] = about, digest
    return digest


def _identify(path: Path) -> tuple[tuple[int, int], tuple[int, int, int]]:
    """Return which file it is, and its size, its time, and the time of the last change of anything about it."""
    status = path.stat()
    return (status.st_dev, status.st_ino), (status.st_size, status.st_mtime_ns, status.st_ctime_ns)


EDGE = 16 << 10  # bytes at each end that are hashed; a file of twice that is hashed whole
CERTAIN_AFTER = 2_000_000_000  # ns after which the system's clock for files has surely gone on (2 s on FAT, else less)
KEPT = 8_192  # files whose hash a process remembers


class State(NamedTuple):
    """A file as it was at one moment. A copy that keeps its time gets another `inode`, a rewrite of one byte does not.

    Size and time alone are not enough: a program can write as many bytes and set the time back, two writes can fall
    into one tick of the clock, and an unpacked archive brings its own times.
    """

    size: int
    time: int  # of the last change, in ns, as the file says
    inode: int
    content: str  # "" for what is not a file or may not be read


class _Remembered(NamedTuple):
    about: tuple[int, int, int]  # size, time, and the time of the last change of anything, which nobody can set
    at: int
    content: str


_remembered: dict[tuple[int, int], _Remembered] = {}


def state(file: Path | str | int) -> State:
    """Return the state of a file, by its path or its open descriptor. Raises OSError where there is none.

    It is read again only if the system says that something of it changed, or may not have had the time to say so:
    some microseconds for a known file, some tens for one that is read.
    """
    status = os.stat(file)  # noqa: PTH116 - a path or a descriptor
    about = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    key = (status.st_dev, status.st_ino)
    entry = _remembered.get(key)
    if entry is None or entry.about != about or entry.at - status.st_ctime_ns < CERTAIN_AFTER:
        now = time.time_ns()
        if stat.S_ISREG(status.st_mode):
            content = _hash_edges(file, status.st_size)
        else:
            content = ""
        if len(_remembered) >= KEPT:
            _remembered.clear()
        entry = _remembered[key] = _Remembered(about, now, content)
    return State(status.st_size, status.st_mtime_ns, status.st_ino, entry.content)


def _hash_edges(file: Path | str | int, size: int) -> str:
    """Hash a file's first and last bytes; "" for a file that cannot be read."""
    try:
        if isinstance(file, int):
            handle = file
        else:
            handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        head = os.pread(handle, 2 * EDGE if size <= 2 * EDGE else EDGE, 0)
        if size > 2 * EDGE:
            tail = os.pread(handle, EDGE, size - EDGE)
        else:
            tail = b""
    except OSError:
        return ""
    finally:
        if handle is not file:
            os.close(handle)
    return hashlib.blake2b(head + tail, digest_size=12).hexdigest()
