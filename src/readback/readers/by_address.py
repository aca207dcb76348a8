"""A folder or a file at an address, copied into the cache and opened there: `s3://team/prompts`, by fsspec.

READBACK_ADDRESSES lists the prefixes below which addresses are read, with blanks between them; none where it is not
set, for a copy is made with the rights of this account. Each time an address is opened it is listed anew, and every
file whose content the store does not vouch for (an ETag, a hash) is read anew. What changes meanwhile is copied again.
Of an address that cannot be read whole nothing is opened.

In the cache, `addresses/ADDRESS/STATE/` has what was there at one moment: `files/NAME`, and about.json with the
checksum of each file. Both names are digests. A copy that is whole never changes, so whoever works on one keeps it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from readback.readers import cache_folder, checksum
from readback.readers.cache_folder import ABOUT, FULL

VARIABLE = "READBACK_ADDRESSES"
KIND = "addresses"  # the folder in the cache
COPY = "files"
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s\0]+")
ELSEWHERE = re.compile(r"::|[?#%\\]|//|(?:^|/)\.{1,2}(?:/|$)")  # leads to another place than its letters say
SECRET = re.compile(r"(?<=://)[^/@]*:[^/]*@")
LOCAL = ("file", "local")
FILES = 2_000  # below one address, and folders
LONGEST = 255  # bytes of a name
READINGS = 3
OLD = 30 * 86_400  # seconds for which a copy is kept that nobody opens
BEGUN = 86_400  # seconds after which a copy that was begun is nobody's any more
# What object stores call a hash of what a file holds. A web server's ETag may be made of size and time alone.
VOUCHES = ("ETag", "etag", "md5Hash", "content_md5")
OBJECTS = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oss")
SEEN = re.compile("access|^time$", re.IGNORECASE)  # what a store says of who looked at a file


class Refused(Exception):  # noqa: N818 - an outcome to say
    """Nothing is opened at an address; the text says why, and what may be done."""


class _File(NamedTuple):
    """A file in a store: what the store calls it and says of it; `version` where it vouches for the content."""

    full: str
    size: int | None
    version: str | None
    about: tuple[tuple[str, str], ...]  # all that is another where the file is


def is_address(said: str) -> bool:
    """Whether a text is an address, and no path that is there."""
    return ADDRESS.fullmatch(said) is not None and not os.path.lexists(said)


def shown(said: str) -> str:
    """An address as it may be shown: passwords do not belong there, and somebody may have written one."""
    if "://" not in said:
        return said
    before, asked, _ = re.sub(r"://[^/]*@", "://…@", said).partition("?")
    return f"{before}?…" if asked else before


def fetch(said: str) -> Path:
    """The copy of what is at an address now: a folder, or a file in one. Raises Refused, and DiskFull."""
    _allow(said)
    scheme, _, rest = said.partition("://")
    said = f"{scheme}://{rest.rstrip('/')}"
    store, base = _store(said)
    with cache_folder.room():
        folder = cache_folder.cache_folder(KIND).absolute()
        entry = folder / hashlib.blake2b(said.encode(), digest_size=12).hexdigest()
        try:
            entry.mkdir(mode=0o700, exist_ok=True)
            with cache_folder.alone(entry, lambda: None):
                copy = _copied(said, store, base, entry)
            _tidy(folder)
        except OSError as error:
            if isinstance(error, cache_folder.DiskFull) or error.errno in FULL:
                raise
            raise Refused(_why(error)) from error
    return copy


def used(place: Path) -> None:
    """Somebody opens this path: where it is in a copy, that is kept for longer."""
    if KIND not in place.parts:
        return
    with suppress(OSError):
        folder = cache_folder.cache_folder(KIND).absolute()
        if place.absolute().is_relative_to(folder):
            os.utime(folder.joinpath(*place.absolute().relative_to(folder).parts[:2]))


def origin(root: Path) -> str | None:
    """The address that a folder in the cache is the copy of, or holds the copy of."""
    for copy in (root.absolute(), root.absolute().parent):
        state = copy.parent
        if copy.name == COPY and state.parent.parent.name == KIND:
            known = state.parent.parent == cache_folder.cache_folder(KIND).absolute()
            return _about(state)[0] if known else None
    return None


def _allow(said: str) -> None:
    """Raises Refused where nobody allowed the address."""
    scheme, _, rest = said.partition("://")
    if ADDRESS.fullmatch(said) is None or ELSEWHERE.search(rest.rstrip("/")):
        raise Refused("an address has the form store://place/folder, without '..', '//', '::', '?', '#', '%' or '\\'")
    if SECRET.search(said):
        raise Refused("an address holds no passwords; the store's own settings have them")
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
    return store, base


def _copied(said: str, store: Any, base: str, entry: Path) -> Path:
    name = PurePosixPath(base).name.replace(":", "-") or "workspace"  # ':' is between folders where several are named
    trusted = said.partition("://")[0] in OBJECTS
    for _ in range(READINGS):
        there = _listed(store, base, name, trusted)
        staged, known = cache_folder.fresh(entry / "new"), _known(entry)
        try:
            sums = {path: _read(store, one, staged / COPY / path, known) for path, one in there.items()}
            if _listed(store, base, name, trusted) == there:
                return _kept(said, entry, staged, there, sums) / COPY / name
        finally:
            cache_folder.drop(staged)
        time.sleep(cache_folder.PAUSE)
    raise Refused(f"it changed while it was copied, {READINGS} times one after another; open it when it is written")


def _listed(store: Any, base: str, name: str, trusted: bool) -> dict[str, _File]:
    """All files, by their paths in the copy, where `name` is what the address leads to; `trusted` are its hashes."""
    try:
        store.invalidate_cache()
        here = store.info(base)
    except FileNotFoundError as error:  # of some stores whatever else is wrong
        cause = f" ({type(error.__cause__).__name__})" if error.__cause__ else ""
        raise Refused(f"there is no such file or folder{cause}") from error
    except Exception as error:
        raise Refused(_why(error)) from error
    try:
        every = [("", here)] if here["type"] == "file" else list(_below(store, base.rstrip("/"), base))
    except Refused:
        raise
    except Exception as error:
        raise Refused(_why(error)) from error
    if not every:
        raise Refused("there is no file in it")
    listed: dict[str, _File] = {}
    for path, about in every:
        vouched = next((str(about[key]) for key in VOUCHES if about.get(key)), None) if trusted else None
        said = tuple(sorted((str(key), str(value)) for key, value in about.items() if not SEEN.search(str(key))))
        size = int(about["size"]) if str(about.get("size", "")).isdecimal() else None
        listed[f"{name}{path}"] = _File(str(about["name"]) if path else base, size, vouched, said)
    return listed


def _below(store: Any, base: str, asked: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each file below a folder, by its path there, with a slash before it. What cannot be listed is an error: fsspec's
    own way through the folders leaves it out.
    """
    waiting, seen, count = [asked], set[str](), 0
    while waiting:
        folder = waiting.pop()
        for one in store.ls(folder, detail=True):
            full, kind = str(one["name"]), one["type"]
            if kind not in ("file", "directory"):
                raise Refused(f"it has something that is neither a file nor a folder: {full!r}")
            if full == folder if kind != "file" else full.endswith("/") and not one.get("size"):
                continue  # the folder itself, and how a store keeps one that holds nothing
            above = f"{folder.rstrip('/')}/"
            own = full.removesuffix("/").removeprefix(above)
            path = f"{above.removeprefix(base)}{own}"
            if not full.startswith(above) or not _is_name(own) or path in seen:
                raise Refused(f"it has a file whose name leads elsewhere, or two of one name: {full!r}")
            seen.add(path)
            count += 1
            if count > FILES:
                raise Refused(f"it has more than {FILES:,} files and folders; open a folder of it")
            if kind == "file":
                yield path, one
            else:
                waiting.append(full)


def _is_name(own: str) -> bool:
    """Whether a file can be called that here."""
    plain = own not in ("", ".", "..") and not {"/", "\0"} & {*own}
    return plain and len(own.encode("utf-8", "surrogatepass")) <= LONGEST


def _read(store: Any, one: _File, target: Path, known: Mapping[str, Path]) -> str:
    """Make the copy of a file, of an earlier one where the store vouches that it is the same; answers its checksum."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not (one.version is not None and (made := _linked(known, _vouched(one), target))):
            store.get_file(one.full, str(target))
            made = checksum.of_file(target)
            _linked(known, made, target)  # so that a file that is the same in many states is there once
        size = target.stat().st_size
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise
        raise Refused(f"{one.full!r}: {_why(error)}") from error
    if one.size is not None and size != one.size:
        raise Refused(f"{one.full!r}: {size:,} bytes came, and the store says that it has {one.size:,}")
    return made


def _linked(known: Mapping[str, Path], called: str, target: Path) -> str | None:
    """Let a file be the one of an earlier state that is still what it was; answers its checksum, None where there is
    none, and where the disk knows no second name for a file.
    """
    if not (earlier := known.get(called)):
        return None
    beside = target.with_name(".twin")
    with suppress(OSError):
        made = checksum.of_file(earlier)
        if known.get(made) == earlier:
            os.link(earlier, beside)
            beside.replace(target)
            return made
    return None


def _known(entry: Path) -> dict[str, Path]:
    """The files of earlier states, by what the store said of them, and by their checksums."""
    found: dict[str, Path] = {}
    for state in entry.iterdir():
        for path, (vouched, made) in _about(state)[1].items():
            if (state / COPY / path).is_file():
                file = found.setdefault(made, state / COPY / path)
                found[vouched] = file
    return found


def _vouched(one: _File) -> str:
    return json.dumps([one.full, one.size, one.version])


def _kept(said: str, entry: Path, staged: Path, there: Mapping[str, _File], sums: Mapping[str, str]) -> Path:
    """The folder of the state with these files: the one that is there and still whole, or the one that was made now."""
    files = {path: [_vouched(one), sums[path]] for path, one in there.items()}
    state = entry / hashlib.blake2b(json.dumps(sums, sort_keys=True).encode(), digest_size=12).hexdigest()
    (staged / ABOUT).write_text(json.dumps({"address": said, "files": files}), "utf-8")
    if _is_whole(state, sums):
        (staged / ABOUT).replace(state / ABOUT)  # the store may vouch for its files now
    else:
        cache_folder.drop(state)
        staged.rename(state)
    os.utime(state)
    return state


def _is_whole(state: Path, sums: Mapping[str, str]) -> bool:
    found = {path.relative_to(state / COPY).as_posix(): path for path in (state / COPY).rglob("*") if path.is_file()}
    with suppress(OSError):
        return bool(_about(state)[0]) and sums == {name: checksum.of_file(path) for name, path in found.items()}
    return False


def _about(state: Path) -> tuple[str | None, Mapping[str, tuple[str, str]]]:
    """The address that a state is of; by its path in the copy, what the store said of each file, and its checksum."""
    try:
        said = json.loads((state / ABOUT).read_text("utf-8"))
        return str(said["address"]), {str(path): (version, made) for path, (version, made) in said["files"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None, {}


def _tidy(folder: Path) -> None:
    """Remove what nobody opened for long, and what was begun and never ended; not where somebody is at work."""
    for entry in [one for one in folder.iterdir() if one.is_dir() and not one.name.startswith(".")]:
        with suppress(OSError), cache_folder.alone(entry, _leave):
            for one in entry.iterdir():
                if one.stat().st_mtime < time.time() - (BEGUN if one.name.startswith(".new-") else OLD):
                    cache_folder.remove(one)


def _leave() -> None:
    raise BlockingIOError


def _why(error: Exception) -> str:
    """The first line of what a store says."""
    said = str(error).strip().splitlines()[:1]
    return f"it cannot be read: {': '.join((type(error).__name__, *said))}"
