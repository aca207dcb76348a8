"""Ranges of records worked on by a Dask cluster, whose workers drive bounded children of their own.

    with connected(address, opened, say) as cluster:     here
        engine.stream(opened, engine.CheckOptions(workers=cluster))
    look(text), index(text), work(text)                  on a worker (`cluster_worker`)

A worker opens the same paths. What goes to it is the name of `look`, `index` or `work` and a text of JSON, and what it
answers is a text of JSON; how Dask sends them, and why a cluster is trusted, is in docs/decisions/0038. Each range is
asked for with a checksum of all files that are read for it, so that no worker answers about other bytes. A range that
the cluster does not answer is worked on here, so that the answer is the same, whatever becomes of the cluster.
"""

from __future__ import annotations

import json
import os
import pkgutil
import re
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import BoundedSemaphore, Event, Thread
from typing import TYPE_CHECKING, Any

from readback import as_json, sandbox
from readback.checks.run import cluster_worker
from readback.prompts import model_input
from readback.readers.files.by_address import is_address
from readback.readers.files.checksum import Hashes
from readback.readers.files.copies import find_origin
from readback.records import carried_index
from readback.sandbox.json_values import freeze
from readback.types import Workspace

if TYPE_CHECKING:
    from distributed import Client, Future

ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:\d+")
CONNECT = 10.0  # seconds for the scheduler to answer
LOOK = 0.2  # seconds between two looks at whether somebody still waits
CHECK = 2.0  # seconds between two looks at which workers there are
BROUGHT = 20.0  # seconds for a worker to tell an index that it has
GONE = 30.0  # seconds in which a cluster without a worker may get one: a nanny starts a new one in a few
AHEAD = 2  # ranges for each thread of a worker, so that none waits for the next

Say = Callable[[str, Mapping[str, Any]], None]


class Unusable(Exception):  # noqa: N818 - an outcome to say, as StopIteration is
    """Why a cluster cannot be used: the name of a sentence (`cluster_…` in `cli/check.py`) and its values."""

    def __init__(self, why: str, **values: Any) -> None:
        super().__init__(why)
        self.why, self.values = why, values


class Cluster:
    """The workers of one cluster for the check of one workspace."""

    def __init__(
        self, client: Client, threads: int, expected: Mapping[str, Any], day: str, say: Say, hashes: Hashes
    ) -> None:
        """`threads` of all workers; `expected`: what they must see, as `look` takes it; `say` tells why something is
        worked on here, each reason once; `hashes`: of the files that were looked at.
        """
        self.at_once, self.hashes = AHEAD * threads, hashes
        self._client, self._expected, self._day, self._say = client, expected, day, say
        self._here = BoundedSemaphore(os.cpu_count() or 1)
        self._reported: set[str] = set()

    def stream(self, work: Mapping[str, Any], here: Callable[[], Iterator[Any]], ended: Event) -> Iterator[Any]:
        """As `audit_run.Workers` has it: the frames of a range, when all are there."""
        answer = self._ask_worker(work, ended)
        if answer is None:
            with self._here:
                yield from here() if not ended.is_set() else ()
            return
        yield from answer["frames"]
        if "stopped" in answer:
            kind, detail, doubtful = answer["stopped"]
            raise sandbox.Stopped(kind, detail, doubtful=doubtful)

    def _ask_worker(self, request: Mapping[str, Any], ended: Event) -> dict[str, Any] | None:
        """Return what a worker answers; None where none does, or the caller has stopped."""
        dated = {"today": self._day, **request["workspace"]}  # a worker may have another clock
        try:
            text = json.dumps({**self._expected, "work": {**request, "workspace": dated}})
            future = self._client.submit(cluster_worker.work, text, pure=False)
            try:
                there = self._wait(future, ended)
                answer: dict[str, Any] | None = as_json.unpack(future.result().encode()) if there else None
            finally:
                future.release()
        except Exception as error:  # whatever Dask raises: lost, killed with each worker that tried, forgotten
            answer = {"unfit": ["lost", {"error": _in_a_line(error)}]}
        if answer is None or "unfit" not in answer:
            return answer
        why, values = answer["unfit"]
        if why not in self._reported and not ended.is_set():
            self._reported.add(why)
            self._say(why, values)
        return None

    def _wait(self, future: Future[str], ended: Event) -> bool:
        """Whether the answer is there, before nobody waits any more. Raises TimeoutError where nobody works on it."""
        done, last_worker, looked = Event(), time.monotonic(), time.monotonic()
        future.add_done_callback(lambda _: done.set())
        while not done.wait(LOOK):
            if ended.is_set():
                return False
            if (now := time.monotonic()) - looked > CHECK:
                looked = now
                if self._client.nthreads():
                    last_worker = now
                elif now - last_worker > GONE:
                    raise TimeoutError("it has no worker any more")
        return True


@contextmanager
def connected(address: str, opened: Workspace, say: Say) -> Iterator[Cluster]:
    """Connect to the cluster whose scheduler is at `address`, and check that each worker sees the same files.

    `say(why, values)` is told why something is worked on here after all. Raises Unusable, before any work begins.
    """
    client = _client(address)
    try:
        day, hashes = model_input.resolve_today(opened), Hashes()
        missing = carried_index.find_missing(opened.root, opened.dataset)  # of the file as it is before it is compared
        files = cluster_worker.files_of(opened, hashes)
        origin = find_origin(opened.root)
        expected = {
            "about": cluster_worker.about(),
            "root": str(opened.root),
            "files": files,
            "address": origin if origin and is_address(origin) else None,
        }
        text = json.dumps({**expected, "workspace": freeze(replace(opened, today=day))})
        _known_there(client)
        workers = client.nthreads()
        looks = {
            name: client.submit(cluster_worker.look, text, workers=[name], allow_other_workers=False, pure=False)
            for name in workers
        }
        fit = [name for name, future in looks.items() if _fits(client, name, future)]
        if not fit:
            raise Unusable("no_workers", address=address)
        if missing:
            _bring_index(client, fit[0], text, missing)
        yield Cluster(client, sum(workers[name] for name in fit), expected, day, say, hashes)
    finally:
        client.close(timeout=CONNECT)


def hasten() -> Thread:
    """Load Dask while something else is waited for; who needs it says what is wrong with it."""

    def load() -> None:
        with suppress(ImportError):
            _dask()

    thread = Thread(target=load)
    thread.start()
    return thread


def _dask() -> Any:
    """Load the package. Raises ImportError."""
    import dask

    # what it would write to standard error about lost workers is ours to say; it asks when it is loaded
    dask.config.set({"logging": {"distributed": "critical", "distributed.client": "critical"}})
    import distributed

    return distributed


def _client(address: str) -> Client:
    if not ADDRESS.fullmatch(address):
        raise Unusable("no_address", address=address)
    try:
        distributed = _dask()
    except ImportError:
        raise Unusable("no_extra") from None
    outcome: list[Client | Exception] = []

    def connect() -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that its Dask has another version: it says so where it cannot work
                outcome.append(distributed.Client(address, timeout=CONNECT, set_as_default=False))
        except Exception as error:
            outcome.append(error)

    # Something else than a scheduler may answer nothing for ever, and no timeout of Dask's ends that.
    connecting = Thread(target=connect, daemon=True)
    connecting.start()
    connecting.join(3 * CONNECT)
    if outcome:
        client = outcome[0]
    else:
        client = TimeoutError("nothing that it says is of Dask")
    if isinstance(client, Exception):
        raise Unusable("unreachable", address=address, error=_in_a_line(client)) from None
    return client


def _known_there(client: Client) -> None:
    """Raise Unusable where the scheduler or a worker does not have the same module `cluster_worker`: one that gets the
    name of a function which it cannot import ends (Dask 2026.8), so a function of Python's own asks.
    """
    query = (pkgutil.get_data, __package__, Path(cluster_worker.__file__).name)
    ours = pkgutil.get_data(*query[1:])
    try:
        there = client.run_on_scheduler(*query)
    except Exception:
        there = None
    if there != ours:
        raise Unusable("no_readback_scheduler")
    for worker, there in client.run(*query, on_error="return").items():
        if there != ours:
            raise Unusable("no_readback", worker=worker)


def _fits(client: Client, worker: str, future: Future[str]) -> bool:
    """Whether a worker can be used; False for one that went away meanwhile. Raises Unusable."""
    while True:
        try:
            answer = future.result(timeout=CHECK)
        except TimeoutError:
            if worker not in client.nthreads():
                return False
        except Exception as error:
            raise Unusable("failed", worker=worker, error=_in_a_line(error)) from None
        else:
            if unfit := json.loads(answer):
                why, values = unfit
                raise Unusable(why, worker=worker, **values)
            return True


def _bring_index(client: Client, worker: str, text: str, missing: carried_index.MissingIndex) -> None:
    """Take the index that a worker has made; where that does not work, it is made here when it is needed."""
    try:
        future = client.submit(cluster_worker.index, text, workers=[worker], allow_other_workers=False, pure=False)
        parts = json.loads(future.result(timeout=BROUGHT))
    except Exception:  # whatever Dask raises, or the worker
        return
    if parts:
        carried_index.import_index(missing, parts)


def _in_a_line(error: Exception) -> str:
    return ": ".join((type(error).__name__, *str(error).strip().splitlines()[:1]))
