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

from readback.readers.paths import CACHE_ENTRY, entries, is_folder
from readback.readers.yaml_file import nearest

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
        if said := environment.get(name):
            return Path(os.path.expandvars(said)).expanduser() / below
    return Path("~/.cache/huggingface/hub").expanduser()


def is_repository(said: str) -> bool:
    """Whether a text may name a repository, `org/name` or `org/name@revision`."""
    found = REPOSITORY.fullmatch(said)
    return found is not None and ".." not in said and "--" not in found["id"]


def find(said: str, environment: Mapping[str, str] = os.environ) -> Snapshot:
    """The snapshot that `org/name` or `org/name@revision` means. Raises NotCached.

    A revision is a name under `refs/`, or the beginning of a commit; without one it is `refs/main`, else the only one.
    """
    found = REPOSITORY.fullmatch(said)
    if found is None:
        raise NotCached(f"{said} is not the id of a repository")
    home, repository = cache(environment), found["id"]
    entry = home / f"{CACHE_ENTRY}{repository.replace('/', '--')}"
    if not is_folder(entry):
        raise NotCached(_no_repository(repository, home))
    revisions = [path.name for path in _revisions(entry)]
    asked = found["revision"]
    by = asked or "main"
    if (revision := _named(entry, by)) in revisions:
        return Snapshot(repository, str(revision), entry / "snapshots" / str(revision), f"refs/{by}")
    meant = [one for one in revisions if not asked or one.startswith(asked)]
    if len(meant) == 1:
        return Snapshot(repository, meant[0], entry / "snapshots" / meant[0])
    raise NotCached(_no_revision(repository, asked, revisions, meant))


def snapshot(folder: Path) -> Path:
    """The folder to open for a cache entry: the snapshot of refs/main, or the only one; else `folder`.

    Nothing of it is reached through a link: an entry has links among its files only.
    """
    if not folder.name.startswith(CACHE_ENTRY) or not is_folder(folder / "snapshots"):
        return folder
    revisions = _revisions(folder)
    main = _named(folder, "main")
    chosen = [p for p in revisions if p.name == main] or (revisions if len(revisions) == 1 else [])
    return chosen[0] if chosen else folder


def name(folder: Path) -> str | None:
    """What a snapshot is called: its repository, and the beginning of its revision. None for any other folder."""
    entry = folder.parent.parent
    if folder.parent.name != "snapshots" or not entry.name.startswith(CACHE_ENTRY):
        return None
    return f"{_repository(entry)}@{folder.name[:SHORT]}"


def _repository(entry: Path) -> str:
    return entry.name.removeprefix(CACHE_ENTRY).replace("--", "/")


def _revisions(entry: Path) -> list[Path]:
    snapshots = entry / "snapshots"
    return [path for path in entries(snapshots) if is_folder(path)] if is_folder(snapshots) else []


def _named(entry: Path, name: str) -> str | None:
    """The revision that a file below refs/ names; no link leads there."""
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


def _no_repository(repository: str, home: Path) -> str:
    there = [_repository(entry) for entry in entries(home) if entry.name.startswith(CACHE_ENTRY) and is_folder(entry)]
    near = nearest(repository, there)
    hint = f"; did you mean '{near}'?" if near else ""
    listed = f"there are: {_listed(there)}" if there else "there is none"
    where = f"the local Hugging Face cache ({home})"
    return f"no repository '{repository}' in {where}{hint or f'; {listed}'}; nothing is downloaded"


def _no_revision(repository: str, asked: str | None, revisions: list[str], meant: list[str]) -> str:
    shown = f"there are: {_listed([one[:SHORT] for one in revisions])}" if revisions else "it has no files there"
    if asked is None:
        why = f"'{repository}' is in the local Hugging Face cache, but nothing says which revision is meant"
        return f"{why}; write {repository}@REVISION; {shown}" if revisions else f"{why}; {shown}"
    many = "more than one revision of" if meant else "no revision of"
    return f"{many} '{repository}' in the local Hugging Face cache begins with '{asked}'; {shown}"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
