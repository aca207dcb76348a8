"""Ranges of records worked on by a Dask cluster, whose workers drive bounded children of their own.

    with connected(address, opened, say) as cluster:     here
        engine.stream(opened, workers=cluster)
    look(text), work(text)                               on a worker

A worker opens the same paths. What goes to it is the name of `look` or `work` and a text of JSON, and what it answers
is a text of JSON; how Dask sends them, and why a cluster is trusted, is in docs/decisions/0038. Each range is asked for
with a checksum of all files that are read for it, so that no worker answers about other bytes. A range that the cluster
does not answer is worked on here, so that the answer is the same, whatever becomes of the cluster.
"""

from __future__ import annotations

import json
import os
import pkgutil
import platform
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache, partial
from importlib import metadata
from pathlib import Path
from threading import BoundedSemaphore, Event, Lock, Thread, Timer, local
from typing import TYPE_CHECKING, Any

from readback import plugins, sandbox
from readback.checks import kept_answers
from readback.checks.chunk import WORK
from readback.checks.material import digest, files_of_rows
from readback.prompts import in_child, model_input, token_counts, training_match
from readback.readers.by_address import Refused, fetch, origin
from readback.readers.cache_folder import DiskFull, cache_folder
from readback.readers.checksum import Hashes
from readback.readers.file_state import State, state
from readback.records.dataset import open_dataset
from readback.requests import observer
from readback.sandbox.frozen import freeze, thaw
from readback.types import Workspace

if TYPE_CHECKING:
    from distributed import Client, Future

ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:\d+")
CONNECT = 10.0  # seconds for the scheduler to answer
LOOK = 0.2  # seconds between two looks at whether somebody still waits
CHECK = 2.0  # seconds between two looks at which workers there are
GONE = 30.0  # seconds in which a cluster without a worker may get one: a nanny starts a new one in a few
AGAIN = 60.0  # seconds after which a store is asked once more for bytes that it did not have
COPIES = 64  # states of workspaces at addresses that a worker remembers
IDLE = 10.0  # seconds after which the child of a worker ends that nobody asks
AHEAD = 2  # ranges for each thread of a worker, so that none waits for the next
DASK = ("dask", "distributed")  # which look at their versions by themselves

Say = Callable[[str, Mapping[str, Any]], None]


class Unusable(Exception):  # noqa: N818 - an outcome to say, as StopIteration is
    """Why a cluster cannot be used: the name of a sentence (`cli.check.cluster_…`) and its values."""

    def __init__(self, why: str, **values: Any) -> None:
        super().__init__(why)
        self.why, self.values = why, values


class Cluster:
    """The workers of one cluster for the check of one workspace."""

    def __init__(
        self, client: Client, threads: int, asked: Mapping[str, Any], day: str, say: Say, hashes: Hashes
    ) -> None:
        """`threads` of all workers; `asked`: what they must see, as `look` takes it; `say` tells why something is
        worked on here, each reason once; `hashes`: of the files that were looked at.
        """
        self.at_once, self.hashes = AHEAD * threads, hashes
        self._client, self._asked, self._day, self._say = client, asked, day, say
        self._here = BoundedSemaphore(os.cpu_count() or 1)
        self._said: set[str] = set()

    def stream(self, work: Mapping[str, Any], here: Callable[[], Iterator[Any]], ended: Event) -> Iterator[Any]:
        """As `audit_run.Workers` has it: the frames of a range, when all are there."""
        told = self._told(work, ended)
        if told is None:
            with self._here:
                yield from here() if not ended.is_set() else ()
            return
        yield from told["frames"]
        if "stopped" in told:
            kind, detail, doubtful = told["stopped"]
            raise sandbox.Stopped(kind, detail, doubtful=doubtful)

    def _told(self, asked: Mapping[str, Any], ended: Event) -> dict[str, Any] | None:
        """What a worker answers; None where none does, or nobody waits any more."""
        dated = {"today": self._day, **asked["workspace"]}  # a worker may have another clock
        try:
            text = json.dumps({**self._asked, "work": {**asked, "workspace": dated}})
            future = self._client.submit(work, text, pure=False)
            try:
                told: dict[str, Any] | None = json.loads(future.result()) if self._wait(future, ended) else None
            finally:
                future.release()
        except Exception as error:  # whatever Dask raises: lost, killed with each worker that tried, forgotten
            told = {"unfit": ["lost", {"error": _in_a_line(error)}]}
        if told is None or "unfit" not in told:
            return told
        why, values = told["unfit"]
        if why not in self._said and not ended.is_set():
            self._said.add(why)
            self._say(why, values)
        return None

    def _wait(self, future: Future[str], ended: Event) -> bool:
        """Whether the answer is there, before nobody waits any more. Raises TimeoutError where nobody works on it."""
        done, seen, looked = Event(), time.monotonic(), time.monotonic()
        future.add_done_callback(lambda _: done.set())
        while not done.wait(LOOK):
            if ended.is_set():
                return False
            if (now := time.monotonic()) - looked > CHECK:
                looked = now
                if self._client.nthreads():
                    seen = now
                elif now - seen > GONE:
                    raise TimeoutError("it has no worker any more")
        return True


@contextmanager
def connected(address: str, opened: Workspace, say: Say) -> Iterator[Cluster]:
    """The cluster whose scheduler is at `address`, when each of its workers has turned out to see what we see.

    `say(why, values)` is told why something is worked on here after all. Raises Unusable, before any work begins.
    """
    client = _client(address)
    try:
        day, hashes = model_input.today(opened), Hashes()
        files = _files(opened, hashes)
        asked = {"about": _about(), "root": str(opened.root), "files": files, "address": origin(opened.root)}
        text = json.dumps({**asked, "workspace": freeze(replace(opened, today=day))})
        _known_there(client)
        workers = client.nthreads()
        looks = {
            name: client.submit(look, text, workers=[name], allow_other_workers=False, pure=False) for name in workers
        }
        fit = [name for name, future in looks.items() if _fits(client, name, future)]
        if not fit:
            raise Unusable("no_workers", address=address)
        yield Cluster(client, sum(workers[name] for name in fit), asked, day, say, hashes)
    finally:
        client.close(timeout=CONNECT)


def _client(address: str) -> Client:
    if not ADDRESS.fullmatch(address):
        raise Unusable("no_address", address=address)
    try:
        import dask

        # what it would write to standard error about lost workers is ours to say
        dask.config.set({"logging": {"distributed": "critical", "distributed.client": "critical"}})
        import distributed
    except ImportError:
        raise Unusable("no_extra") from None
    made: list[Client | Exception] = []

    def connect() -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that its Dask has another version: it says so where it cannot work
                made.append(distributed.Client(address, timeout=CONNECT, set_as_default=False))
        except Exception as error:
            made.append(error)

    # Something else than a scheduler may answer nothing for ever, and no timeout of Dask's ends that.
    connecting = Thread(target=connect, daemon=True)
    connecting.start()
    connecting.join(3 * CONNECT)
    client = made[0] if made else TimeoutError("nothing that it says is of Dask")
    if isinstance(client, Exception):
        raise Unusable("unreachable", address=address, error=_in_a_line(client)) from None
    return client


def _known_there(client: Client) -> None:
    """Raises Unusable where the scheduler or a worker does not have this very module: one that gets the name of a
    function which it cannot import ends (Dask 2026.8), so a function of Python's own asks.
    """
    asked = (pkgutil.get_data, __package__, Path(__file__).name)
    ours = pkgutil.get_data(*asked[1:])
    try:
        there = client.run_on_scheduler(*asked)
    except Exception:
        there = None
    if there != ours:
        raise Unusable("no_readback_scheduler")
    for worker, there in client.run(*asked, on_error="return").items():
        if there != ours:
            raise Unusable("no_readback", worker=worker)


def _fits(client: Client, worker: str, future: Future[str]) -> bool:
    """Whether a worker can be used; False for one that went away meanwhile. Raises Unusable."""
    while True:
        try:
            said = future.result(timeout=CHECK)
        except TimeoutError:
            if worker not in client.nthreads():
                return False
        except Exception as error:
            raise Unusable("failed", worker=worker, error=_in_a_line(error)) from None
        else:
            if unfit := json.loads(said):
                why, values = unfit
                raise Unusable(why, worker=worker, **values)
            return True


def _in_a_line(error: Exception) -> str:
    return ": ".join((type(error).__name__, *str(error).strip().splitlines()[:1]))


# On a worker.


def look(text: str) -> str:
    """What keeps this worker from the work, as JSON: null, or [the name of a sentence, its values]. Its indexes are
    made here, where nothing waits for them yet.
    """
    asked = json.loads(text)
    sandbox.begin(WORK.partition(":")[0])
    root, unfit = _place(asked)
    if not unfit:
        _prepared(json.dumps({**asked["workspace"], "root": root}))
    return json.dumps(unfit)


def work(text: str) -> str:
    """The frames of one range, as JSON: {"frames", "stopped": as the child was, if it was}, or {"unfit": as above}."""
    asked = json.loads(text)
    root, unfit = _place(asked)
    told = {} if unfit else _told(asked["work"], root, asked["files"])
    if unfit := unfit or _unfit(root, asked["files"]):  # as they were while they were read
        why, values = unfit
        return json.dumps({"unfit": [why, {**values, "worker": platform.node()}]})
    return json.dumps(told)


def _told(asked: Mapping[str, Any], root: str, files: Mapping[str, str]) -> dict[str, Any]:
    """What a child says of one range of the workspace in a folder, where these are the digests of its files."""
    work = {**asked, "workspace": {**asked["workspace"], "root": root}, "cache": str(cache_folder().parent)}
    frozen = json.dumps(work["workspace"])
    opened = _prepared(frozen)
    frames = []
    try:
        for frame in _of_thread(json.dumps([frozen, files]), opened).stream(work):
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

    def __init__(self, of: str, opened: Workspace) -> None:
        limits, shared = token_counts.limits(opened, in_child.LIMITS), token_counts.shared_by_audit(opened)
        self.of, self._child, self._lock = of, sandbox.Child(WORK, limits, shared), Lock()
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


def _of_thread(of: str, opened: Workspace) -> _Staying:
    """That of this thread of a worker, for a workspace and its files as they are: a child keeps what it has read."""
    mine: _Staying | None = getattr(_mine, "staying", None)
    if mine is None or mine.of != of:
        if mine:
            mine.close()
        mine = _mine.staying = _Staying(of, opened)
    return mine


# By address and files: the folder of a copy, why there is none of these files, and when the store was asked.
_copies: dict[str, tuple[str, str, float]] = {}


def _place(asked: Mapping[str, Any]) -> tuple[str, list[Any] | None]:
    """Where this machine has the workspace: under the same path, or where that is not there and it has an address, in a
    copy of its own. And what keeps this worker from the work, as `look` says it.
    """
    theirs, ours = asked["about"], _about()
    for what in sorted({*theirs, *ours}):
        if theirs.get(what) != ours.get(what):
            values = {"what": what, "theirs": ours.get(what) or "–", "ours": theirs.get(what) or "–"}
            return asked["root"], ["other_version", values]
    root, address, files = asked["root"], asked["address"], asked["files"]
    if address and _other(root, files):
        known, now = json.dumps([address, files]), time.monotonic()
        copy, why, when = _copies.get(known, ("", "", -AGAIN))
        if (not copy or _other(copy, files)) and now - when > AGAIN:
            try:
                place = fetch(address)
                copy, why = str(place if place.is_dir() else place.parent), "the store has other bytes there"
            except (Refused, DiskFull) as error:
                copy, why = "", str(error)
            if len(_copies) >= COPIES:
                _copies.clear()
            _copies[known] = copy, why, now
        if not copy or _other(copy, files):
            return root, ["unfetched", {"address": address, "error": why}]
        root = copy
    return root, _unfit(root, files)


def _unfit(root: str, files: Mapping[str, str]) -> list[Any] | None:
    """Which file below a folder is not what is known of it, or not there, as `look` says it."""
    other = _other(root, files)
    return other and ["other_bytes" if other[1] else "unseen", {"file": str(Path(root, other[0]))}]


def _other(root: str, files: Mapping[str, str]) -> tuple[str, str] | None:
    """The first file below a folder that is not what is known of it, with its own digest, "" where there is none."""
    found = ((name, _digest(Path(root), name, _of_state)) for name in files)
    return next(((name, one) for name, one in found if one != files[name]), None)


@lru_cache(maxsize=8)
def _prepared(frozen: str) -> Workspace:
    """The workspace, when all that a bounded child reads but may not write has been indexed on this machine."""
    opened = thaw(json.loads(frozen))
    data = open_dataset(opened.root, opened.dataset)
    training_match.prepare(opened)
    observer.prepare(opened, data)
    return opened


def _forgotten() -> bool:
    """Whether nobody waits any more for what this thread of a worker does."""
    with suppress(ImportError, ValueError, AttributeError, KeyError):  # no worker, or one of another Dask: it goes on
        from distributed.worker import get_worker, thread_state

        return bool(get_worker().state.tasks[thread_state.key].state == "cancelled")
    return False


# What an answer depends on, here and there.


@lru_cache(maxsize=1)
def _about() -> dict[str, str]:
    """The versions of what makes an answer, by name; Readback's own files, too."""
    needed = [one for one in _metadata("readback", metadata.requires, None) or () if "extra == 'cluster'" not in one]
    names = ["readback", *(re.split(r"[^\w.-]", one, maxsplit=1)[0] for one in needed)]
    packages = {name: _metadata(name, metadata.version, "") for name in names if name not in DASK}
    added = {f"plugin {one.name} ({one.group})": f"{one.package} {one.version}" for one in plugins.entries()}
    python = ".".join(map(str, sys.version_info[:2]))
    return {"Python": python, **packages, **added, "the files of readback": kept_answers.package()[:12]}


def _metadata(name: str, ask: Callable[[str], Any], default: Any) -> Any:
    try:
        return ask(name)
    except metadata.PackageNotFoundError:
        return default


def _files(opened: Workspace, hashes: Hashes) -> dict[str, str]:
    """The digests of all files that are read for ranges, by their names; "" for what is no file."""
    names = set(files_of_rows(opened))
    inside = {f"{name}/{one.name}" for name in names for one in _below(opened.root / name)}  # a tokenizer's folder
    return {name: _digest(opened.root, name, partial(_made, hashes)) for name in sorted(names | inside)}


def _below(folder: Path) -> list[Path]:
    try:
        return sorted(one for one in folder.iterdir() if one.is_file()) if folder.is_dir() else []
    except OSError:
        return []


def _digest(root: Path, name: str, made: Callable[[Path, str, State], str]) -> str:
    """A digest of what a file holds, as `made` makes it of a file in that state; "" where there is none that can be
    read.
    """
    try:
        return made(root, name, state(root / name)) if (root / name).is_file() else ""
    except OSError:
        return ""


def _made(hashes: Hashes, root: Path, name: str, known: State) -> str:
    return digest(kept_answers.content(root, {name: known}, hashes))


@lru_cache(maxsize=512)
def _of_state(root: Path, name: str, known: State) -> str:
    """On a worker, which is asked for each range: that it could not be read is not remembered."""
    return _made(Hashes(), root, name, known)
