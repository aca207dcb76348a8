"""A folder or a file at an address, copied into the cache and opened there: `s3://team/prompts`, by fsspec.

READBACK_ADDRESSES lists the prefixes below which addresses are read, with blanks between them; none where it is not
set, for a copy is made with the rights of this account. Each time an address is opened it is listed anew, and every
file whose content the store does not vouch for (an ETag, a hash) is read anew. What has changed while it was copied is
copied again. Of an address that cannot be read whole nothing is opened.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from readback.readers import cache_folder
from readback.readers.cache_folder import ABOUT, FULL

VARIABLE = "READBACK_ADDRESSES"
KIND = "addresses"  # the folder in the cache
COPY = "files"  # in an entry, beside what is said about them
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s\0]+")
ELSEWHERE = re.compile(r"::|[?#%\\]|//|(?:^|/)\.{1,2}(?:/|$)")  # leads to another place than its letters say
LOCAL = ("file", "local")
FILES = 2_000  # below one address
READINGS = 3
VOUCHES = ("ETag", "etag", "md5Hash", "content_md5")  # what stores call a hash of what a file holds


class Refused(Exception):  # noqa: N818 - an outcome to say
    """Nothing is opened at an address; the text says why, and what may be done."""


class _Listed(NamedTuple):
    """A file in a store: its name there, and what the store says of it."""

    full: str
    about: Mapping[str, Any]

    @property
    def version(self) -> list[Any] | None:
        """What is another where the content is; None where the store does not say."""
        said = next((str(self.about[name]) for name in VOUCHES if self.about.get(name)), None)
        return None if said is None else [self.about.get("size"), said]


def is_address(said: str) -> bool:
    """Whether a text is an address, and no path that is there."""
    return ADDRESS.fullmatch(said) is not None and not os.path.lexists(said)


def fetch(said: str) -> Path:
    """The copy of what is at an address: a folder, or a file in one. Raises Refused, and DiskFull."""
    _allow(said)
    store, base = _store(said)
    with cache_folder.room():
        entry = cache_folder.cache_folder(KIND) / hashlib.blake2b(said.encode(), digest_size=12).hexdigest()
        with cache_folder.alone(entry, lambda: None):
            return _copied(said, store, base, entry)


def origin(root: Path) -> str | None:
    """The address that a folder in the cache is the copy of, or holds the copy of."""
    for copy in (root, root.parent):
        entry = copy.parent
        if copy.name == COPY and entry.parent.name == KIND and entry.parent == cache_folder.cache_folder(KIND):
            try:
                said: str = json.loads((entry / ABOUT).read_text("utf-8"))["address"]
                return said
            except (OSError, ValueError, LookupError, TypeError):
                return None
    return None


def _allow(said: str) -> None:
    """Raises Refused where nobody allowed the address."""
    scheme, _, rest = said.partition("://")
    if ADDRESS.fullmatch(said) is None or ELSEWHERE.search(rest.rstrip("/")):
        raise Refused("an address has the form store://place/folder, without '..', '//', '::', '?', '#', '%' or '\\'")
    if "@" in rest.partition("/")[0]:
        raise Refused("an address holds no names or passwords; the store's own settings have them")
    if scheme in LOCAL:
        raise Refused("a path of this machine is given as it is, without file://")
    prefixes = os.environ.get(VARIABLE, "").split()
    if not any(f"{said.rstrip('/')}/".startswith(f"{one.rstrip('/')}/") for one in prefixes):
        there = f"it has {' '.join(prefixes)}" if prefixes else f"it is not set; {VARIABLE}={said} allows this one"
        raise Refused(f"only addresses below the prefixes in the environment variable {VARIABLE} are read: {there}")


def _store(said: str) -> tuple[Any, str]:
    """Who reads the address, and what it calls the place."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise Refused("fsspec is not installed: pip install 'readback[addresses]'") from None
    try:
        store, base = url_to_fs(said)
    except Exception as error:  # of a store's package that is not there, of its settings, …
        raise Refused(_why(error)) from error
    return store, base.rstrip("/")


def _copied(said: str, store: Any, base: str, entry: Path) -> Path:
    for _ in range(READINGS):
        there = _listed(store, base)
        staged = cache_folder.fresh(entry)
        try:
            known = _known(entry)
            new = {name: one for name, one in there.items() if one.version is None or known.get(name) != one.version}
            for name, one in new.items():
                _read(store, one, staged / name)
            if _listed(store, base) == there:
                _replace(said, entry, staged, there, new)
                return entry / COPY / _name(base)
        finally:
            cache_folder.drop(staged)
        time.sleep(cache_folder.PAUSE)
    raise Refused(f"it changed while it was copied, {READINGS} times one after another; open it when it is written")


def _listed(store: Any, base: str) -> dict[str, _Listed]:
    """All files, by their paths in the copy."""
    try:
        store.invalidate_cache()
        found: dict[str, dict[str, Any]] = store.find(base, detail=True)
    except Exception as error:
        raise Refused(_why(error)) from error
    if not found:
        raise Refused("there is no such file or folder")
    if len(found) > FILES:
        raise Refused(f"it has more than {FILES:,} files; open a folder of it")
    listed: dict[str, _Listed] = {}
    for full, about in sorted(found.items()):
        rest = full.removeprefix(base)  # nothing where the address is that of a file
        if full == rest or (rest and rest[0] != "/") or "\0" in rest or ELSEWHERE.search(rest[1:]):
            raise Refused(f"it has a file whose name leads elsewhere: {full!r}")
        listed[f"{_name(base)}{rest}"] = _Listed(full, about)
    return listed


def _name(base: str) -> str:
    """What the folder or file is called here."""
    return PurePosixPath(base).name or "workspace"


def _read(store: Any, one: _Listed, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        store.get_file(one.full, str(target))
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise
        raise Refused(f"{target.name}: {_why(error)}") from error
    size = one.about.get("size")
    if isinstance(size, int) and target.stat().st_size != size:
        raise Refused(f"{target.name}: {target.stat().st_size:,} bytes came, and the store says that it has {size:,}")


def _known(entry: Path) -> dict[str, Any]:
    """The versions of the files that are here, by their paths in the copy."""
    try:
        versions: dict[str, Any] = json.loads((entry / ABOUT).read_text("utf-8"))["versions"]
        return {name: one for name, one in versions.items() if (entry / COPY / name).is_file()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def _replace(said: str, entry: Path, staged: Path, there: Mapping[str, _Listed], new: Mapping[str, _Listed]) -> None:
    """Give the entry what is there now. A file that holds what it held stays the same file."""
    copy = entry / COPY
    copy.mkdir(mode=0o700, parents=True, exist_ok=True)
    (entry / ABOUT).unlink(missing_ok=True)  # so that what is only half new is not believed
    for path in sorted(copy.rglob("*"), reverse=True):  # what a folder holds before the folder
        if path.is_file() and path.relative_to(copy).as_posix() not in there:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for name in new:
        target = copy / name
        if not (target.is_file() and filecmp.cmp(staged / name, target, shallow=False)):
            target.parent.mkdir(parents=True, exist_ok=True)
            (staged / name).replace(target)
    versions = {name: one.version for name, one in there.items() if one.version is not None}
    whole = staged / ABOUT
    whole.write_text(json.dumps({"address": said, "versions": versions}), "utf-8")
    whole.replace(entry / ABOUT)


def _why(error: Exception) -> str:
    """The first line of what a store says."""
    said = str(error).strip().splitlines()[:1]
    return f"it cannot be read: {': '.join((type(error).__name__, *said))}"
