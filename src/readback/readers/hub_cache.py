"""The local Hugging Face cache: the folder of a repository that was downloaded before. Nothing is ever downloaded.

Layout (huggingface_hub): `models--ORG--NAME/snapshots/REVISION/` has the files of a revision, as links into `blobs/`
beside it; `refs/main` and its like say which revision a name means.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from readback.readers.files.paths import CACHE_ENTRY, is_folder, list_entries
from readback.readers.yaml.yaml_file import find_nearest

REPOSITORY = re.compile(
    r"(?P<id>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@(?P<revision>[\w.-]+(?:/[\w.-]+)*))?", re.ASCII
)
SHORT = 8  # signs of a revision that tell it from others
LISTED = 10  # repositories and revisions that a sentence names


class NotCached(Exception):  # noqa: N818 - it is no mistake of ours
    """The cache has no such repository or revision; the text says where was looked, and what is there."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A revision of a repository in the cache. `by` is the name that led to it: `refs/main`, or "" for none."""

    repository: str
    revision: str
    folder: Path
    by: str = ""


def cache(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the cache is, as huggingface_hub looks for it: the first of its variables that is set counts."""
    for name, below in (
        ("HF_HUB_CACHE", ""),
        ("HUGGINGFACE_HUB_CACHE", ""),
        ("HF_HOME", "hub"),
        ("XDG_CACHE_HOME", "huggingface/hub"),
    ):
        if value := environment.get(name):
            return Path(os.path.expandvars(value)).expanduser() / below
    return Path("~/.cache/huggingface/hub").expanduser()


def is_repository(text: str) -> bool:
    """Whether a text may name a repository, `org/name` or `org/name@revision`."""
    match = REPOSITORY.fullmatch(text)
    return match is not None and ".." not in text and "--" not in match["id"]


def find(text: str, environment: Mapping[str, str] = os.environ) -> Snapshot:
    """Return the snapshot that `org/name` or `org/name@revision` means. Raises NotCached.

    A revision is a name under `refs/`, or the beginning of a commit; without one it is `refs/main`, else the only one.
    """
    match = REPOSITORY.fullmatch(text)
    if match is None:
        raise NotCached(f"{text} is not the id of a repository")
    home, repository = cache(environment), match["id"]
    entry = home / f"{CACHE_ENTRY}{repository.replace('/', '--')}"
    if not is_folder(entry):
        raise NotCached(_explain_no_repository(repository, home))
    revisions = [path.name for path in _list_revisions(entry)]
    requested = match["revision"]
    by = requested or "main"
    if (revision := _read_ref(entry, by)) in revisions:
        return Snapshot(repository, str(revision), entry / "snapshots" / str(revision), f"refs/{by}")
    candidates = [commit for commit in revisions if not requested or commit.startswith(requested)]
    if len(candidates) == 1:
        return Snapshot(repository, candidates[0], entry / "snapshots" / candidates[0])
    raise NotCached(_explain_no_revision(repository, requested, revisions, candidates))


def snapshot(folder: Path) -> Path:
    """Return the folder to open for a cache entry: the snapshot of refs/main, or the only one; else `folder`.

    Nothing of it is reached through a link: an entry has links among its files only.
    """
    if not folder.name.startswith(CACHE_ENTRY) or not is_folder(folder / "snapshots"):
        return folder
    revisions = _list_revisions(folder)
    main = _read_ref(folder, "main")
    chosen = [p for p in revisions if p.name == main] or (revisions if len(revisions) == 1 else [])
    if chosen:
        return chosen[0]
    return folder


def name(folder: Path) -> str | None:
    """Return the name of a snapshot: its repository and the beginning of its revision. None for any other folder."""
    entry = folder.parent.parent
    if folder.parent.name != "snapshots" or not entry.name.startswith(CACHE_ENTRY):
        return None
    return f"{_get_repository(entry)}@{folder.name[:SHORT]}"


def _get_repository(entry: Path) -> str:
    return entry.name.removeprefix(CACHE_ENTRY).replace("--", "/")


def _list_revisions(entry: Path) -> list[Path]:
    snapshots = entry / "snapshots"
    if is_folder(snapshots):
        return [path for path in list_entries(snapshots) if is_folder(path)]
    return []


def _read_ref(entry: Path, name: str) -> str | None:
    """Return the revision that a file below refs/ names; links are not followed."""
    ref = entry / "refs"
    for part in name.split("/"):
        if not is_folder(ref):
            return None
        ref /= part
    try:
        if ref.is_symlink() or not ref.is_file():
            return None
        with ref.open("rb") as file:
            return file.read(200).decode("ascii", "replace").strip()
    except OSError:
        return None


def _explain_no_repository(repository: str, home: Path) -> str:
    repositories = [
        _get_repository(entry)
        for entry in list_entries(home)
        if entry.name.startswith(CACHE_ENTRY) and is_folder(entry)
    ]
    near = find_nearest(repository, repositories)
    hint = f"; did you mean '{near}'?" if near else ""
    if repositories:
        listed = f"there are: {_join_names(repositories)}"
    else:
        listed = "there is none"
    where = f"the local Hugging Face cache ({home})"
    return f"no repository '{repository}' in {where}{hint or f'; {listed}'}; nothing is downloaded"


def _explain_no_revision(repository: str, requested: str | None, revisions: list[str], candidates: list[str]) -> str:
    if revisions:
        listing = f"there are: {_join_names([commit[:SHORT] for commit in revisions])}"
    else:
        listing = "it has no files there"
    if requested is None:
        why = f"'{repository}' is in the local Hugging Face cache, but nothing says which revision is meant"
        if revisions:
            return f"{why}; write {repository}@REVISION; {listing}"
        return f"{why}; {listing}"
    if candidates:
        many = "more than one revision of"
    else:
        many = "no revision of"
    return f"{many} '{repository}' in the local Hugging Face cache begins with '{requested}'; {listing}"


def _join_names(names: list[str]) -> str:
    if len(names) > LISTED:
        more = f" and {len(names) - LISTED} more"
    else:
        more = ""
    return ", ".join(names[:LISTED]) + more
