"""Which of the names in an upload are kept, and under which path; what belongs to git is not."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from readback.files.paths import of_git

DEPTH = 16  # folders inside an upload
LONGEST = 255  # bytes of one name, as file systems have it
# A folder is git's own with these, whatever it is called; then all that git keeps in it is left out.
SHAPES = ({"head", "objects", "refs"}, {"head", "commondir"}, {"head", "gitdir"})
KEPT_BY_GIT = {
    *("head", "orig_head", "fetch_head", "commit_editmsg", "config", "config.worktree", "description", "index"),
    *("branches", "hooks", "info", "logs", "modules", "objects", "refs", "reftable", "worktrees"),
    *("commondir", "gitdir", "packed-refs", "shallow"),
}


def parts(name: str) -> tuple[str, ...] | None:
    """A name as folders and a file below the upload, or None where it leads elsewhere."""
    found = tuple(part for part in name.replace("\\", "/").split("/") if part != ".")
    wrong = not found or any(part in ("", "..") or ":" in part or "\0" in part for part in found)
    return None if wrong or len(found) > DEPTH else found


def unkept(found: Iterable[str]) -> str:
    """Why no file system has a name like one of these, or nothing."""
    for part in found:
        try:
            if len(part.encode("utf-8")) > LONGEST:
                return f"its name is longer than {LONGEST} bytes"
        except UnicodeEncodeError:
            return "its name is not text"
    return ""


class OfGit:
    """What of an upload is git's own: `.git` under each of its names, and every folder that is one without it."""

    def __init__(self, names: Iterable[str]) -> None:
        held: dict[tuple[str, ...], set[str]] = {}
        for name in names:
            found = parts(name) or ()
            for depth, part in enumerate(found):
                if part.casefold() in KEPT_BY_GIT:
                    held.setdefault(found[:depth], set()).add(part.casefold())
        self._bare = {folder for folder, there in held.items() if any(shape <= there for shape in SHAPES)}

    def folder(self, found: tuple[str, ...]) -> str | None:
        """The folder of git that a file belongs to ("." for the upload's own), or None."""
        for depth, part in enumerate(found):
            if of_git(part):
                return PurePosixPath(*found[: depth + 1]).as_posix()
            if found[:depth] in self._bare and part.casefold() in KEPT_BY_GIT:
                return PurePosixPath(*found[:depth]).as_posix()
        return None
