"""Run untrusted work in a child process under limits, and take its answer as JSON.

A warm, single-threaded zygote forks one child for each run. The child has an address-space limit, a
kernel alarm between beats (a Python handler would not fire inside a C loop), an output cap, an empty
environment and no terminal; it answers in length-prefixed JSON over a socket pair.
"""

from __future__ import annotations

import atexit
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from readback.cell import frames as frames

Kind = Literal["time", "memory", "output", "crash"]

WORK = re.compile(r"readback(\.\w+)+:\w+")
SHARED = re.compile(r"readback(\.\w+)+:\w+:[\w.]+")
MESSAGE = 512  # bytes of one request to the zygote: names of ours, padded; the sockets travel beside it
MEMORY_EXIT, OUTPUT_EXIT = 71, 72
GRACE = 0.3  # seconds in which a killed zygote ends
START_SECONDS = 30.0  # importing on a cold disk
ATTEMPTS = 3  # when the zygote is killed from outside, or the system has no process left
AT_ONCE = max(4, 2 * (os.cpu_count() or 1))  # more calls at once only push each other over their time limits
BOOT = "import sys; sys.path.append(sys.argv[2]); from readback.cell.zygote import main; main(int(sys.argv[1]))"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use.

    `seconds` is wall clock between beats (each frame of a stream is a beat), `total` what the whole run may
    keep its caller waiting; `memory` counts bytes beyond what the zygote has mapped; `output` bytes of JSON;
    `files` the size of any file the work writes (0: it may write none). `closed` work opens no files at all
    but Python's own, where the kernel can see to that.
    """

    seconds: float = 1.0
    memory: int = 512 << 20
    output: int = 32 << 20
    total: float = 10.0
    files: int = 0
    closed: bool = False


class Stopped(Exception):  # noqa: N818 - an outcome to handle, as StopIteration is
    """The work used more than its limits, or its process died: the fault of what it worked on."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind: Kind = kind
        self.detail = detail


DEFAULT = Limits()
_slots = threading.BoundedSemaphore(AT_ONCE)
_start = threading.Lock()
_zygote: _Zygote | None = None
_own: Limits | None = None  # in a child: the limits it runs under


def call(work: str, payload: Any, limits: Limits = DEFAULT, shared: tuple[str, ...] = ()) -> Any:
    """What the function named `work` ("readback.module:function") makes of `payload`; both are JSON.

    `shared` names what the child finds loaded ("readback.module:function:argument"): the zygote calls the function
    once, and all children that ask for it share its memory. Only for what no workspace brings.

    Raises Stopped when the work exceeded its limits, RuntimeError with the child's traceback when our own
    code failed there.
    """
    if inside():
        return _function(work)(payload)
    with _slots:
        for value in _run(work, payload, limits, shared, streaming=False):
            return value
    raise RuntimeError(f"{work} ended without an answer")


def stream(work: str, payload: Any, limits: Limits = DEFAULT, shared: tuple[str, ...] = ()) -> Iterator[Any]:
    """Each value the generator function named `work` yields; leaving the loop early kills the child."""
    if inside():
        yield from _function(work)(payload)
        return
    yield from _run(work, payload, limits, shared, streaming=True)


def inside() -> bool:
    """Whether this process is a bounded child: there, work runs directly, under the limits already set."""
    return _own is not None


def beat(seconds: float | None = None) -> None:
    """In a child: the alarm starts again, because a new piece of work begins, which may take `seconds`. Outside:
    nothing.
    """
    if _own is not None:
        signal.setitimer(signal.ITIMER_REAL, seconds or _own.seconds)


def isolation() -> dict[str, Any]:
    """What surrounds a child on this machine, for `readback doctor`."""
    limits = {k: v for k, v in asdict(DEFAULT).items() if k not in ("files", "closed")}
    return {**_alive().facts, "environment": "empty", "answers": "JSON", "limits": limits}


def enter(limits: Limits) -> None:
    """Called once by a new child, before it works."""
    global _own
    _own = limits


def _function(work: str) -> Any:
    if not WORK.fullmatch(work):
        raise ValueError(f"{work!r} is not work of ours")
    module, name = work.split(":")
    return getattr(import_module(module), name)


def _run(work: str, payload: Any, limits: Limits, shared: tuple[str, ...], *, streaming: bool) -> Iterator[Any]:
    if not WORK.fullmatch(work) or not all(SHARED.fullmatch(one) for one in shared):
        raise ValueError(f"{work!r} is not work of ours")
    request = frames.encode(
        frames.VALUE, {"work": work, "limits": asdict(limits), "stream": streaming, "payload": payload}
    )
    for attempt in range(1, ATTEMPTS + 1):
        zygote = _alive()
        answered = False
        try:
            for value in _converse(zygote, work, request, limits, shared):
                answered = True
                yield value
        except _ZygoteLost:
            if answered or attempt == ATTEMPTS:  # what was yielded cannot be taken back
                raise Stopped("crash", "the process that starts children was killed") from None
            zygote.ending()
        else:
            return


def _converse(zygote: _Zygote, work: str, request: bytes, limits: Limits, shared: tuple[str, ...]) -> Iterator[Any]:
    """Send one request and yield its values. The child dies when `status` is closed."""
    data, data_end = socket.socketpair()
    status, status_end = socket.socketpair()
    with data, status:
        with data_end, status_end:
            zygote.ask(" ".join((work.partition(":")[0], *shared)), data_end, status_end)
        waited, left = 0.0, limits.output
        try:
            data.settimeout(limits.total)
            data.sendall(request)
        except TimeoutError:
            raise Stopped("time", f"more than {limits.total:g} s") from None
        except OSError:
            raise _verdict(status, limits) from None
        while True:
            began = time.monotonic()
            try:
                kind, value, size = frames.read(data, left + 1024, max(0.0, limits.total - waited))
            except frames.Late:
                raise Stopped("time", f"more than {limits.total:g} s in all") from None
            except frames.TooLarge:
                raise Stopped("output", f"more than {limits.output} bytes of answer") from None
            except frames.Closed:
                raise _verdict(status, limits) from None
            waited += time.monotonic() - began  # the time our caller takes between values is not the work's
            left -= size
            if kind == frames.VALUE:
                yield value
            elif kind == frames.DONE:
                return
            elif kind == frames.STOPPED:
                raise Stopped(*value)
            else:
                raise RuntimeError(f"{work} failed in its child process:\n{value}")


def _verdict(status: socket.socket, limits: Limits) -> Exception:
    """Why the child ended without finishing, from its exit status."""
    status.settimeout(5)
    try:
        raw = status.recv(4)
    except OSError:
        raw = b""
    if len(raw) < 4:
        return _ZygoteLost()
    code = int.from_bytes(raw, "big", signed=True)
    if code in (-signal.SIGALRM, -signal.SIGXCPU):
        return Stopped("time", f"more than {limits.seconds:g} s")
    if code == MEMORY_EXIT:
        return Stopped("memory", f"more than {limits.memory >> 20} MiB of memory")
    if code == OUTPUT_EXIT:
        return Stopped("output", f"more than {limits.output} bytes of answer")
    name = signal.Signals(-code).name if code < 0 else f"exit {code}"
    return Stopped("crash", f"its process ended with {name}")


class _ZygoteLost(Exception):  # noqa: N818 - likewise
    """The zygote was killed from outside; a new one can try again."""


class _Zygote:
    """The process that forks children, and our end of the socket to it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.lock = threading.Lock()
        self.control, end = socket.socketpair()
        package = str(Path(__file__).resolve().parents[2])
        with end:
            self.process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-I", "-c", BOOT, str(end.fileno()), package],
                env={},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(end.fileno(),),
                cwd="/",
                start_new_session=True,  # Ctrl+C in the terminal is for the app, not for its children
            )
        try:
            _, self.facts, _ = frames.read(self.control, 1 << 16, START_SECONDS)
        except (frames.Closed, frames.Late):
            self.process.kill()
            _, said = self.process.communicate()
            raise RuntimeError(f"the cell's zygote did not start:\n{said.decode('utf-8', 'replace')}") from None
        assert self.process.stderr is not None  # noqa: S101 - for the type checker: stderr=PIPE above
        self.process.stderr.close()
        self.control.settimeout(None)

    def alive(self) -> bool:
        return self.owner == os.getpid() and self.process.poll() is None

    def ending(self) -> None:
        """Wait a moment for a zygote that was killed to be gone; one that could only not fork goes on."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE)

    def ask(self, names: str, *ends: socket.socket) -> None:
        """Hand the zygote a new child's sockets, its module and what it shares. Raises _ZygoteLost."""
        message = names.encode("ascii").ljust(MESSAGE)
        with self.lock:
            try:
                sent = socket.send_fds(self.control, [message], [end.fileno() for end in ends])
                self.control.sendall(message[sent:])
            except OSError:
                self.process.kill()
                self.process.wait()
                raise _ZygoteLost from None

    def close(self) -> None:
        self.control.close()  # the zygote reads the end of the stream, kills its children and leaves
        if self.owner == os.getpid():
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def _alive() -> _Zygote:
    global _zygote
    with _start:
        if _zygote is None or not _zygote.alive():
            if _zygote is not None:
                _zygote.close()
            _zygote = _Zygote()
        return _zygote


@atexit.register
def _close() -> None:
    if _zygote is not None and _own is None:
        _zygote.close()
