"""What tells one state of a file from another: its size, its time, and a hash of how it begins and ends."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path
from typing import NamedTuple

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
        content = _hash_edges(file, status.st_size) if stat.S_ISREG(status.st_mode) else ""
        if len(_remembered) >= KEPT:
            _remembered.clear()
        entry = _remembered[key] = _Remembered(about, now, content)
    return State(status.st_size, status.st_mtime_ns, status.st_ino, entry.content)


def _hash_edges(file: Path | str | int, size: int) -> str:
    """Hash a file's first and last bytes; "" for a file that cannot be read."""
    try:
        handle = file if isinstance(file, int) else os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        head = os.pread(handle, 2 * EDGE if size <= 2 * EDGE else EDGE, 0)
        tail = os.pread(handle, EDGE, size - EDGE) if size > 2 * EDGE else b""
    except OSError:
        return ""
    finally:
        if handle is not file:
            os.close(handle)
    return hashlib.blake2b(head + tail, digest_size=12).hexdigest()
