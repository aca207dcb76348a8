"""Which git repository a folder's history lies in, and whether it may be read: never one of another folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from readback.compare.side import SideError
from readback.readers.cache_folder import uploaded

POINTER = 8192  # bytes of a file that says where something of git lies
ENTRIES = 500_000  # names looked at in one repository
# What a revision is made of. Hooks, settings, grafts and all else that a repository may hold are never looked at.
OWN = ("HEAD", "ORIG_HEAD", "logs")  # of a working tree
SHARED = ("config", "objects", "packed-refs", "refs", "reftable", "shallow")  # of all of them
ELSEWHERE = ("objects/info/alternates", "objects/info/http-alternates")


class NoRepositoryError(SideError):
    """The folder is in no repository at all."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository that may be read once its settings agree.

    `top` is the working tree's folder, `own` its git directory, `common` the one that all its working trees share;
    `below` the folder in it, "" at the top, else with a slash at the end. `registered`: whether `common` was known to
    be of this folder without looking; where it is false, `common` has to name `top` as its working tree.
    """

    top: Path
    own: Path
    common: Path
    below: str
    registered: bool = True


def find(folder: Path) -> Repository:
    """The repository that a folder is part of, as git would find it. Raises SideError with the reason against it.

    Its directories must lie in the folder, or be the plain `.git` of a folder above. Whoever brings a folder can write
    a `.git` that is a file, a link or a `commondir`, and so name every repository that this process can read; but
    not what lies above the folder. A linked working tree or a submodule inside another working tree is read where that
    one's own directory has it on record.
    """
    name = folder.name or "the folder"
    if uploaded(folder):
        raise SideError(f"{name} was uploaded, and nothing uploaded is read with git; open the folder on the server's "
                        f"disk to compare revisions")  # fmt: skip
    real = Path(os.path.realpath(folder))
    for top in (real, *real.parents):
        if top != real and _device(top) != _device(real):
            break  # another file system, where git stops too
        found = _at(top, real, name)
        if found is not None:
            _sound(found, name)
            return found
    raise NoRepositoryError(f"{name} is in no git repository, so it has no revisions")


def _at(top: Path, folder: Path, name: str) -> Repository | None:
    """The repository whose `.git` is in `top`; None where there is none."""
    mark = top / ".git"
    try:
        kind = mark.lstat().st_mode
    except OSError:
        return None
    below = "" if top == folder else f"{folder.relative_to(top).as_posix()}/"
    if stat.S_ISLNK(kind):
        raise SideError(f"{name}: its .git is a link, and history is read from a plain .git folder only")
    if stat.S_ISDIR(kind):
        if not all(os.path.lexists(mark / part) for part in ("HEAD", "objects", "refs")):
            return None  # git does not take it for one either
        common = _common(mark)
        if common != mark and not (common.is_relative_to(mark) or common.is_relative_to(folder)):
            raise SideError(f"{name}: its repository shares the directory of another one (.git/commondir), "
                            f"so its history is not read")  # fmt: skip
        return Repository(top, mark, common, below)
    own = _led(mark, "gitdir: ")
    if own is None:
        raise SideError(f"{name}: its .git is a file that names no git directory")
    common = _common(own)
    if own.is_relative_to(folder) and common.is_relative_to(folder):
        return Repository(top, own, common, below)
    above = next((one / ".git" for one in (folder, *folder.parents) if own.is_relative_to(one / ".git")), None)
    if above is None or not _plain(above) or not common.is_relative_to(above):
        raise SideError(f"{name}: its .git is a file, and the repository that it names lies elsewhere, so its history "
                        f"is not read; open the folder in the repository's main working tree")  # fmt: skip
    return Repository(top, own, common, below, registered=_led(own / "gitdir") == mark)


def _plain(folder: Path) -> bool:
    try:
        return stat.S_ISDIR(folder.lstat().st_mode)
    except OSError:
        return False


def _common(own: Path) -> Path:
    """The directory that the working trees of a repository share."""
    return (_led(own / "commondir") or own) if os.path.lexists(own / "commondir") else own


def _led(file: Path, word: str = "") -> Path | None:
    """Where a small file of one line says that something lies, as it is without links."""
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            return None
        with file.open("rb") as opened:
            said = os.fsdecode(opened.read(POINTER)).rstrip("\r\n")
        if not said.startswith(word) or not (named := said.removeprefix(word)):
            return None
        return Path(os.path.realpath(file.parent / named))
    except (OSError, ValueError):
        return None


def _device(folder: Path) -> int:
    try:
        return folder.stat().st_dev
    except OSError:
        return -1


def _sound(found: Repository, name: str) -> None:
    """Raises SideError where a repository takes something from outside of itself, or is somebody else's."""
    for lender in ELSEWHERE:
        if os.path.lexists(found.common / lender):
            raise SideError(f"{name}: its repository takes objects from another one ({lender}), so its history is not "
                            f"read; `git repack -a -d` copies them, then delete that file")  # fmt: skip
    homes = tuple({Path(os.path.realpath(home)) for home in (found.own, found.common)})
    for entry in _entries(found, name):
        if entry.is_symlink():
            if not any(Path(os.path.realpath(entry)).is_relative_to(home) for home in homes):
                raise SideError(f"{name}: its repository holds a link that leads out of it ({_shown(entry, found)}), "
                                f"so its history is not read")  # fmt: skip
        elif not entry.is_file(follow_symlinks=False) and not entry.is_dir(follow_symlinks=False):
            raise SideError(f"{name}: its repository holds something that is not a file ({_shown(entry, found)}), "
                            f"so its history is not read")  # fmt: skip


def _shown(entry: os.DirEntry[str], found: Repository) -> str:
    home = found.common if Path(entry.path).is_relative_to(found.common) else found.own
    return ascii(Path(entry.path).relative_to(home).as_posix())[1:-1]


def _entries(found: Repository, name: str) -> Iterator[os.DirEntry[str]]:
    """Every name in the parts of a repository that are read."""
    waiting = [(str(found.own), OWN), (str(found.common), SHARED)]
    left = ENTRIES
    while waiting:
        folder, only = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if only and entry.name not in only:
                        continue
                    if not (left := left - 1):
                        raise SideError(f"{name}: its repository has more than {ENTRIES:,} files; `git gc` packs them")
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, ()))
        except OSError as error:
            raise SideError(
                f"{name}: its repository cannot be read: {(error.strerror or 'no answer').lower()}"
            ) from None
