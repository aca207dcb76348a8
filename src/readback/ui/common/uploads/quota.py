"""How much uploads may take: of one browser, and of all together; and what they take now."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from readback.readers.files.cache_folder import OWNER, entries_of_uploads, uploads
from readback.words import t

EACH, ALL = "READBACK_UPLOADS_EACH", "READBACK_UPLOADS_ALL"  # MiB
USUAL = {EACH: 1_536, ALL: 8_192}
BLOCK = 4_096  # bytes that the smallest file takes on a disk


class NoRoom(Exception):  # noqa: N818 - an outcome to say in one sentence
    """Nothing of an upload was kept; the text says which limit it met, and the setting's name."""


def limit(setting: str) -> int:
    """Answer a limit in bytes: the setting's, or the usual one where it is no whole number above 0."""
    value = os.environ.get(setting, "").strip()
    return (int(value) if value.isdecimal() and int(value) else USUAL[setting]) << 20


def room(whose: str) -> tuple[int, str]:
    """Answer how many bytes this browser may still upload, and the setting that limits it. Raises NoRoom where that is
    nothing.
    """
    own, every = used(whose)
    left = min((limit(EACH) - own, EACH), (limit(ALL) - every, ALL))
    if left[0] <= 0:
        raise NoRoom(why(left[1]))
    return left


def check(whose: str) -> None:
    """Check what lies there, an upload that has just been written with it. Raises NoRoom."""
    own, every = used(whose)
    for setting, size in ((EACH, own), (ALL, every)):
        if size > limit(setting):
            raise NoRoom(why(setting))


def why(setting: str) -> str:
    """Say which limit was met: that of one browser, or that of all uploads."""
    return t("open.no_room_each" if setting == EACH else "open.no_room_all", size=limit(setting) >> 20, setting=setting)


def used(whose: str) -> tuple[int, int]:
    """Answer the bytes that the uploads of one browser take, and those of all: what is being written and what is kept
    in the cache about their files (indexes, unpacked rows) included.
    """
    own = every = 0
    indexed = _indexed()
    for folder in _folders():
        size = sum(_sizes(folder)) + indexed.get(folder.name, 0)
        every += size
        if _owner(folder) == whose:
            own += size
    return own, every


def _indexed() -> Counter[str]:
    """Answer the bytes in the cache by the name of the upload's folder."""
    sizes: Counter[str] = Counter()
    try:
        for entry, name in entries_of_uploads():
            sizes[name] += sum(_sizes(entry))
    except OSError:  # the cache is gone or cannot be read: then it keeps nothing of them
        return sizes
    return sizes


def _folders() -> list[Path]:
    try:
        return [folder for folder in uploads().iterdir() if folder.is_dir()]
    except OSError:
        return []


def _sizes(folder: Path) -> Iterator[int]:
    for at, folders, files in os.walk(folder):
        yield BLOCK * (1 + len(folders))
        for name in files:
            try:
                status = Path(at, name).lstat()
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode):
                yield -(-status.st_size // BLOCK) * BLOCK


def _owner(folder: Path) -> str:
    try:
        return (folder / OWNER).read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return ""
