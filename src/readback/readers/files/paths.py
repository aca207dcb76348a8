"""Where a path named in a file leads, and which files lie below a folder; nothing leaves the workspace."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections import deque
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path, PurePosixPath

from readback.types import NOWHERE, Diagnostic, Location

DEPTH = 4  # folders below the workspace that are searched
FILES = 2_000  # files looked at in one search: a review's own files, not somebody's whole disk
ENTRIES = 50_000  # names read from one folder before it is cut: sorting them needs them all in memory
MATCHES = 20_000  # files a pattern is compared with
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
CACHE_ENTRY = "models--"  # a Hugging Face cache entry: snapshots/<revision>/ links into blobs/


@dataclass(frozen=True, slots=True)
class Listing:
    """The files found below a folder, shallowest first, and what had to be left out."""

    files: tuple[Path, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    deeper: bool = False  # whether there are folders below those that were searched


def is_git_folder(name: str) -> bool:
    """Whether a file or folder of this name may be taken for git's own directory, on any file system.

    Case, trailing blanks and dots, and characters without width do not count on some; `git~1` is its short name.
    """
    visible = "".join(sign for sign in name if unicodedata.category(sign) != "Cf")
    return visible.rstrip(". \t").casefold() in (".git", "git~1")


def format_relative(root: Path, path: Path) -> str:
    """Return the posix path of `path` relative to `root`; its bare name when it lies elsewhere."""
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.name


def format_absent(relative: str, folder: str = "") -> str:
    """Return how to name a missing file: its path where it would lie below the workspace, else its name."""
    path = PurePosixPath(os.path.normpath(PurePosixPath(folder) / relative))
    if path.is_absolute() or ".." in path.parts:
        return path.name
    return path.as_posix()


def resolve(
    root: Path, relative: str, *, base: Path | None = None, place: Location = NOWHERE, folder: bool = False
) -> Path | Diagnostic:
    """Return the file (or folder) that `relative` names from `base` (default: `root`), if it lies in the workspace.

    Answers a Diagnostic, dat-path-outside or dat-file-missing, instead of a path that may not or cannot be read.
    A symbolic link may lead elsewhere in the workspace, or into blobs/ of the Hugging Face cache entry that
    holds it, and nowhere else.
    """
    if ADDRESS.match(relative):
        return _report_missing(relative, "it is an address of the web, from which nothing is fetched", place)
    named = PurePosixPath(relative)
    values = {"path": relative, "reason": "it is an absolute path"}
    if named.is_absolute() or relative.startswith("~") or re.match(r"[A-Za-z]:[\\/]|\\\\", relative):
        return Diagnostic("dat-path-outside", values, place, relative)
    path = Path(os.path.normpath((base or root) / relative))
    if "\0" in relative or not _is_printable(relative):
        return _report_missing(relative, "its name cannot be a file's name", place)
    if not path.is_relative_to(root):
        return Diagnostic("dat-path-outside", values | {"reason": "it leads out of the folder"}, place, relative)
    real = Path(os.path.realpath(path))
    if not (real.is_relative_to(os.path.realpath(root)) or _is_own_blob(root, path, real)):
        return Diagnostic(
            "dat-path-outside", values | {"reason": "it is a link that leads out of the folder"}, place, relative
        )
    return _check_kind(path, relative, place, folder)


def _check_kind(path: Path, relative: str, place: Location, folder: bool) -> Path | Diagnostic:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        return _report_missing(relative, (getattr(error, "strerror", None) or "not a path").lower(), place)
    if folder:
        if stat.S_ISDIR(mode):
            return path
        return _report_missing(relative, "it is not a folder", place)
    if stat.S_ISREG(mode):
        return path
    return _report_missing(relative, "it is a folder" if stat.S_ISDIR(mode) else "it is not a regular file", place)


def _report_missing(relative: str, reason: str, place: Location) -> Diagnostic:
    return Diagnostic("dat-file-missing", {"path": relative, "reason": reason}, place, relative)


def _is_own_blob(root: Path, path: Path, real: Path) -> bool:
    """Whether `real` lies in blobs/ of the Hugging Face cache entry in which the link `path` is.

    The entry is a plain folder: no link leads to it from the workspace, nor from it to a workspace that is a snapshot.
    A link called `models--x` is no entry, whatever has a folder blobs/ where it leads.
    """
    entry = next((p for p in path.parents if p.name.startswith(CACHE_ENTRY)), None)
    if entry is None:
        return False
    home, top = Path(os.path.realpath(entry)), Path(os.path.realpath(root))
    below = entry.is_relative_to(root)
    if below:
        plain = home == top / entry.relative_to(root)
    else:
        plain = top.is_relative_to(home) and not entry.is_symlink()
    return plain and real.is_relative_to(home / "blobs")


def list_files(root: Path, depth: int = DEPTH, limit: int = FILES) -> Listing:
    """List the files at most `depth` folders below `root`, without hidden names and without entering linked folders."""
    files: list[Path] = []
    diagnostics: list[Diagnostic] = []
    deeper = False
    waiting = deque([(root, 0)])
    while waiting:
        folder, level = waiting.popleft()
        names = list_entries(folder)
        if len(names) > ENTRIES:
            diagnostics.append(_report_limit(f"names in one folder ({format_relative(root, folder) or '.'})", ENTRIES))
        for path in names[:ENTRIES]:
            if not _is_printable(path.name):
                diagnostic = _report_missing(ascii(path.name), "its name is not UTF-8", NOWHERE)
                diagnostics.append(replace(diagnostic, severity="info"))
            elif is_folder(path):
                deeper = deeper or level >= depth
                if level < depth:
                    waiting.append((path, level + 1))
            elif len(files) < limit:
                files.append(path)
            else:
                return Listing(tuple(files), (*diagnostics, _report_limit("files in the folder", limit)))
    return Listing(tuple(files), tuple(diagnostics), deeper)


def list_inside(root: Path, depth: int = DEPTH) -> Listing:
    """List the files below `root` as `list_files` does, without links that lead out of it: these are diagnostics.

    Whoever reads what it finds in a folder lists it by this function, for nobody named these files.
    """
    listed = list_files(root, depth)
    files: list[Path] = []
    diagnostics = list(listed.diagnostics)
    for path in listed.files:
        resolved = resolve(root, format_relative(root, path))
        if isinstance(resolved, Diagnostic):
            diagnostics.append(replace(resolved, severity="info"))  # nobody named it; it only lies there
        else:
            files.append(path)
    return Listing(tuple(files), tuple(diagnostics), listed.deeper)


def _report_limit(what: str, limit: int) -> Diagnostic:
    return Diagnostic("dat-limit", {"what": what, "limit": limit}, NOWHERE, what)


def list_entries(folder: Path) -> list[Path]:
    """List what is in a folder by name, without hidden names; empty for one that cannot be read."""
    try:
        with os.scandir(folder) as scan:
            names = [entry.name for entry in islice(scan, ENTRIES + 1)]
    except OSError:
        return []
    return [folder / name for name in sorted(names) if not name.startswith(".")]


def is_folder(path: Path) -> bool:
    """Whether it is a folder itself, and no link to one."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _is_printable(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def expand(root: Path, pattern: str, place: Location = NOWHERE) -> tuple[tuple[Path, ...], tuple[Diagnostic, ...]]:
    """List the files that match `pattern` (`*`, `?`, `[…]`, `**` for any folders), sorted; never outside `root`."""
    named = PurePosixPath(pattern).parts
    parts = tuple(part for i, part in enumerate(named) if not (part == "**" and named[i - 1 : i] == ("**",)))
    if not re.search(r"[*?\[]", pattern) or ".." in parts or pattern.startswith(("/", "~")):
        path = resolve(root, pattern, place=place)
        if isinstance(path, Diagnostic):
            return ((), (path,))
        return ((path,), ())
    plain = next(i for i, part in enumerate(parts) if re.search(r"[*?\[]", part))
    start = root.joinpath(*parts[:plain])
    if "**" in parts:
        deep = DEPTH
    else:
        deep = len(parts) - plain - 1
    if start == root or isinstance(_resolve_folder(root, start), Path):
        listed = list_files(start, deep, MATCHES)
    else:
        listed = Listing(())
    matching = [p for p in listed.files if _matches(PurePosixPath(format_relative(start, p)).parts, parts[plain:])]
    paths = [resolve(root, format_relative(root, p), place=place) for p in sorted(matching)]
    diagnostics = [n for n in (*listed.diagnostics, *paths) if isinstance(n, Diagnostic)]
    if not matching:
        diagnostics.append(_report_missing(pattern, "no file matches", place))
    return tuple(p for p in paths if isinstance(p, Path)), tuple(diagnostics)


def _resolve_folder(root: Path, folder: Path) -> Path | Diagnostic:
    return resolve(root, format_relative(root, folder), folder=True)


def _matches(names: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return any(_matches(names[i:], parts[1:]) for i in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], parts[0]) and _matches(names[1:], parts[1:])
