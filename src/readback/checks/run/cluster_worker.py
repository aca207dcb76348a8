"""What a worker of a cluster does: it drives bounded children of its own, as `cluster` asks it to.

A worker that does not see the files of the workspace, or sees other ones, or has another Readback, does nothing but say
so. The functions that a worker is asked for take a text of JSON and answer one.
"""

from __future__ import annotations

import json
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from importlib import metadata
from pathlib import Path
from threading import Lock, Timer, local
from typing import Any

from readback import plugins, sandbox
from readback.checks.run.chunk import WORK
from readback.checks.store import answer_names
from readback.prompts import children, token_counts, training_rows
from readback.readers.files.by_address import Refused, fetch
from readback.readers.files.cache_folder import DiskFull, cache_folder
from readback.readers.files.checksum import Hashes, State, state
from readback.records import carried_index
from readback.records.dataset import open_dataset
from readback.records.files_of_rows import list_row_files
from readback.requests import observer
from readback.sandbox.json_values import thaw
from readback.types import Workspace

AGAIN = 60.0  # seconds after which a store is asked once more for bytes that it did not have
COPIES = 64  # states of workspaces at addresses that a worker remembers
IDLE = 10.0  # seconds after which the child of a worker ends that nobody asks
DASK = ("dask", "distributed")  # which look at their versions by themselves


def look(text: str) -> str:
    """Return why this worker cannot do the work, as JSON: null, or [the name of a sentence, its values]. Its indexes
    are made here, where nothing waits for them yet.
    """
    request = json.loads(text)
    sandbox.start_zygote(WORK.partition(":")[0])
    root, unfit = _place(request)
    if not unfit:
        _prepared(json.dumps({**request["workspace"], "root": root}), _describe_states(root, request["files"]))
    return json.dumps(unfit)


def index(text: str) -> str:
    """Return the index of the dataset as JSON (`carried_index.export_index`), null if this worker has none."""
    request = json.loads(text)
    root, unfit = _place(request)
    opened = thaw({**request["workspace"], "root": root})
    if unfit:
        parts = None
    else:
        parts = carried_index.export_index(opened.root, opened.dataset)
    return json.dumps(None if _unfit(root, request["files"]) else parts)


def work(text: str) -> str:
    """Return the frames of one range, as JSON: {"frames", "stopped": the child's reason, if any}, or {"unfit": as
    above}.
    """
    request = json.loads(text)
    root, unfit = _place(request)
    if unfit:
        answer = {}
    else:
        answer = _run_range(request["work"], root, request["files"])
    if unfit := unfit or _unfit(root, request["files"]):  # as they were while they were read
        why, values = unfit
        return json.dumps({"unfit": [why, {**values, "worker": platform.node()}]})
    return json.dumps(answer)


def _run_range(request: Mapping[str, Any], root: str, files: Mapping[str, str]) -> dict[str, Any]:
    """Check one range of the workspace in a folder with a child; `files` are the digests of its files."""
    work = {**request, "workspace": {**request["workspace"], "root": root}, "cache": str(cache_folder().parent)}
    answer = _collect_frames(work, root, files)
    if work["numbers"] is None:
        count = work["stop"] - work["start"]
    else:
        count = len(work["numbers"])
    if not ("stopped" in answer or _forgotten()) and sum(len(frame["indices"]) for frame in answer["frames"]) < count:
        _prepared.cache_clear()  # somebody cleared the cache of this worker, and what was indexed has gone
        answer = _collect_frames(work, root, files)
    return answer


def _collect_frames(work: Mapping[str, Any], root: str, files: Mapping[str, str]) -> dict[str, Any]:
    frozen, states = json.dumps(work["workspace"]), _describe_states(root, files)
    opened = _prepared(frozen, states)
    frames = []
    try:
        for frame in _of_thread(frozen + states, opened).stream(work):
            frames.append(frame)
            if _forgotten():
                break
    except sandbox.Stopped as stopped:
        return {"frames": frames, "stopped": [stopped.kind, stopped.detail, stopped.doubtful]}
    return {"frames": frames}


class _Staying:
    """The child of a thread of a worker, for one range of a workspace after another; it ends when none has come for a
    while.
    """

    def __init__(self, key: str, opened: Workspace) -> None:
        limits, shared = token_counts.extend_limits(opened, children.LIMITS), token_counts.list_audit_tables(opened)
        self.key, self._child, self._lock = key, sandbox.Child(WORK, limits, shared), Lock()
        self._end: Timer | None = None

    def stream(self, work: Mapping[str, Any]) -> Iterator[Any]:
        with self._lock:
            if self._end:
                self._end.cancel()
            try:
                yield from self._child.stream(work)
            finally:
                self._end = Timer(IDLE, self.close)
                self._end.daemon = True
                self._end.start()

    def close(self) -> None:
        with self._lock:
            self._child.close()


_mine = local()


def _of_thread(key: str, opened: Workspace) -> _Staying:
    """Return this thread's child for a workspace and the states of its files: a child keeps what it has read."""
    mine: _Staying | None = getattr(_mine, "staying", None)
    if mine is None or mine.key != key:
        if mine:
            mine.close()
        mine = _mine.staying = _Staying(key, opened)
    return mine


# By address and files: the folder of a copy, why there is none of these files, and when the store was asked.
_copies: dict[str, tuple[str, str, float]] = {}


def _place(request: Mapping[str, Any]) -> tuple[str, list[Any] | None]:
    """Where this machine has the workspace: under the same path, or where that is not there and it has an address, in a
    copy of its own. And what keeps this worker from the work, as `look` says it.
    """
    theirs, ours = request["about"], about()
    for what in sorted({*theirs, *ours}):
        if theirs.get(what) != ours.get(what):
            values = {"what": what, "theirs": ours.get(what) or "–", "ours": theirs.get(what) or "–"}
            return request["root"], ["other_version", values]
    root, address, files = request["root"], request["address"], request["files"]
    if address and _other(root, files):
        copy_key, now = json.dumps([address, files]), time.monotonic()
        copy, why, when = _copies.get(copy_key, ("", "", -AGAIN))
        if (not copy or _other(copy, files)) and now - when > AGAIN:
            try:
                place = fetch(address)
                copy, why = str(place if place.is_dir() else place.parent), "the store has other bytes there"
            except (Refused, DiskFull) as error:
                copy, why = "", str(error)
            if len(_copies) >= COPIES:
                _copies.clear()
            _copies[copy_key] = copy, why, now
        if not copy or _other(copy, files):
            return root, ["unfetched", {"address": address, "error": why}]
        root = copy
    return root, _unfit(root, files)


def _unfit(root: str, files: Mapping[str, str]) -> list[Any] | None:
    """Which file below a folder is not what is known of it, or not there, as `look` says it."""
    other = _other(root, files)
    return other and ["other_bytes" if other[1] else "unseen", {"file": str(Path(root, other[0]))}]


def _describe_states(root: str, files: Mapping[str, str]) -> str:
    """Return the states of these files below a folder, as JSON."""
    return json.dumps([_digest(Path(root), name, lambda _root, _name, file_state: str(file_state)) for name in files])


def _other(root: str, files: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the first file below a folder whose digest is not the expected one, with its digest; "" where it is
    absent.
    """
    digests = ((name, _digest(Path(root), name, _digest_remembered)) for name in files)
    return next(((name, digest) for name, digest in digests if digest != files[name]), None)


@lru_cache(maxsize=8)
def _prepared(frozen: str, states: str) -> Workspace:
    """Open the workspace and index all that a bounded child reads but may not write, on this machine, of its
    files in `states`: an index is of one state of a file, whether another one has the same bytes or not.
    """
    opened = thaw(json.loads(frozen))
    data = open_dataset(opened.root, opened.dataset)
    training_rows.index_training_files(opened)
    observer.prepare_logs(opened, data)
    return opened


def _forgotten() -> bool:
    """Whether nobody waits any more for what this thread of a worker does."""
    with suppress(ImportError, ValueError, AttributeError, KeyError):  # no worker, or one of another Dask: it goes on
        from distributed.worker import get_worker, thread_state

        return bool(get_worker().state.tasks[thread_state.key].state == "cancelled")
    return False


# What an answer depends on, here and there.


@lru_cache(maxsize=1)
def about() -> dict[str, str]:
    """Return the versions of what makes an answer, by name, including Readback's files."""
    needed = [
        requirement
        for requirement in _metadata("readback", metadata.requires, None) or ()
        if "extra == 'cluster'" not in requirement
    ]
    names = ["readback", *(re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in needed)]
    packages = {name: _metadata(name, metadata.version, "") for name in names if name not in DASK}
    added = {
        f"plugin {entry.name} ({entry.group})": f"{entry.package} {entry.version}" for entry in plugins.list_entries()
    }
    python = ".".join(map(str, sys.version_info[:2]))
    return {"Python": python, **packages, **added, "the files of readback": answer_names.digest_package()[:12]}


def _metadata(name: str, ask: Callable[[str], Any], default: Any) -> Any:
    try:
        return ask(name)
    except metadata.PackageNotFoundError:
        return default


def files_of(opened: Workspace, hashes: Hashes) -> dict[str, str]:
    """Return the digests of all files that are read for ranges, by their names; "" for what is not a file."""
    names = set(list_row_files(opened))
    inside = {f"{name}/{path.name}" for name in names for path in _below(opened.root / name)}  # a tokenizer's folder
    return {name: _digest(opened.root, name, partial(_digest_state, hashes)) for name in sorted(names | inside)}


def _below(folder: Path) -> list[Path]:
    try:
        if folder.is_dir():
            return sorted(path for path in folder.iterdir() if path.is_file())
        return []
    except OSError:
        return []


def _digest(root: Path, name: str, compute: Callable[[Path, str, State], str]) -> str:
    """Compute the digest of what a file holds, with `compute` of its state; "" where there is none that can be
    read.
    """
    try:
        if (root / name).is_file():
            return compute(root, name, state(root / name))
        return ""
    except OSError:
        return ""


def _digest_state(hashes: Hashes, root: Path, name: str, file_state: State) -> str:
    return answer_names.digest_in_order(answer_names.digest_content(root, {name: file_state}, hashes))


@lru_cache(maxsize=512)
def _digest_remembered(root: Path, name: str, file_state: State) -> str:
    """On a worker, which is asked for each range: that it could not be read is not remembered."""
    return _digest_state(Hashes(), root, name, file_state)
