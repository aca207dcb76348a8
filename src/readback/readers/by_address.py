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


def is_address(text: str) -> bool:
    """Whether a text is an address, and no path that is there."""
    return ADDRESS.fullmatch(text) is not None and not os.path.lexists(text)


def redact_address(address: str) -> str:
    """Return an address without passwords and query, as it may be shown."""
    if "://" not in address:
        return address
    before, query, _ = re.sub(r"://[^/]*@", "://…@", address).partition("?")
    return f"{before}?…" if query else before


def fetch(address: str) -> Path:
    """Copy what is at an address now and return the copy: a folder, or a file in one. Raises Refused and DiskFull."""
    _check_allowed(address)
    scheme, _, rest = address.partition("://")
    address = f"{scheme}://{rest.rstrip('/')}"
    store, base = _open_store(address)
    with cache_folder.room():
        folder = cache_folder.cache_folder(KIND).absolute()
        entry = folder / hashlib.blake2b(address.encode(), digest_size=12).hexdigest()
        try:
            entry.mkdir(mode=0o700, exist_ok=True)
            with cache_folder.alone(entry, lambda: None):
                copy = _copy_files(address, store, base, entry)
            _tidy(folder)
        except OSError as error:
            if isinstance(error, cache_folder.DiskFull) or error.errno in FULL:
                raise
            raise Refused(_format_error(error)) from error
    return copy


def mark_used(place: Path) -> None:
    """Somebody opens this path: where it is in a copy, that is kept for longer."""
    if KIND not in place.parts:
        return
    with suppress(OSError):
        folder = cache_folder.cache_folder(KIND).absolute()
        if place.absolute().is_relative_to(folder):
            os.utime(folder.joinpath(*place.absolute().relative_to(folder).parts[:2]))


def find_origin(root: Path) -> str | None:
    """Return the address that a folder in the cache is a copy of, or holds a copy of; None for any other folder."""
    for copy in (root.absolute(), root.absolute().parent):
        state = copy.parent
        if copy.name == COPY and state.parent.parent.name == KIND:
            is_ours = state.parent.parent == cache_folder.cache_folder(KIND).absolute()
            return _read_about(state)[0] if is_ours else None
    return None


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
        setting = f"it has {' '.join(prefixes)}" if prefixes else f"it is not set; {VARIABLE}={address} allows this one"
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
                return _store_state(address, entry, staged, files, digests) / COPY / name
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
        cause = f" ({type(error.__cause__).__name__})" if error.__cause__ else ""
        raise Refused(f"there is no such file or folder{cause}") from error
    except Exception as error:
        raise Refused(_format_error(error)) from error
    try:
        entries = [("", info)] if info["type"] == "file" else list(_walk_folder(store, base.rstrip("/"), base))
    except Refused:
        raise
    except Exception as error:
        raise Refused(_format_error(error)) from error
    if not entries:
        raise Refused("there is no file in it")
    listed: dict[str, _File] = {}
    for path, about in entries:
        vouched = next((str(about[key]) for key in VOUCHES if about.get(key)), None) if trusted else None
        details = tuple(sorted((str(key), str(value)) for key, value in about.items() if not SEEN.search(str(key))))
        size = int(about["size"]) if str(about.get("size", "")).isdecimal() else None
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
        for path, (vouched, digest) in _read_about(state)[1].items():
            if (state / COPY / path).is_file():
                file = files.setdefault(digest, state / COPY / path)
                files[vouched] = file
    return files


def _format_version_key(file: _File) -> str:
    return json.dumps([file.full, file.size, file.version])


def _store_state(
    address: str, entry: Path, staged: Path, listed: Mapping[str, _File], digests: Mapping[str, str]
) -> Path:
    """Return the folder of the state with these files: the existing one if it is still whole, else the new one."""
    files = {path: [_format_version_key(file), digests[path]] for path, file in listed.items()}
    state = entry / hashlib.blake2b(json.dumps(digests, sort_keys=True).encode(), digest_size=12).hexdigest()
    (staged / ABOUT).write_text(json.dumps({"address": address, "files": files}), "utf-8")
    if _is_whole(state, digests):
        (staged / ABOUT).replace(state / ABOUT)  # the store may vouch for its files now
    else:
        cache_folder.drop(state)
        staged.rename(state)
    os.utime(state)
    return state


def _is_whole(state: Path, digests: Mapping[str, str]) -> bool:
    paths = {path.relative_to(state / COPY).as_posix(): path for path in (state / COPY).rglob("*") if path.is_file()}
    with suppress(OSError):
        return bool(_read_about(state)[0]) and digests == {
            name: checksum.compute_file_digest(path) for name, path in paths.items()
        }
    return False


def _read_about(state: Path) -> tuple[str | None, Mapping[str, tuple[str, str]]]:
    """Return the address of a state, and for each path in the copy what the store said of the file and its checksum."""
    try:
        about = json.loads((state / ABOUT).read_text("utf-8"))
        return str(about["address"]), {
            str(path): (version, digest) for path, (version, digest) in about["files"].items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None, {}


def _tidy(folder: Path) -> None:
    """Remove what nobody opened for long, and what was begun and never ended; not where somebody is at work."""
    for entry in [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")]:
        with suppress(OSError), cache_folder.alone(entry, _give_up):
            for path in entry.iterdir():
                if path.stat().st_mtime < time.time() - (BEGUN if path.name.startswith(".new-") else OLD):
                    cache_folder.remove(path)


def _give_up() -> None:
    raise BlockingIOError


def _format_error(error: Exception) -> str:
    """Return the first line of a store's error message."""
    first_line = str(error).strip().splitlines()[:1]
    return f"it cannot be read: {': '.join((type(error).__name__, *first_line))}"
