"""Copies in the cache of what is no folder on this machine: the files at an address, and what a zip file holds.

In the cache, `KIND/ORIGIN/STATE/` has what was there at one moment: `files/NAME`, and about.json with the checksum of
each file. ORIGIN and STATE are digests. A copy that is whole never changes, so whoever works on one keeps it.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from readback.readers.files import cache_folder, checksum
from readback.readers.files.cache_folder import ABOUT

KINDS = frozenset({"addresses", "zips"})  # folders in the cache
COPY = "files"
OLD = 30 * 86_400  # seconds for which a copy stays that nobody opens
BEGUN = 86_400  # seconds after which a copy that was begun is nobody's any more


@contextmanager
def write_alone(kind: str, origin: str) -> Iterator[Path]:
    """Yield the folder for the copies of `origin`, while nobody else writes one there. Raises OSError.

    Copies of this kind that nobody opened for long are removed afterwards.
    """
    folder = cache_folder.cache_folder(kind).absolute()
    entry = folder / hashlib.blake2b(os.fsencode(origin), digest_size=12).hexdigest()
    entry.mkdir(mode=0o700, exist_ok=True)
    with cache_folder.alone(entry, lambda: None):
        yield entry
    _tidy(folder)


def store_state(origin: str, entry: Path, staged: Path, files: Mapping[str, tuple[str, str]]) -> Path:
    """Return the folder of the state with these files: the existing one if it is still whole, else the new one.

    `files` has for each path in the copy what the origin says of the version of the file, and the file's checksum.
    """
    digests = {path: digest for path, (_, digest) in files.items()}
    state = entry / hashlib.blake2b(json.dumps(digests, sort_keys=True).encode(), digest_size=12).hexdigest()
    (staged / ABOUT).write_text(json.dumps({"address": origin, "files": files}), "utf-8")
    if _is_whole(state, digests):
        (staged / ABOUT).replace(state / ABOUT)  # the store may vouch for its files now
    else:
        cache_folder.drop(state)
        staged.rename(state)
    os.utime(state)
    return state


def read_about(state: Path) -> tuple[str | None, Mapping[str, tuple[str, str]]]:
    """Return the origin of a state, and for each path in the copy the version of the file and its checksum."""
    try:
        about = json.loads((state / ABOUT).read_text("utf-8"))
        return str(about["address"]), {
            str(path): (version, digest) for path, (version, digest) in about["files"].items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None, {}


def find_origin(root: Path) -> str | None:
    """Return the address or zip file that a folder in the cache is a copy of, or holds a copy of; None for any other
    folder.
    """
    for copy in (root.absolute(), root.absolute().parent):
        state = copy.parent
        kind = state.parent.parent
        if copy.name == COPY and kind.name in KINDS:
            if kind == cache_folder.cache_folder(kind.name).absolute():
                return read_about(state)[0]
            return None
    return None


def mark_used(place: Path) -> None:
    """Somebody opens this path: where it is in a copy, that stays for longer."""
    for kind in KINDS:
        if kind in place.parts:
            with suppress(OSError):
                folder = cache_folder.cache_folder(kind).absolute()
                if place.absolute().is_relative_to(folder):
                    os.utime(folder.joinpath(*place.absolute().relative_to(folder).parts[:2]))


def _is_whole(state: Path, digests: Mapping[str, str]) -> bool:
    paths = {path.relative_to(state / COPY).as_posix(): path for path in (state / COPY).rglob("*") if path.is_file()}
    with suppress(OSError):
        return bool(read_about(state)[0]) and digests == {
            name: checksum.compute_file_digest(path) for name, path in paths.items()
        }
    return False


def _tidy(folder: Path) -> None:
    """Remove what nobody opened for long, and what was begun and never ended; not where somebody is at work."""
    for entry in [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")]:
        with suppress(OSError), cache_folder.alone(entry, _give_up):
            for path in entry.iterdir():
                if path.stat().st_mtime < time.time() - (BEGUN if path.name.startswith(".new-") else OLD):
                    cache_folder.remove(path)


def _give_up() -> None:
    raise BlockingIOError
