"""Our end of the zygote: start it when it is needed, hand it requests, and take it along when we leave."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from readback import plugins
from readback.sandbox import frames

MESSAGE = 512  # bytes of one request: names of ours, padded; the sockets travel beside it
GRACE = 0.3  # seconds in which a killed zygote ends
START_SECONDS = 120.0  # importing on a cold disk, on a busy machine
BOOT = "import sys; sys.path.append(sys.argv.pop(2)); from readback.sandbox.zygote import main; main(*sys.argv[1:])"

_start = threading.Lock()
_zygotes: dict[bool, Zygote] = {}  # by whether its children share what was loaded for them: see `alive`


class ZygoteLost(Exception):  # noqa: N818 - likewise
    """The zygote was killed from outside; a new one can try again."""


class Zygote:
    """The process that forks children, and our end of the socket to it."""

    def __init__(self, *modules: str) -> None:
        """Starts it and waits for nothing: `started` does. `modules` are what its children will ask for, and share."""
        self.owner = os.getpid()
        self.facts: Any = None  # what surrounds its children, once it has said so
        self.lock = threading.Lock()
        self.control, end = socket.socketpair()
        package = str(Path(__file__).resolve().parents[2])
        with end:
            self.process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-I", "-c", BOOT, str(end.fileno()), package, plugins.export_entries(), *modules],
                env={},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(end.fileno(),),
                cwd="/",
                start_new_session=True,  # Ctrl+C in the terminal is for the app, not for its children
            )

    def started(self) -> Zygote:
        """Itself, when it is ready for requests. Raises RuntimeError where it did not start."""
        if self.facts is None:
            try:
                _, self.facts, _ = frames.read(self.control, 1 << 16, START_SECONDS)
            except (frames.Closed, frames.Late):
                self.process.kill()
                _, said = self.process.communicate()
                raise RuntimeError(f"the sandbox's zygote did not start:\n{said.decode('utf-8', 'replace')}") from None
            assert self.process.stderr is not None  # noqa: S101 - for the type checker: stderr=PIPE above
            self.process.stderr.close()
            self.control.settimeout(None)
        return self

    def alive(self) -> bool:
        return self.owner == os.getpid() and self.process.poll() is None

    def ending(self) -> None:
        """Wait a moment for a zygote that was killed to be gone; one that could only not fork goes on."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE)

    def ask(self, names: str, *ends: socket.socket) -> None:
        """Hand the zygote a new child's sockets, its module and what it shares. Raises ZygoteLost."""
        message = names.encode("ascii").ljust(MESSAGE)
        with self.lock:
            try:
                sent = socket.send_fds(self.control, [message], [end.fileno() for end in ends])
                self.control.sendall(message[sent:])
            except OSError:
                self.process.kill()
                self.process.wait()
                raise ZygoteLost from None

    def close(self) -> None:
        self.control.close()  # the zygote reads the end of the stream, kills its children and leaves
        if self.owner == os.getpid():
            if self.facts is None:  # nobody has asked for it yet: it would only load on
                self.process.kill()
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def begin(*modules: str, shared: tuple[str, ...] = ()) -> None:
    """Start the zygote of this process where there is none, while others work on; it loads `modules` last, and then
    what its children share, which has a zygote of its own.
    """
    with _start:
        if bool(shared) not in _zygotes:
            _zygotes[bool(shared)] = Zygote(*modules, *shared)


def alive(sharing: bool = False) -> Zygote:
    """The zygote of this process, when it has started; a new one where there is none, or no longer.

    What children share (vocabularies of tokenizers, up to 200 MB) has a zygote of its own: a fork copies the tables of
    all the memory of its parent, so that every child would begin three times as slowly.
    """
    with _start:
        held = _zygotes.get(sharing)
        if held is None or not held.alive():
            if held is not None:
                held.close()
            held = _zygotes[sharing] = Zygote()
        return held.started()


@atexit.register
def _close() -> None:
    for held in _zygotes.values():
        held.close()
