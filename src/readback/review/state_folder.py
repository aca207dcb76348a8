"""Where reviews are kept: one file for each workspace in the server's own private folder, and nowhere else.

What somebody uploads or opens never lies there, so no file of a stranger is ever opened as a review.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Collection, Iterable
from pathlib import Path

from readback.readers.files import cache_folder, copies
from readback.readers.files.paths import format_relative, list_inside, resolve
from readback.review.event import NotSaved

REMOTE = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "glusterfs", "fuse.sshfs", "fuse.glusterfs", "afs")
MOUNTS = Path("/proc/self/mountinfo")
UPLOADS = "uploads"  # the folder below for reviews of uploads, each of which goes with its upload
ENDING = ".sqlite3"
LEFT = (
    2 * 24 * 60 * 60
)  # seconds after which the review of an upload that is gone goes, too: an upload stays for one day


def find_folder() -> Path:
    """READBACK_STATE, else ~/.local/state/readback."""
    return Path(os.environ.get("READBACK_STATE") or Path.home() / ".local" / "state" / "readback")


def find_file(root: Path) -> Path:
    """Return the path of the review of the workspace in `root`, whether the file exists or not."""
    real = os.path.realpath(root)
    if (upload := cache_folder.upload_of(Path(real))) is not None:
        return find_folder() / UPLOADS / f"{upload}.{_format_name(real)}"
    return find_folder() / _format_name(
        copies.find_origin(root) or real
    )  # each state of an address has a folder of its own


def _format_name(real: str) -> str:
    return f"{hashlib.sha256(os.fsencode(real)).hexdigest()[:16]}{ENDING}"


def is_inside(file: Path) -> bool:
    """Return whether a file lies where reviews are kept: in the state folder itself, or in its folder for uploads."""
    there = os.path.realpath(file.parent)
    return there in (os.path.realpath(find_folder()), os.path.realpath(find_folder() / UPLOADS))


def forget_upload(upload: str) -> None:
    """Remove the review of an upload that is deleted, by the name of the upload's folder."""
    _remove_files(file for file in _list_uploads() if file.name.partition(".")[0] == upload)


def forget_uploads_but(there: Collection[str]) -> None:
    """Remove reviews of uploads that are no longer there and that nobody wrote in for two days."""
    for file in _list_uploads():
        with contextlib.suppress(OSError):
            if file.name.partition(".")[0] not in there and time.time() - file.stat().st_mtime > LEFT:
                _remove_files((file,))


def _list_uploads() -> list[Path]:
    return sorted((find_folder() / UPLOADS).glob(f"{cache_folder.UPLOAD}*"))


def _remove_files(files: Iterable[Path]) -> None:
    for file in files:
        with contextlib.suppress(OSError):
            file.unlink()


def prepare_folder(file: Path) -> None:
    """Make the folder of a review's file, readable by us alone. Raises NotSaved where reviews cannot be kept there."""
    home = file.parent
    try:
        find_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_inside(file):
            home.chmod(0o700)
        kind = _find_file_system(home)
    except OSError as error:
        raise NotSaved(
            f"no review can be kept in {home}: {(error.strerror or str(error)).lower()}; let READBACK_STATE "
            f"name a folder that can be written to"
        ) from None
    if kind in REMOTE:
        raise NotSaved(
            f"{home} lies on a network file system ({kind}), where SQLite loses data; let READBACK_STATE "
            f"name a folder on a disk of this machine"
        )


def _find_file_system(home: Path) -> str:
    """Return the kind of file system that a folder lies on; "" where nothing says it."""
    try:
        lines = MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    real, mount = os.path.realpath(home), ("", "")
    for line in lines:
        before, _, after = line.partition(" - ")
        point = before.split(" ")[4].encode().decode("unicode_escape")
        if (real == point or real.startswith(point.rstrip("/") + "/")) and len(point) >= len(mount[0]):
            mount = (point, after.split(" ")[0])
    return mount[1]


FILES = 50  # files that are remembered
BEGINNING = 64 << 10  # bytes of each of them
SHARE = 0.5  # of the remembered files that have to be there as they were


def describe_content(root: Path) -> str:
    """List the first files of a folder, each with a digest of its size and its beginning, as JSON."""
    files = list_inside(root).files[:FILES]
    digests = {format_relative(root, path): digest for path in files if (digest := _digest_file(path))}
    return json.dumps(digests, ensure_ascii=True, separators=(",", ":"), sort_keys=True)


def has_same_content(root: Path, described: str | None) -> bool | None:
    """Return whether most of the files that were described are in a folder as they were; None where nothing was
    described.
    """
    try:
        if described:
            there = json.loads(described)
        else:
            there = None
    except (ValueError, RecursionError):
        there = None
    if not isinstance(there, dict) or not there:
        return None
    own = [name for name in list(there)[:FILES] if isinstance(resolve(root, name), Path)]
    return bool(sum(_digest_file(root / name) == there[name] for name in own) >= SHARE * len(there))


def _digest_file(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            beginning = file.read(BEGINNING)
        return hashlib.sha256(b"%d " % path.stat().st_size + beginning).hexdigest()[:24]
    except (OSError, ValueError):
        return None
