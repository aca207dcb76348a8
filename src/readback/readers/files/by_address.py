"""A folder or a file at an address, copied into the cache and opened there: `s3://team/prompts`, by fsspec.

READBACK_ADDRESSES lists the prefixes below which addresses are read, with blanks between them; none where it is not
set, for a copy is made with the rights of this account. Each time an address is opened it is listed anew, and every
file whose content the store does not vouch for (an ETag, a hash) is read anew. What changes meanwhile is copied again.
Of an address that cannot be read whole nothing is opened.

In the cache, `addresses/ADDRESS/STATE/` has what was there at one moment (`copies`).
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from readback.readers.files import cache_folder, checksum, copies
from readback.readers.files.cache_folder import FULL
from readback.readers.files.copies import COPY

VARIABLE = "READBACK_ADDRESSES"
KIND = "addresses"  # the folder in the cache
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s\0]+")
ELSEWHERE = re.compile(r"::|[?#%\\]|//|(?:^|/)\.{1,2}(?:/|$)")  # leads to another place than its letters say
SECRET = re.compile(r"(?<=://)[^/@]*:[^/]*@")
LOCAL = ("file", "local")
FILES = 2_000  # below one address, and folders
LONGEST = 255  # bytes of a name
READINGS = 3
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


def is_address(text: str) -> bool:
    """Whether a text is an address, and no path that is there."""
    return ADDRESS.fullmatch(text) is not None and not os.path.lexists(text)


def redact_address(address: str) -> str:
    """Return an address without passwords and query, as it may be shown."""
    if "://" not in address:
        return address
    before, query, _ = re.sub(r"://[^/]*@", "://…@", address).partition("?")
    if query:
        return f"{before}?…"
    return before


def fetch(address: str) -> Path:
    """Copy what is at an address now and return the copy: a folder, or a file in one. Raises Refused and DiskFull."""
    _check_allowed(address)
    scheme, _, rest = address.partition("://")
    address = f"{scheme}://{rest.rstrip('/')}"
    store, base = _open_store(address)
    with cache_folder.room():
        try:
            with copies.write_alone(KIND, address) as entry:
                copy = _copy_files(address, store, base, entry)
        except OSError as error:
            if isinstance(error, cache_folder.DiskFull) or error.errno in FULL:
                raise
            raise Refused(_format_error(error)) from error
    return copy


def _check_allowed(address: str) -> None:
    """Raise Refused where the address is not allowed."""
    scheme, _, rest = address.partition("://")
    if ADDRESS.fullmatch(address) is None or ELSEWHERE.search(rest.rstrip("/")):
        raise Refused("an address has the form store://place/folder, without '..', '//', '::', '?', '#', '%' or '\\'")
    if SECRET.search(address):
        raise Refused("an address holds no passwords; the store's own settings have them")
    if scheme in LOCAL:
        raise Refused("a path of this machine is given as it is, without file://")
    prefixes = os.environ.get(VARIABLE, "").split()
    if not any(f"{address.rstrip('/')}/".startswith(f"{prefix.rstrip('/')}/") for prefix in prefixes):
        if prefixes:
            setting = f"it has {' '.join(prefixes)}"
        else:
            setting = f"it is not set; {VARIABLE}={address} allows this one"
        raise Refused(f"only addresses below the prefixes in the environment variable {VARIABLE} are read: {setting}")


def _open_store(address: str) -> tuple[Any, str]:
    """Who reads the address, and what it calls the place."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise Refused("fsspec is not installed: pip install 'readback[addresses]'") from None
    try:
        store, base = url_to_fs(address)
    except Exception as error:  # of a store's package that is not there, of its settings, …
        raise Refused(_format_error(error)) from error
    return store, base


def _copy_files(address: str, store: Any, base: str, entry: Path) -> Path:
    name = PurePosixPath(base).name.replace(":", "-") or "workspace"  # ':' is between folders where several are named
    trusted = address.partition("://")[0] in OBJECTS
    for _ in range(READINGS):
        files = _list_files(store, base, name, trusted)
        staged, earlier_files = cache_folder.fresh(entry / "new"), _index_earlier_files(entry)
        try:
            digests = {
                path: _copy_file(store, file, staged / COPY / path, earlier_files) for path, file in files.items()
            }
            if _list_files(store, base, name, trusted) == files:
                about = {path: (_format_version_key(file), digests[path]) for path, file in files.items()}
                return copies.store_state(address, entry, staged, about) / COPY / name
        finally:
            cache_folder.drop(staged)
        time.sleep(cache_folder.PAUSE)
    raise Refused(f"it changed while it was copied, {READINGS} times one after another; open it when it is written")


def _list_files(store: Any, base: str, name: str, trusted: bool) -> dict[str, _File]:
    """All files, by their paths in the copy, where `name` is what the address leads to; `trusted` are its hashes."""
    try:
        store.invalidate_cache()
        info = store.info(base)
    except FileNotFoundError as error:  # of some stores whatever else is wrong
        if error.__cause__:
            cause = f" ({type(error.__cause__).__name__})"
        else:
            cause = ""
        raise Refused(f"there is no such file or folder{cause}") from error
    except Exception as error:
        raise Refused(_format_error(error)) from error
    try:
        if info["type"] == "file":
            entries = [("", info)]
        else:
            entries = list(_walk_folder(store, base.rstrip("/"), base))
    except Refused:
        raise
    except Exception as error:
        raise Refused(_format_error(error)) from error
    if not entries:
        raise Refused("there is no file in it")
    listed: dict[str, _File] = {}
    for path, about in entries:
        if trusted:
            vouched = next((str(about[key]) for key in VOUCHES if about.get(key)), None)
        else:
            vouched = None
        details = tuple(sorted((str(key), str(value)) for key, value in about.items() if not SEEN.search(str(key))))
        if str(about.get("size", "")).isdecimal():
            size = int(about["size"])
        else:
            size = None
        listed[f"{name}{path}"] = _File(str(about["name"]) if path else base, size, vouched, details)
    return listed


def _walk_folder(store: Any, base: str, top: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each file below a folder, by its path there, with a slash before it. What cannot be listed is an error: fsspec's
    own way through the folders leaves it out.
    """
    waiting, paths, count = [top], set[str](), 0
    while waiting:
        folder = waiting.pop()
        for info in store.ls(folder, detail=True):
            full, kind = str(info["name"]), info["type"]
            if kind not in ("file", "directory"):
                raise Refused(f"it has something that is neither a file nor a folder: {full!r}")
            if full == folder if kind != "file" else full.endswith("/") and not info.get("size"):
                continue  # the folder itself, and how a store keeps one that holds nothing
            above = f"{folder.rstrip('/')}/"
            own = full.removesuffix("/").removeprefix(above)
            path = f"{above.removeprefix(base)}{own}"
            if not full.startswith(above) or not _is_name(own) or path in paths:
                raise Refused(f"it has a file whose name leads elsewhere, or two of one name: {full!r}")
            paths.add(path)
            count += 1
            if count > FILES:
                raise Refused(f"it has more than {FILES:,} files and folders; open a folder of it")
            if kind == "file":
                yield path, info
            else:
                waiting.append(full)


def _is_name(own: str) -> bool:
    """Whether a file can be called that here."""
    plain = own not in ("", ".", "..") and not {"/", "\0"} & {*own}
    return plain and len(own.encode("utf-8", "surrogatepass")) <= LONGEST


def _copy_file(store: Any, file: _File, target: Path, earlier_files: Mapping[str, Path]) -> str:
    """Make the copy of a file, of an earlier one where the store vouches that it is the same; answers its checksum."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not (
            file.version is not None
            and (digest := _link_earlier_file(earlier_files, _format_version_key(file), target))
        ):
            store.get_file(file.full, str(target))
            digest = checksum.compute_file_digest(target)
            _link_earlier_file(
                earlier_files, digest, target
            )  # so that a file that is the same in many states is there once
        size = target.stat().st_size
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise
        raise Refused(f"{file.full!r}: {_format_error(error)}") from error
    if file.size is not None and size != file.size:
        raise Refused(f"{file.full!r}: {size:,} bytes came, and the store says that it has {file.size:,}")
    return digest


def _link_earlier_file(earlier_files: Mapping[str, Path], key: str, target: Path) -> str | None:
    """Let a file be the one of an earlier state that is still what it was; answers its checksum, None where there is
    none, and where the disk knows no second name for a file.
    """
    if not (earlier := earlier_files.get(key)):
        return None
    twin = target.with_name(".twin")
    with suppress(OSError):
        digest = checksum.compute_file_digest(earlier)
        if earlier_files.get(digest) == earlier:
            os.link(earlier, twin)
            twin.replace(target)
            return digest
    return None


def _index_earlier_files(entry: Path) -> dict[str, Path]:
    """Map what the store said of each file of earlier states, and its checksum, to the copy on disk."""
    files: dict[str, Path] = {}
    for state in entry.iterdir():
        for path, (vouched, digest) in copies.read_about(state)[1].items():
            if (state / COPY / path).is_file():
                file = files.setdefault(digest, state / COPY / path)
                files[vouched] = file
    return files


def _format_version_key(file: _File) -> str:
    return json.dumps([file.full, file.size, file.version])


def _format_error(error: Exception) -> str:
    """Return the first line of a store's error message."""
    first_line = str(error).strip().splitlines()[:1]
    return f"it cannot be read: {': '.join((type(error).__name__, *first_line))}"
