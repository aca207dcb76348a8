"""Where reviews are kept: one file for each workspace in the server's own private folder, and nowhere else.

What somebody uploads or opens never lies there, so no file of a stranger is ever opened as a review.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Collection, Iterable
from pathlib import Path

from readback.readers import by_address, cache_folder
from readback.review.event import NotSaved

REMOTE = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "glusterfs", "fuse.sshfs", "fuse.glusterfs", "afs")
MOUNTS = Path("/proc/self/mountinfo")
UPLOADS = "uploads"  # the folder below for reviews of uploads, each of which goes with its upload
ENDING = ".sqlite3"
LEFT = (
    2 * 24 * 60 * 60
)  # seconds after which the review of an upload that is gone goes, too: an upload stays for one day


def folder() -> Path:
    """READBACK_STATE, else ~/.local/state/readback."""
    return Path(os.environ.get("READBACK_STATE") or Path.home() / ".local" / "state" / "readback")


def place(root: Path) -> Path:
    """The file of the review of the workspace in `root`, whether it is there or not."""
    real = os.path.realpath(root)
    if (upload := cache_folder.upload_of(Path(real))) is not None:
        return folder() / UPLOADS / f"{upload}.{_name(real)}"
    return folder() / _name(by_address.find_origin(root) or real)  # each state of an address has a folder of its own


def _name(real: str) -> str:
    return f"{hashlib.sha256(os.fsencode(real)).hexdigest()[:16]}{ENDING}"


def holds(file: Path) -> bool:
    """Whether a file lies where reviews are kept: in the state folder itself, or in its folder for uploads."""
    there = os.path.realpath(file.parent)
    return there in (os.path.realpath(folder()), os.path.realpath(folder() / UPLOADS))


def forget_upload(upload: str) -> None:
    """Remove the review of an upload that is deleted, by the name of the upload's folder."""
    _remove(one for one in _of_uploads() if one.name.partition(".")[0] == upload)


def forget_uploads_but(there: Collection[str]) -> None:
    """Remove reviews of uploads that are no longer there and that nobody wrote in for two days."""
    for one in _of_uploads():
        with contextlib.suppress(OSError):
            if one.name.partition(".")[0] not in there and time.time() - one.stat().st_mtime > LEFT:
                _remove((one,))


def _of_uploads() -> list[Path]:
    return sorted((folder() / UPLOADS).glob(f"{cache_folder.UPLOAD}*"))


def _remove(files: Iterable[Path]) -> None:
    for one in files:
        with contextlib.suppress(OSError):
            one.unlink()


def prepared(file: Path) -> None:
    """Make the folder of a review's file, readable by us alone. Raises NotSaved where reviews cannot be kept there."""
    home = file.parent
    try:
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if holds(file):
            home.chmod(0o700)
        kind = _kind(home)
    except OSError as error:
        raise NotSaved(f"no review can be kept in {home}: {(error.strerror or str(error)).lower()}; let READBACK_STATE "
                       f"name a folder that can be written to") from None  # fmt: skip
    if kind in REMOTE:
        raise NotSaved(f"{home} lies on a network file system ({kind}), where SQLite loses data; let READBACK_STATE "
                       f"name a folder on a disk of this machine")  # fmt: skip


def _kind(home: Path) -> str:
    """The kind of file system that a folder lies on; "" where nothing says it."""
    try:
        lines = MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    real, found = os.path.realpath(home), ("", "")
    for line in lines:
        before, _, after = line.partition(" - ")
        point = before.split(" ")[4].encode().decode("unicode_escape")
        if (real == point or real.startswith(point.rstrip("/") + "/")) and len(point) >= len(found[0]):
            found = (point, after.split(" ")[0])
    return found[1]
