"""Run untrusted work in a child process under limits, and take its answer as JSON.

A warm, single-threaded zygote forks one child for each run. The child has an address-space limit, kernel
alarms between beats (a Python handler would not fire inside a C loop), an output cap, an empty environment and
no terminal; it answers in length-prefixed JSON over a socket pair.

Time is processor time, so that the answer does not depend on what else the machine does. What was stopped in
company, or on a busy machine, is tried once more alone: meanwhile all other children of its zygote stand still. (What
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
from readback.sandbox.client import Zygote, ZygoteLost, alive
from readback.sandbox.client import begin as begin
from readback.sandbox.limits import DEFAULT as DEFAULT
from readback.sandbox.limits import Limits as Limits
from readback.sandbox.limits import beat as beat
from readback.sandbox.limits import enter as enter
from readback.sandbox.limits import inside as inside
from readback.sandbox.limits import pause as pause
from readback.sandbox.limits import wall, within
from readback.sandbox.running import Company

Kind = Literal["time", "memory", "output", "crash"]

WORK = re.compile(r"readback(\.\w+)+:\w+")
SHARED = re.compile(r"readback(\.\w+)+:\w+:[\w.]+")
ALONE, TOGETHER, ASIDE = "alone", "together", "aside"  # how a request to the zygote begins
WAITED = "more time than it may spend waiting"
ENDED = struct.Struct(">id")  # how a child ended, and its processor time
MEMORY_EXIT, OUTPUT_EXIT = 71, 72
LOWER = 15  # by how much work that may wait is nicer than the rest
BUSY = 1.5  # times the processor time on that clock: then something else had the processor too
MOMENT = 0.2  # seconds that starting a child takes at most on an idle machine
REAPED = 60.0  # seconds in which the zygote tells how a child ended; it takes milliseconds
ATTEMPTS = 3  # when the zygote is killed from outside, or the system has no process left
AT_ONCE = max(4, 2 * (os.cpu_count() or 1))  # more calls at once only wait for each other


class Stopped(Exception):  # noqa: N818 - an outcome to handle, as StopIteration is
    """The work used more than its limits, or its process died: the fault of what it worked on.

    `doubtful`: what else the machine did may have had a part in it.
    """

    def __init__(self, kind: Kind, detail: str, *, doubtful: bool = False) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind: Kind = kind
        self.detail = detail
        self.doubtful = doubtful


_slots = threading.BoundedSemaphore(AT_ONCE)
_company = Company()
_gives_way = False


def call(work: str, payload: Any, limits: Limits = DEFAULT, shared: tuple[str, ...] = ()) -> Any:
    """What the function named `work` ("readback.module:function") makes of `payload`; both are JSON.

    `shared` names what the child finds loaded ("readback.module:function:argument"): the zygote calls the function
    once, and all children that ask for it share its memory. Only for what no workspace brings.

    Raises Stopped when the work exceeded its limits, RuntimeError with the child's traceback when our own
    code failed there.
    """
    if inside():
        with within(limits):
            return _function(work)(payload)
    with _slots:
        for value in _surely(work, payload, limits, shared):
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
    """Each value the generator function named `work` yields; leaving the loop early kills the child.

    `once`: long work; what is stopped is not tried again here, because the caller goes on with a part of it. It lets
    others go first where that was asked for, unless it is `awaited` on a page.
    """
    if inside():
        with within(limits):
            yield from _function(work)(payload)
    elif once:
        yield from _run(work, payload, limits, shared, how=_how(awaited))
    else:
        yield from _surely(work, payload, limits, shared)


class Child:
    """A child for one run of the same work after another, where `stream` makes one for each: it starts once, and what
    it has loaded is at hand. Its limits are those of all the runs together, but for the bytes of an answer and the time
    between beats. After a run that was stopped or left early the next has a new child. For one thread.
    """

    def __init__(self, work: str, limits: Limits, shared: tuple[str, ...] = ()) -> None:
        self.work, self.limits, self.shared = work, limits, shared
        self.owner = os.getpid()
        self._ends: tuple[socket.socket, socket.socket] | None = None
        self._closed: Callable[[], object] = bool  # which ends the child; so does the end of this

    def stream(self, payload: Any, *, awaited: bool = False) -> Iterator[Any]:
        """What `stream` yields and raises with `once`."""
        if inside():
            yield from stream(self.work, payload, self.limits, self.shared)
            return
        names = _names(self.work, self.shared, _how(awaited))
        yield from _attempts(self.shared, lambda zygote: self._run(zygote, names, payload))

    def _run(self, zygote: Zygote, names: str, payload: Any) -> Iterator[Any]:
        ends, asked = self._ends, payload
        if ends is None or self.owner != os.getpid():  # a process that was forked has its parent's, and leaves it alone
            self.close()
            ends, self.owner = _begun(zygote, names), os.getpid()
            self._closed = weakref.finalize(self, _close, ends)
            asked = {"work": self.work, "limits": asdict(self.limits), "payload": payload, "stays": True}
        self._ends = None
        try:
            yield from _answers(ends, names, frames.encode(frames.VALUE, asked), self.limits, None)
            self._ends = ends
        finally:
            if self._ends is None:
                self.close()

    def close(self) -> None:
        """Let the child end, if there is one."""
        self._closed()
        self._ends = None


def give_way() -> None:
    """From now on long work of this process lets others go first: people are waiting for pages."""
    global _gives_way
    _gives_way = True


def isolation() -> dict[str, Any]:
    """What surrounds a child on this machine, for `readback doctor`."""
    limits = {k: v for k, v in asdict(DEFAULT).items() if k not in ("files", "closed")}
    return {**alive().facts, "environment": "empty", "answers": "JSON", "limits": limits}


def _function(work: str) -> Any:
    module, name = _home(work)
    return getattr(sys.modules.get(module) or import_module(module), name)


@cache
def _home(work: str) -> tuple[str, str]:
    if not WORK.fullmatch(work):
        raise ValueError(f"{work!r} is not work of ours")
    module, name = work.split(":")
    return module, name


def _surely(work: str, payload: Any, limits: Limits, shared: tuple[str, ...]) -> Iterator[Any]:
    """The values of a run; if it is stopped and other work may be why, what is missing is made once more, alone."""
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
    """The values of one run. `alone`: from this number on, and no other child works until it is there."""
    names = _names(work, shared, how)
    request = frames.encode(frames.VALUE, {"work": work, "limits": asdict(limits), "payload": payload})
    yield from _attempts(shared, lambda zygote: _converse(zygote, names, request, limits, alone))


def _attempts(shared: tuple[str, ...], run: Callable[[Zygote], Iterator[Any]]) -> Iterator[Any]:
    """The values of a run, which is begun again where the zygote was lost before the first."""
    for attempt in range(1, ATTEMPTS + 1):
        zygote, answered = alive(bool(shared)), False
        try:
            for value in run(zygote):
                answered = True
                yield value
        except ZygoteLost:
            if answered or attempt == ATTEMPTS:  # what was yielded cannot be taken back
                raise Stopped("crash", "the process that starts children was killed", doubtful=True) from None
            zygote.ending()
        else:
            return


def _names(work: str, shared: tuple[str, ...], how: str) -> str:
    """A request to the zygote."""
    if not WORK.fullmatch(work) or not all(SHARED.fullmatch(one) for one in shared):
        raise ValueError(f"{work!r} is not work of ours")
    return " ".join((how, work.partition(":")[0], *shared))


def _how(awaited: bool) -> str:
    return ASIDE if _gives_way and not awaited else TOGETHER


def _converse(zygote: Zygote, names: str, request: bytes, limits: Limits, alone: int | None) -> Iterator[Any]:
    """Send one request and yield its values."""
    ends = _begun(zygote, names)
    try:
        yield from _answers(ends, names, request, limits, alone)
    finally:
        _close(ends)


def _begun(zygote: Zygote, names: str) -> tuple[socket.socket, socket.socket]:
    """A new child: our ends for its data and its status. It dies when they are closed. Raises ZygoteLost."""
    data, data_end = socket.socketpair()
    status, status_end = socket.socketpair()
    with data_end, status_end:
        try:
            zygote.ask(names, data_end, status_end)
        except BaseException:
            _close((data, status))
            raise
    return data, status


def _close(ends: tuple[socket.socket, socket.socket]) -> None:
    for end in ends:
        end.close()


def _answers(
    ends: tuple[socket.socket, socket.socket], names: str, request: bytes, limits: Limits, alone: int | None
) -> Iterator[Any]:
    """Send a request to a child and yield its values."""
    data, status = ends
    with _company.run() as run:
        waited, left, number, most = 0.0, limits.output, 0, wall() * limits.total
        try:
            data.settimeout(most)
            data.sendall(request)
        except TimeoutError:
            raise Stopped("time", WAITED, doubtful=True) from None
        except OSError:
            raise _verdict(status, limits, True, 0.0, 0.0) from None
        while True:
            began = time.monotonic()
            try:
                kind, value, size = frames.read(data, left + 1024, max(0.0, most - waited))
            except frames.Late:
                raise Stopped("time", WAITED, doubtful=True) from None
            except frames.TooLarge:
                raise Stopped("output", f"more than {limits.output} bytes of answer") from None
            except frames.Closed:
                took = time.monotonic() - began
                raise _verdict(status, limits, run.in_company, took, waited + took) from None
            waited += time.monotonic() - began  # the time our caller takes between values is not the work's
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
                raise RuntimeError(f"{names} failed in its child process:\n{value}")


def _in_all(limits: Limits) -> str:
    return f"more than {time_said(limits.total)} in all"


def time_said(seconds: float) -> str:
    """A limit of time in words, for whoever reads that it was exceeded."""
    return f"{seconds:g} s of processor time"


def _verdict(status: socket.socket, limits: Limits, in_company: bool, took: float, took_all: float) -> Exception:
    """Why the child ended without finishing, from its exit status.

    `took`: seconds on the clock since its last value, `took_all` of the whole run. Where they are not much more than
    the processor time that was allowed, nothing else had a part in it.
    """
    status.settimeout(REAPED)
    try:
        raw = status.recv(ENDED.size)
    except OSError:
        raw = b""
    if len(raw) < ENDED.size:
        return ZygoteLost()
    code, spent = ENDED.unpack(raw)
    if code == -signal.SIGXCPU or (code == -signal.SIGPROF and spent >= limits.total):
        busy = took_all > BUSY * limits.total + MOMENT
        return Stopped("time", _in_all(limits), doubtful=in_company or busy)
    if code == -signal.SIGPROF:
        busy = took > BUSY * limits.seconds + MOMENT
        return Stopped("time", f"more than {time_said(limits.seconds)}", doubtful=in_company or busy)
    if code == -signal.SIGALRM:
        return Stopped("time", WAITED, doubtful=True)
    if code == MEMORY_EXIT:
        return Stopped("memory", f"more than {limits.memory >> 20} MiB of memory")
    if code == OUTPUT_EXIT:
        return Stopped("output", f"more than {limits.output} bytes of answer")
    name = signal.Signals(-code).name if code < 0 else f"exit {code}"
    return Stopped("crash", f"its process ended with {name}", doubtful=code == -signal.SIGKILL)  # no memory left?
