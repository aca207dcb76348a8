"""The workspaces that can be opened: configured folders or the demos, and this browser's own uploads, by id."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

import streamlit as st

from readback import project_files
from readback.html import exact
from readback.readers import hub_cache
from readback.ui.common.uploads import store as upload
from readback.workspace.inner_workspaces import list_workspaces

BROWSER = "browser"  # where a session keeps what tells its browser from others


def demos() -> Mapping[str, Path]:
    """Return the built-in demo workspaces by id."""
    return project_files.demos()


def configured() -> Mapping[str, Path]:
    """Return the workspaces the server was started with (READBACK_WORKSPACE, several separated as in PATH), by id.

    A folder of workspaces stands for those right inside it; one with files of its own comes before them.
    """
    paths: dict[str, Path] = {}
    for path, called in _list_places():
        name = stem = exact.spelling(called) or "workspace"
        while name in paths:
            name = f"{stem}-{sum(key.startswith(stem) for key in paths) + 1}"
        paths[name] = path
    return paths


def _list_places() -> Iterator[tuple[Path, str]]:
    for text in filter(None, os.environ.get("READBACK_WORKSPACE", "").split(os.pathsep)):
        path, called = _place(text)
        for folder in _list_workspaces(path, _read_time(path)):
            yield folder, called if folder == path else folder.name


def _read_time(path: Path) -> int:
    """Return when the entries of a folder last changed, in nanoseconds; 0 where that is not known."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=64)
def _list_workspaces(path: Path, changed: int) -> tuple[Path, ...]:
    """Return the workspaces that a folder stands for; every run of a page asks, so an unchanged folder is not read."""
    return tuple(list_workspaces(path))


def _place(text: str) -> tuple[Path, str]:
    """Return the path for a text of the setting, or the repository of the local Hugging Face cache, and its name.

    Only who starts the server names repositories: nothing that comes from a browser is looked up in the cache.
    """
    path = Path(os.path.abspath(Path(text).expanduser()))  # noqa: PTH100 - links stay as they are named
    if not os.path.lexists(path) and hub_cache.is_repository(text):
        with contextlib.suppress(hub_cache.NotCached):
            repository = hub_cache.find(text)
            return repository.folder.absolute(), repository.repository
    return path, path.name


def browser() -> str:
    """Return what tells this browser from others: its cross-site token, else this session."""
    if BROWSER not in st.session_state:
        st.session_state[BROWSER] = upload.browser(st.context.cookies) or upload.owner(os.urandom(16).hex())
    return str(st.session_state[BROWSER])


def folders() -> Mapping[str, Path]:
    """Every workspace in this browser's list: the configured ones, or else the demos; then its own uploads."""
    whose = browser()
    listed = configured() or demos()
    return {**listed, **{token: path for token in upload.mine(whose) if (path := upload.path(token, whose))}}


def list_openable() -> Mapping[str, Path]:
    """Every workspace this browser may open: those in the list, and the demos always."""
    listed = folders()
    return {**listed, **{name: path for name, path in demos().items() if name not in listed}}
