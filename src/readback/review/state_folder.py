"""Where reviews are kept: one file for each workspace in a private folder, or in the upload that it is about."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from readback.readers import by_address, cache_folder
from readback.review.event import NotSaved

REMOTE = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "glusterfs", "fuse.sshfs", "fuse.glusterfs", "afs")
MOUNTS = Path("/proc/self/mountinfo")
UPLOADED = ".review.sqlite3"  # in an upload's folder, so that it goes with it


def folder() -> Path:
    """READBACK_STATE, else ~/.local/state/readback."""
    return Path(os.environ.get("READBACK_STATE") or Path.home() / ".local" / "state" / "readback")


def place(root: Path) -> Path:
    """The file of the review of the workspace in `root`, whether it is there or not."""
    real = os.path.realpath(root)
    if cache_folder.uploaded(root):
        return Path(real) / UPLOADED
    real = by_address.origin(root) or real  # each state that an address is in has a folder of its own
    return folder() / f"{hashlib.sha256(os.fsencode(real)).hexdigest()[:16]}.sqlite3"


def prepared(file: Path) -> None:
    """Make the folder of a review's file, readable by us alone. Raises NotSaved where reviews cannot be kept there."""
    home = file.parent
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if home == folder():
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
