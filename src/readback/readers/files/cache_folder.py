"""Where indexes and unpacked files lie between runs: a private folder, one entry for each file and its reading."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.readers.files.checksum import state

PAUSE = 0.05  # seconds between two looks at a lock
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # the last: more than a process may write into one file
ABOUT = "about.json"  # the file of an entry that says what it is of; written last
TIDIED = ".tidied"  # touched when somebody begins to remove what is of no use any more
EVERY = 3_600  # seconds until somebody does so again
UPLOAD = "upload-"  # how the folder of an upload is called, and
OWNER = ".owner"  # the file in it that says whose it is


class DiskFull(Exception):  # noqa: N818 - an outcome to say in one sentence, and nobody's mistake
    """There is no room left to write an index; the sentence names the folder and the way out."""


class NoFolder(DiskFull, PermissionError):  # noqa: N818
    """There is no folder at all to write an index to; the sentence names those that were tried and the way out."""


@contextlib.contextmanager
def room() -> Iterator[None]:
    """Turn OSError for a full disk into DiskFull while the cache is written to, so that no `except OSError` hides it.

    Not in a bounded child, which may write no file at all: what it lacks, its caller had, so that it has changed.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in FULL or sandbox.is_child():
            raise
        raise DiskFull(_describe_full_disk(error)) from error


def _describe_full_disk(error: OSError) -> str:
    parent, why = cache_folder().parent, (error.strerror or str(error)).lower()
    if error.errno == errno.EFBIG:
        return (
            f"a file in {parent} may not become as large as an index of the files has to be ({why}); "
            "raise the limit for one file (ulimit -f)"
        )
    return (
        f"the disk of {parent} is full ({why}), so no index of the files can be written there; "
        "free some space, or let READBACK_CACHE name a folder on another disk"
    )


def cache_folder(kind: str = "datasets") -> Path:
    """Return the private folder for entries of one kind, in READBACK_CACHE, ~/.cache/readback or a temporary folder.

    Raises NoFolder where none of these can be written to.
    """
    tried = []
    for place in _list_places():
        folder = place / kind
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if all(path.lstat().st_uid == os.getuid() for path in (place, folder)):  # else a trap in a shared folder
                folder.chmod(0o700)
                return folder
            tried.append(f"{place} (it is another account's)")
        except OSError as error:
            tried.append(f"{place} ({(error.strerror or str(error)).lower()})")
    raise NoFolder(
        f"there is no folder to keep indexes of the files in: {', '.join(tried)}; "
        "let READBACK_CACHE name a folder that can be written to"
    )


def uploads() -> Path:
    """Where uploads lie: READBACK_UPLOADS, else in the cache folder (READBACK_CACHE or ~/.cache/readback)."""
    cache = os.environ.get("READBACK_CACHE") or Path.home() / ".cache" / "readback"
    return Path(os.environ.get("READBACK_UPLOADS") or Path(cache) / "uploads")


def uploaded(path: Path) -> bool:
    """Whether a path lies in an upload: among those of now, or in a folder that was made for one."""
    real = Path(os.path.realpath(path))
    if real.is_relative_to(os.path.realpath(uploads())):
        return True
    return any(folder.name.startswith(UPLOAD) and os.path.lexists(folder / OWNER) for folder in (real, *real.parents))


def upload_of(real: Path) -> str | None:
    """Return the folder name of the upload in which a real path lies; None where it lies in no present upload."""
    home = Path(os.path.realpath(uploads()))
    if not real.is_relative_to(home) or real == home:
        return None
    name = real.relative_to(home).parts[0]
    if name.startswith(UPLOAD):
        return name
    return None


def _list_places() -> Iterator[Path]:
    if named := os.environ.get("READBACK_CACHE"):
        yield Path(named)
    else:
        with contextlib.suppress(RuntimeError):  # an account without a home
            yield Path.home() / ".cache" / "readback"
    # Asked for last: looking for a temporary folder writes a file, which a bounded child may not.
    yield Path(tempfile.gettempdir()) / f"readback-{os.getuid()}"


def entry(path: Path, settings: Any, version: str) -> Path:
    """Return the folder of the entry for the file as it is now, read with these settings. Raises OSError."""
    return cache_folder() / f"{_compute_digest([str(path), settings])}-{_compute_digest([version, *state(path)])}"


def _compute_digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=12).hexdigest()


def fresh(folder: Path) -> Path:
    """Create a new folder beside the entry, to be filled and then published by `keep`."""
    return Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))


@contextlib.contextmanager
def alone(folder: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Nobody else fills this entry meanwhile; while somebody does, `waiting` is called now and then and may raise."""
    lock = os.open(folder.parent / f".lock-{folder.name[:2]}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waiting()
                time.sleep(PAUSE)
        yield
    finally:
        os.close(lock)


def keep(staged: Path, folder: Path) -> None:
    """Give a filled folder its name, all at once; what was kept of earlier versions of the file goes."""
    for old in of_same_file(folder):
        drop(old)
    staged.rename(folder)
    if _is_tidying_due():
        tidy()


def of_same_file(folder: Path) -> list[Path]:
    """List the entries of all versions of the file that an entry is about, read with the same settings."""
    begins = f"{folder.name.partition('-')[0]}-"
    with contextlib.suppress(FileNotFoundError), os.scandir(folder.parent) as entries:
        return [Path(entry.path) for entry in entries if entry.name.startswith(begins)]
    return []


def drop(folder: Path) -> None:
    """Remove an entry, or one that was never finished."""
    shutil.rmtree(folder, ignore_errors=True)


def remove(entry: Path) -> None:
    """Remove what is kept under that name, a folder or a file."""
    if entry.is_dir():
        drop(entry)
    else:
        entry.unlink(missing_ok=True)


def entries_of_uploads() -> Iterator[tuple[Path, str]]:
    """Yield what is kept about files of uploads: the entry, and the name of the folder of its upload."""
    for folder, path in _iterate_entries():
        if name := upload_of(Path(os.path.realpath(path))):
            yield folder, name


def forget(below: Path) -> int:
    """Remove what is kept about files at or below a path (an upload that is deleted); answers how many entries."""
    gone = [folder for folder, path in _iterate_entries() if path == below or path.is_relative_to(below)]
    for folder in gone:
        drop(folder)
    return len(gone)


def _is_tidying_due() -> bool:
    """Whether nobody has tidied for an hour: a look at every entry takes longer than most files do to be indexed."""
    mark = cache_folder() / TIDIED
    with contextlib.suppress(OSError):
        if abs(time.time() - mark.stat().st_mtime) < EVERY:
            return False
    with contextlib.suppress(OSError):
        mark.touch(mode=0o600)
    return True


def tidy() -> int:
    """Remove entries whose file is no longer there, and what was begun a day ago and never finished."""
    gone = [folder for folder, path in _iterate_entries() if not path.exists()]
    for begun in cache_folder().glob(".new-*"):
        with contextlib.suppress(OSError):
            if begun.stat().st_mtime < time.time() - 86_400:
                gone.append(begun)
    for folder in gone:
        drop(folder)
    return len(gone)


def _iterate_entries() -> Iterator[tuple[Path, Path]]:
    for folder in cache_folder().iterdir():
        with contextlib.suppress(OSError, ValueError, KeyError):
            yield folder, Path(json.loads((folder / ABOUT).read_text("utf-8"))["path"])
