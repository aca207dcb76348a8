"""Run untrusted work in a child process under limits, and return its answer, which is JSON, or bytes as they are.

A warm, single-threaded zygote forks one child for each run. The child has an address-space limit, kernel
alarms between beats (a Python handler would not fire inside a C loop), an output cap, an empty environment and
no terminal; it answers in length-prefixed frames over a socket pair.

Time is processor time, so that the answer does not depend on what else the machine does. What was stopped in
company, or on a busy machine, is tried once more alone: meanwhile all other children of its zygote are stopped. (What
children share has a zygote of its own.)
"""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib import import_module
from typing import Any, Literal

from readback.sandbox import frames
from readback.sandbox.client import Zygote, ZygoteLost, get_zygote
from readback.sandbox.client import start_zygote as start_zygote
from readback.sandbox.concurrent_runs import ConcurrentRuns
from readback.sandbox.limits import DEFAULT as DEFAULT
from readback.sandbox.limits import Limits as Limits
from readback.sandbox.limits import beat as beat
from readback.sandbox.limits import enter as enter
from readback.sandbox.limits import get_wall_factor, narrow_limits
from readback.sandbox.limits import is_child as is_child
from readback.sandbox.limits import pause as pause

Kind = Literal["time", "memory", "output", "crash"]

WORK = re.compile(r"readback(\.\w+)+:\w+")
SHARED = re.compile(r"readback(\.\w+)+:\w+:[\w.]+")
ALONE, TOGETHER, ASIDE = "alone", "together", "aside"  # how a request to the zygote begins
WAITED_TOO_LONG = "more time than it may spend waiting"
ENDED = struct.Struct(">id")  # how a child ended, and its processor time
MEMORY_EXIT, OUTPUT_EXIT = 71, 72
NICENESS = 5  # of long work: pages have three quarters of a processor, and it still ends where others work, too
BUSY_FACTOR = 1.5  # times the processor time on that clock: then something else had the processor too
START_SECONDS = 0.2  # seconds that starting a child takes at most on an idle machine
REAP_SECONDS = 60.0  # in which the zygote reports how a child ended; it takes milliseconds
ATTEMPTS = 3  # when the zygote is killed from outside, or the system has no process left
MOST_CALLS = max(4, 2 * (os.cpu_count() or 1))  # more calls at once only wait for each other


class Stopped(Exception):  # noqa: N818 - an outcome to handle, as StopIteration is
    """The work used more than its limits, or its process died, because of what it worked on.

    `doubtful`: what else the machine did may be a reason, too.
    """

    def __init__(self, kind: Kind, detail: str, *, doubtful: bool = False) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind: Kind = kind
        self.detail = detail
        self.doubtful = doubtful


_slots = threading.BoundedSemaphore(MOST_CALLS)
_runs = ConcurrentRuns()
_gives_way = False


def call(work: str, payload: Any, limits: Limits = DEFAULT, shared: tuple[str, ...] = ()) -> Any:
    """Return what the function named `work` ("readback.module:function") makes of `payload`; both are JSON.

    `shared` names what the child finds loaded ("readback.module:function:argument"): the zygote calls the function
    once, and all children that ask for it share its memory. Only for what comes from no workspace.

    Raises Stopped when the work exceeded its limits, RuntimeError with the child's traceback when our own
    code failed there.
    """
    if is_child():
        with narrow_limits(limits):
            return _load_function(work)(payload)
    with _slots:
        for value in _run_with_retry(work, payload, limits, shared):
            return value
    raise RuntimeError(f"{work} ended without an answer")


def stream(
    work: str,
    payload: Any,
    limits: Limits = DEFAULT,
    shared: tuple[str, ...] = (),
    *,
    once: bool = False,
    awaited: bool = False,
) -> Iterator[Any]:
    """Yield each value of the generator function named `work`; leaving the loop early kills the child.

    `once`: long work; what is stopped is not tried again here, because the caller goes on with a part of it. After
    `give_way` it has a lower priority, unless it is `awaited` on a page.
    """
    if is_child():
        with narrow_limits(limits):
            yield from _load_function(work)(payload)
    elif once:
        yield from _run(work, payload, limits, shared, how=_choose_priority(awaited))
    else:
        yield from _run_with_retry(work, payload, limits, shared)


class Child:
    """Run the same work again and again in one child, where `stream` makes one for each run.

    It starts once, and what it has loaded stays loaded. Its limits are those of all the runs together, except for the
    bytes of an answer and the time between beats. After a run that was stopped or left early the next has a new child.
    For one thread.
    """

    def __init__(self, work: str, limits: Limits, shared: tuple[str, ...] = ()) -> None:
        self.work, self.limits, self.shared = work, limits, shared
        self.owner = os.getpid()
        self._ends: tuple[socket.socket, socket.socket] | None = None
        self._end_child: Callable[[], object] = bool  # called, too, when this object is deleted

    def stream(self, payload: Any, *, awaited: bool = False) -> Iterator[Any]:
        """Yield and raise what `stream` does with `once`."""
        if is_child():
            yield from stream(self.work, payload, self.limits, self.shared)
            return
        request = _format_request(self.work, self.shared, _choose_priority(awaited))
        yield from _retry_without_zygote(self.shared, lambda zygote: self._run(zygote, request, payload))

    def _run(self, zygote: Zygote, request: str, payload: Any) -> Iterator[Any]:
        ends, message = self._ends, payload
        if ends is None or self.owner != os.getpid():  # a process that was forked has its parent's, and leaves it alone
            self.close()
            ends, self.owner = _start_child(zygote, request), os.getpid()
            self._end_child = weakref.finalize(self, _close, ends)
            message = {"work": self.work, "limits": asdict(self.limits), "payload": payload, "stays": True}
        self._ends = None
        try:
            yield from _read_answers(ends, request, frames.encode(frames.VALUE, message), self.limits, None)
            self._ends = ends
        finally:
            if self._ends is None:
                self.close()

    def close(self) -> None:
        """Let the child end, if there is one."""
        self._end_child()
        self._ends = None


def give_way() -> None:
    """Lower the priority of long work of this process from now on: people are waiting for pages."""
    global _gives_way
    _gives_way = True


def describe_isolation() -> dict[str, Any]:
    """Return how a child is isolated on this machine, for `readback doctor`."""
    limits = {k: v for k, v in asdict(DEFAULT).items() if k not in ("files", "closed")}
    return {**get_zygote().facts, "environment": "empty", "answers": "JSON", "limits": limits}


def _load_function(work: str) -> Any:
    module, name = _split_name(work)
    return getattr(sys.modules.get(module) or import_module(module), name)


@cache
def _split_name(work: str) -> tuple[str, str]:
    if not WORK.fullmatch(work):
        raise ValueError(f"{work!r} is not work of ours")
    module, name = work.split(":")
    return module, name


def _run_with_retry(work: str, payload: Any, limits: Limits, shared: tuple[str, ...]) -> Iterator[Any]:
    """Yield the values of a run; if it is stopped and other work may be why, those missing are made again, alone."""
    done = 0
    try:
        for value in _run(work, payload, limits, shared):
            done += 1
            yield value
    except Stopped as stopped:
        if not stopped.doubtful:
            raise
    else:
        return
    yield from _run(work, payload, limits, shared, how=ALONE, alone=done)


def _run(
    work: str, payload: Any, limits: Limits, shared: tuple[str, ...], *, how: str = TOGETHER, alone: int | None = None
) -> Iterator[Any]:
    """Yield the values of one run. `alone`: from this number on, and no other child works until it is there."""
    request = _format_request(work, shared, how)
    message = frames.encode(frames.VALUE, {"work": work, "limits": asdict(limits), "payload": payload})
    yield from _retry_without_zygote(shared, lambda zygote: _converse(zygote, request, message, limits, alone))


def _retry_without_zygote(shared: tuple[str, ...], run: Callable[[Zygote], Iterator[Any]]) -> Iterator[Any]:
    """Yield the values of a run, which is started again where the zygote was lost before the first value."""
    for attempt in range(1, ATTEMPTS + 1):
        zygote, answered = get_zygote(bool(shared)), False
        try:
            for value in run(zygote):
                answered = True
                yield value
        except ZygoteLost:
            if answered or attempt == ATTEMPTS:  # what was yielded cannot be taken back
                raise Stopped("crash", "the process that starts children was killed", doubtful=True) from None
            zygote.wait_for_end()
        else:
            return


def _format_request(work: str, shared: tuple[str, ...], how: str) -> str:
    """Return a request to the zygote."""
    if not WORK.fullmatch(work) or not all(SHARED.fullmatch(name) for name in shared):
        raise ValueError(f"{work!r} is not work of ours")
    return " ".join((how, work.partition(":")[0], *shared))


def _choose_priority(awaited: bool) -> str:
    if _gives_way and not awaited:
        return ASIDE
    return TOGETHER


def _converse(zygote: Zygote, request: str, message: bytes, limits: Limits, alone: int | None) -> Iterator[Any]:
    """Send a message to a new child and yield its values."""
    ends = _start_child(zygote, request)
    try:
        yield from _read_answers(ends, request, message, limits, alone)
    finally:
        _close(ends)


def _start_child(zygote: Zygote, request: str) -> tuple[socket.socket, socket.socket]:
    """Start a child; return our ends for its data and its status. It dies when they are closed. Raises ZygoteLost."""
    data, data_end = socket.socketpair()
    status, status_end = socket.socketpair()
    with data_end, status_end:
        try:
            zygote.request_child(request, data_end, status_end)
        except BaseException:
            _close((data, status))
            raise
    return data, status


def _close(ends: tuple[socket.socket, socket.socket]) -> None:
    for end in ends:
        end.close()


def _read_answers(
    ends: tuple[socket.socket, socket.socket], request: str, message: bytes, limits: Limits, alone: int | None
) -> Iterator[Any]:
    """Send a message to a child and yield its values."""
    data, status = ends
    with _runs.add() as run:
        waited, left, number, longest = 0.0, limits.output, 0, get_wall_factor() * limits.total
        try:
            data.settimeout(longest)
            data.sendall(message)
        except TimeoutError:
            raise Stopped("time", WAITED_TOO_LONG, doubtful=True) from None
        except OSError:
            raise _explain_end(status, limits, True, 0.0, 0.0) from None
        while True:
            began = time.monotonic()
            try:
                kind, value, size = frames.read(data, left + 1024, max(0.0, longest - waited))
            except frames.Late:
                raise Stopped("time", WAITED_TOO_LONG, doubtful=True) from None
            except frames.TooLarge:
                raise Stopped("output", f"more than {limits.output} bytes of answer") from None
            except frames.Closed:
                took = time.monotonic() - began
                raise _explain_end(status, limits, run.in_company, took, waited + took) from None
            waited += time.monotonic() - began  # without the time that our caller takes between values
            left -= size
            if alone == number:
                with suppress(OSError):  # it may have ended by now
                    status.sendall(b".")  # what had to be made alone is there
            if kind == frames.VALUE:
                number += 1
                if number > (alone or 0):
                    yield value
            elif kind == frames.DONE:
                return
            elif kind == frames.STOPPED:
                raise Stopped(*value)
            else:
                raise RuntimeError(f"{request} failed in its child process:\n{value}")


def _format_total_limit(limits: Limits) -> str:
    return f"more than {format_time_limit(limits.total)} in all"


def format_time_limit(seconds: float) -> str:
    """Return a limit of time in words, for a sentence that it was exceeded."""
    return f"{seconds:g} s of processor time"


def _explain_end(
    status: socket.socket, limits: Limits, in_company: bool, seconds: float, run_seconds: float
) -> Exception:
    """Return why the child ended without finishing, from its exit status.

    `seconds` are those on the clock since its last value, `run_seconds` those of the whole run. Where they are not much
    more than the processor time that was allowed, nothing else was a reason.
    """
    status.settimeout(REAP_SECONDS)
    try:
        raw = status.recv(ENDED.size)
    except OSError:
        raw = b""
    if len(raw) < ENDED.size:
        return ZygoteLost()
    code, spent = ENDED.unpack(raw)
    if code == -signal.SIGXCPU or (code == -signal.SIGPROF and spent >= limits.total):
        busy = run_seconds > BUSY_FACTOR * limits.total + START_SECONDS
        return Stopped("time", _format_total_limit(limits), doubtful=in_company or busy)
    if code == -signal.SIGPROF:
        busy = seconds > BUSY_FACTOR * limits.seconds + START_SECONDS
        return Stopped("time", f"more than {format_time_limit(limits.seconds)}", doubtful=in_company or busy)
    if code == -signal.SIGALRM:
        return Stopped("time", WAITED_TOO_LONG, doubtful=True)
    if code == MEMORY_EXIT:
        return Stopped("memory", f"more than {limits.memory >> 20} MiB of memory")
    if code == OUTPUT_EXIT:
        return Stopped("output", f"more than {limits.output} bytes of answer")
    if code < 0:
        name = signal.Signals(-code).name
    else:
        name = f"exit {code}"
    return Stopped("crash", f"its process ended with {name}", doubtful=code == -signal.SIGKILL)  # no memory left?
