"""Uploaded files: kept in a folder of an unguessable name, for the browser that sent them, for a day."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO

from readback.types import Note, Place

DAY = 24 * 60 * 60
WHOLE = 1 << 30  # bytes in one upload, unpacked; the server's own limit is for each file
COUNT = 2_000  # files in one upload, as many as a folder is searched for
DEPTH = 16  # folders inside an upload
LINK = 0o120000  # how a zip says that a member is a symbolic link
PREFIX = "upload-"


def home() -> Path:
    """Where uploads lie: READBACK_UPLOADS, else in the cache folder (READBACK_CACHE or ~/.cache/readback)."""
    cache = os.environ.get("READBACK_CACHE") or Path.home() / ".cache" / "readback"
    return Path(os.environ.get("READBACK_UPLOADS") or Path(cache) / "uploads")


def owner(secret: str) -> str:
    """What is written beside an upload to know its browser again: a hash, so that a file gives no cookie away."""
    return hashlib.sha256(b"readback upload owner\0" + secret.encode()).hexdigest()


def save(files: Iterable[tuple[str, BinaryIO]], whose: str) -> tuple[str, tuple[Note, ...]]:
    """Keep the files (name with posix path, content) and answer the upload's id; zip files are unpacked.

    Names that lead outside, links, and what is beyond the limits are left out, each with a note.
    """
    sweep()
    token = PREFIX + secrets.token_urlsafe(18)
    folder = home() / token
    given = list(files)
    folder.mkdir(parents=True, mode=0o700)
    content = folder / _title(given)
    content.mkdir()
    (folder / ".owner").write_text(whose, "ascii")
    return token, tuple(_keep(content, given))


def path(token: str, whose: str) -> Path | None:
    """The folder of an upload, or None when there is none of that name for this browser."""
    if not token.startswith(PREFIX) or "/" in token or "\\" in token or "." in token:
        return None
    folder = home() / token
    try:
        mine = secrets.compare_digest((folder / ".owner").read_text("ascii"), whose)
    except OSError:
        return None
    return next((inner for inner in folder.iterdir() if inner.is_dir()), None) if mine and not _old(folder) else None


def mine(whose: str) -> tuple[str, ...]:
    """The ids of this browser's uploads, the newest first."""
    here = [entry.name for entry in home().glob(PREFIX + "*") if path(entry.name, whose)]
    return tuple(sorted(here, key=lambda token: -(home() / token).stat().st_mtime))


def delete(token: str, whose: str) -> None:
    """Delete an upload now."""
    if path(token, whose):
        shutil.rmtree(home() / token, ignore_errors=True)


def sweep() -> None:
    """Delete the uploads of yesterday."""
    for entry in home().glob(PREFIX + "*"):
        if _old(entry):
            shutil.rmtree(entry, ignore_errors=True)


def _old(folder: Path) -> bool:
    try:
        return time.time() - folder.stat().st_mtime > DAY
    except OSError:
        return True


def _title(files: list[tuple[str, BinaryIO]]) -> str:
    """What the workspace is called by: the folder, or the first file, that was sent; in harmless characters."""
    first = files[0][0].replace("\\", "/").lstrip("/").split("/")[0] if files else ""
    return re.sub(r"[^\w-]+", "_", first.partition(".")[0])[:60].strip("_") or "files"


def _keep(folder: Path, files: Iterable[tuple[str, BinaryIO]]) -> Iterator[Note]:
    room = WHOLE
    for count, (name, opened) in enumerate(_members(files), 1):
        target = _inside(folder, name)
        if count > COUNT:
            yield Note("dat-limit", {"what": "an upload", "limit": f"{COUNT} files"}, flagged="count")
            return
        if target is None or target.exists():
            yield Note("dat-path-outside", {"path": name}, Place(file=name), flagged=name)
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with opened() as source, target.open("wb") as out:
                room -= _copy(source, out, room)
        except OSError as error:  # a name that this disk cannot have, or a file where a folder should be
            reason = (error.strerror or "it cannot be kept").lower()
            yield Note("dat-file-missing", {"path": name, "reason": reason}, Place(file=name), flagged=name)
            continue
        if room < 0:
            target.unlink()
            yield Note("dat-too-large", {"size": f"more than {WHOLE}", "limit": WHOLE}, Place(file=name), flagged=name)
            return


def _members(files: Iterable[tuple[str, BinaryIO]]) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    """Every file by name, with what opens it; a zip file is its members, without folders and links."""
    for name, content in files:
        if not (name.lower().endswith(".zip") and zipfile.is_zipfile(content)):
            content.seek(0)
            yield name, partial(nullcontext, content)  # type: ignore[misc]
            continue
        with zipfile.ZipFile(content) as archive:
            for info in archive.infolist():
                if not info.is_dir() and (info.external_attr >> 16) & 0o170000 != LINK:
                    yield info.filename, partial(archive.open, info)


def _inside(folder: Path, name: str) -> Path | None:
    """Where a name leads below the folder, or None when it leads elsewhere."""
    parts = [part for part in name.replace("\\", "/").split("/") if part != "."]
    wrong = not parts or any(part in ("", "..") or ":" in part or "\0" in part or len(part) > 200 for part in parts)
    return None if wrong or len(parts) > DEPTH else folder.joinpath(*parts)


def _copy(source: IO[bytes], out: IO[bytes], room: int) -> int:
    """Copy until one byte too many; the declared sizes of a zip are not believed."""
    size = 0
    while size <= room and (block := source.read(1 << 20)):
        size += out.write(block)
    return size
