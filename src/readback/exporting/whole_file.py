"""Write files that exist whole or not at all: under another name, and renamed at the end."""

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
    """Yield a stream whose bytes are at `path` once the block ends without an exception; else nothing changes.

    What `path` links to is replaced and not the link, and an existing file keeps its permissions. What is not a regular
    file (a pipe, a device) is written to directly. Raises OSError.
    """
    target = Path(os.path.realpath(path))
    mode = _read_mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        with target.open("wb") as out:
            yield out
        return
    with ExitStack() as undo:
        number, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
        undo.callback(_delete, name)
        with os.fdopen(number, "wb") as out:
            yield out
            out.flush()
            os.fsync(number)  # a full disk may show only now, and the old file still exists
            os.fchmod(number, _choose_new_mode() if mode is None else stat.S_IMODE(mode))
        Path(name).replace(target)
        undo.pop_all()


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a stream to a new file; after an exception, such as a full disk, the file does not exist.

    Raises FileExistsError where it exists already, and other OSErrors.
    """
    with path.open("xb") as out:
        try:
            yield out
            out.flush()
            os.fsync(out.fileno())
        except BaseException:
            _delete(str(path))
            raise


def _read_mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _delete(name: str) -> None:
    with suppress(OSError):
        Path(name).unlink()


def _choose_new_mode() -> int:
    """Return the permissions of a new file."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
