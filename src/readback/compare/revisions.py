"""Copy the files of a workspace as they were at a revision of git into the cache."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from readback.compare.git import Blob, Git
from readback.compare.side import SideError
from readback.readers.files import cache_folder
from readback.readers.files.bounded_diagnostics import as_json, from_json
from readback.readers.files.paths import is_git_folder
from readback.types import NOWHERE, Diagnostic

MAX_FILES = 20_000  # of one revision of a workspace
MAX_BYTES = 1 << 30
MAX_REVISIONS = 20  # revisions that stay in the cache
LFS = b"version https://git-lfs.github.com/spec/"
ABOUT = "about.json"
GONE = "at this revision "


@dataclass(frozen=True, slots=True)
class Revision:
    """Say where the files of a revision lie now, and what could not be copied of them."""

    path: Path
    diagnostics: tuple[Diagnostic, ...] = ()


def copy_revision(way: Path, rev: str) -> Revision:
    """Copy the folder or file `way` as it was at `rev`, once for each commit. Raises SideError.

    Objects are read from the repository as they are: nothing that it configures is run, no filter, hook or transport.
    """
    folder = way if way.is_dir() else way.parent
    with Git(folder) as git:
        commit, below = git.find_commit(rev), git.below
        home = cache_folder.cache_folder("revisions") / _make_key(git, commit)
        if not (home / ABOUT).is_file():
            _copy_commit(git, commit, below, rev, folder.name or "workspace", home)
    with contextlib.suppress(OSError):
        os.utime(home)  # used now: kept longest
    about = json.loads((home / ABOUT).read_text("utf-8"))
    diagnostics = tuple(from_json(diagnostic) for diagnostic in about["notes"])
    root = home / about["name"]
    return Revision(root if folder == way else root / way.name, diagnostics)


def _make_key(git: Git, commit: str) -> str:
    """Make a key of a commit in its repository: who knows a commit's id must not get another repository's copy."""
    key = f"{git.repository.common}\0{commit} {git.below}"
    return hashlib.blake2b(key.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _copy_commit(git: Git, commit: str, below: str, rev: str, name: str, home: Path) -> None:
    temporary = cache_folder.fresh(home)
    try:
        with cache_folder.room():
            diagnostics = [
                as_json(diagnostic) for diagnostic in _write_files(git, commit, below, rev, temporary / name)
            ]
            (temporary / ABOUT).write_text(json.dumps({"name": name, "notes": diagnostics}), "utf-8")
        with contextlib.suppress(OSError):  # somebody else was quicker
            temporary.rename(home)
    finally:
        cache_folder.drop(temporary)
    _drop_old(home.parent)


def _drop_old(folder: Path) -> None:
    """Keep the revisions that were used last."""
    times = {}
    for copy in folder.glob("[0-9a-f]*"):
        with contextlib.suppress(OSError):
            times[copy] = copy.stat().st_mtime
    for outdated in sorted(times, key=lambda copy: times[copy])[:-MAX_REVISIONS]:
        cache_folder.drop(outdated)


def _write_files(git: Git, commit: str, below: str, rev: str, root: Path) -> Iterator[Diagnostic]:
    """Write the files; report what is not an ordinary file. Links come last: nothing is written through them."""
    root.mkdir()
    blobs = [*git.list_files(commit, below)]
    if not blobs:
        raise SideError(f"revision {rev}: this folder had no files then")
    if len(blobs) > MAX_FILES or sum(blob.size for blob in blobs) > MAX_BYTES:
        raise SideError(
            f"revision {rev}: more than {MAX_FILES:,} files or {MAX_BYTES >> 20:,} MiB, which is not copied"
        )
    for blob in sorted(blobs, key=lambda blob: blob.kind == "link"):
        target = root / blob.path
        if not target.parent.resolve().is_relative_to(root.resolve()) or not _is_plain_path(blob.path):
            yield _report_missing(blob.path, "its name cannot be a file's name")
        elif blob.kind == "module":
            yield _report_missing(blob.path, "it is a repository of its own, which is not looked into")
        else:
            yield from _write_file(git, blob, root, target)


def _write_file(git: Git, blob: Blob, root: Path, target: Path) -> Iterator[Diagnostic]:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if blob.kind == "link":
            link_target = os.fsdecode(b"".join(git.read_content(blob)))
            if _leads_out(root, target, link_target):
                values = {"path": blob.path, "reason": "it is a link that leads out of the folder"}
                yield Diagnostic("dat-path-outside", values, NOWHERE, blob.path)
            else:
                target.symlink_to(link_target)
            return
        with target.open("xb") as file:
            first = b""
            for part in git.read_content(blob):
                first = first or part
                file.write(part)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        yield _report_missing(blob.path, "another file of that revision has its name")
        return
    if first.startswith(LFS):
        yield _report_missing(
            blob.path, f"{GONE}it is a pointer of Git LFS, and what it points to is not in the repository"
        )


def _leads_out(root: Path, link: Path, named: str) -> bool:
    """Tell whether a link may lead out of the folder; where it goes up after it went down, it is assumed to."""
    parts = named.split("/")
    down = next((at for at, part in enumerate(parts) if part not in ("..", ".")), len(parts))
    if "\0" not in named:
        end = Path(os.path.normpath(link.parent.resolve() / named))
    else:
        end = Path("/")
    return ".." in parts[down:] or not end.is_relative_to(root.resolve())


def _is_plain_path(path: str) -> bool:
    parts = path.split("/")
    return all(part not in ("", ".", "..") and not is_git_folder(part) for part in parts) and path.isprintable()


def _report_missing(path: str, reason: str) -> Diagnostic:
    return Diagnostic("dat-file-missing", {"path": path, "reason": reason}, NOWHERE, path)
