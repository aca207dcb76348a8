"""Start the zygote when it is needed, hand it requests, and end it when this process exits."""

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
_zygotes: dict[bool, Zygote] = {}  # by whether its children share what was loaded for them: see `get_zygote`


class ZygoteLost(Exception):  # noqa: N818 - an outcome to handle
    """The zygote was killed from outside; a new one can try again."""


class Zygote:
    """The process that forks children, and our end of the socket to it."""

    def __init__(self, *modules: str) -> None:
        """Start it without waiting. `modules` are what its children will ask for, and share."""
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

    def wait_until_ready(self) -> None:
        """Return when it takes requests. Raises RuntimeError where it did not start."""
        if self.facts is not None:
            return
        try:
            _, self.facts, _ = frames.read(self.control, 1 << 16, START_SECONDS)
        except (frames.Closed, frames.Late):
            self.process.kill()
            _, stderr = self.process.communicate()
            raise RuntimeError(f"the sandbox's zygote did not start:\n{stderr.decode('utf-8', 'replace')}") from None
        assert self.process.stderr is not None  # noqa: S101 - for the type checker: stderr=PIPE above
        self.process.stderr.close()
        self.control.settimeout(None)

    def is_alive(self) -> bool:
        """Return whether it runs and is of this process, not of the one that this process was forked from."""
        return self.owner == os.getpid() and self.process.poll() is None

    def wait_for_end(self) -> None:
        """Wait a moment for a zygote that was killed to end; one that only failed to fork goes on."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE)

    def request_child(self, request: str, *ends: socket.socket) -> None:
        """Hand the zygote a new child's sockets, its module and what it shares. Raises ZygoteLost."""
        message = request.encode("ascii").ljust(MESSAGE)
        with self.lock:
            try:
                sent = socket.send_fds(self.control, [message], [end.fileno() for end in ends])
                self.control.sendall(message[sent:])
            except OSError:
                self.process.kill()
                self.process.wait()
                raise ZygoteLost from None

    def close(self) -> None:
        """End the zygote and its children."""
        self.control.close()  # the zygote reads the end of the stream, kills its children and leaves
        if self.owner == os.getpid():
            if self.facts is None:  # nobody has asked for it yet: it would only load on
                self.process.kill()
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def start_zygote(*modules: str, shared: tuple[str, ...] = ()) -> None:
    """Start the zygote of this process where there is none, without waiting for it.

    It loads `modules` last. What its children share is loaded by a zygote of its own: see `get_zygote`.
    """
    with _start:
        if bool(shared) not in _zygotes:
            _zygotes[bool(shared)] = Zygote(*modules, *shared)


def get_zygote(sharing: bool = False) -> Zygote:
    """Return the zygote of this process once it is ready; start one where there is none, or no longer.

    What children share (vocabularies of tokenizers, up to 200 MB) has a zygote of its own: a fork copies the tables of
    all the memory of its parent, so that every child would begin three times as slowly.
    """
    with _start:
        zygote = _zygotes.get(sharing)
        if zygote is None or not zygote.is_alive():
            if zygote is not None:
                zygote.close()
            zygote = _zygotes[sharing] = Zygote()
        zygote.wait_until_ready()
        return zygote


@atexit.register
def _close_all() -> None:
    for zygote in _zygotes.values():
        zygote.close()
