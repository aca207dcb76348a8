"""A file that is there whole or not at all: written beside its place, and given its name at the end."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A stream whose bytes are at `path` once the block has ended without an exception; else nothing has changed.

    What `path` links to is replaced and not the link, and an existing file keeps its permissions. What is no ordinary
    file (a pipe, a device) is written to directly. Raises OSError.
    """
    target = Path(os.path.realpath(path))
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        with target.open("wb") as out:
            yield out
        return
    with ExitStack() as undo:
        number, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
        undo.callback(_gone, name)
        with os.fdopen(number, "wb") as out:
            yield out
            out.flush()
            os.fsync(number)  # a disk that is full may say so only now, and the old file is still there
            os.fchmod(number, stat.S_IMODE(mode) if mode is not None else _usual())
        Path(name).replace(target)
        undo.pop_all()


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A stream to a file that is not there yet; after an exception, as where the disk is full, it is not there either.
    Raises FileExistsError where it is, and other OSErrors.
    """
    with path.open("xb") as out:
        try:
            yield out
            out.flush()
            os.fsync(out.fileno())
        except BaseException:
            _gone(str(path))
            raise


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _gone(name: str) -> None:
    with suppress(OSError):
        Path(name).unlink()


def _usual() -> int:
    """The permissions of a new file."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
