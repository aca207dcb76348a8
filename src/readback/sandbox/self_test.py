"""Self-tests: work that breaks each limit of the sandbox on purpose, for the tests and for `readback doctor`."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from typing import Any

from readback import sandbox


def echo(payload: Any) -> Any:
    """The payload itself."""
    return payload


def loaded(payload: str) -> bool:
    """Whether a new child has a module already, from the zygote."""
    return payload in sys.modules


def count(payload: int) -> Iterator[int]:
    """The numbers below `payload`, one frame each."""
    yield from range(payload)


def spin(payload: Any) -> None:
    """Never ends, inside one C call where no Python handler would run."""
    sum(iter(int, 1))


def spin_after(payload: int) -> Iterator[int]:
    """Yields `payload` numbers and then never ends."""
    yield from range(payload)
    spin(None)


def spin_until(payload: str) -> int:
    """Works until there is a file of that name; answers its own process."""
    while not os.path.exists(payload):  # noqa: PTH110 - the plainest way to look
        pass
    return os.getpid()


def doze(payload: float) -> float:
    """Waits so many seconds without work."""
    time.sleep(payload)
    return payload


def standing(payload: Any) -> Iterator[int]:
    """How far it lets others go first."""
    yield os.nice(0)


def beat_forever(payload: Any) -> None:
    """Always alive, never done: only the total ends it."""
    while True:
        sandbox.beat()


def swell(payload: Any) -> int:
    """Asks for 8 GiB."""
    return len(bytearray(8 << 30))


def shout(payload: int) -> str:
    """An answer of `payload` characters."""
    return "x" * payload


def fall(payload: Any) -> None:
    """Dies as a segmentation fault does."""
    os.kill(os.getpid(), signal.SIGSEGV)


def fail(payload: Any) -> None:
    """A mistake of ours."""
    raise LookupError(f"drill {payload}")


def stop(payload: Any) -> None:
    """Work that finds by itself that its input is too much."""
    raise sandbox.Stopped("memory", "drill")


def seen(payload: Any) -> dict[str, Any]:
    """What the child can see of the machine: its environment, open files, terminal and network."""
    try:
        with socket.create_connection(("127.0.0.1", int(payload["port"])), 0.5):
            network = True
    except OSError:
        network = False
    try:
        with open(payload["file"], "w") as file:  # noqa: PTH123 - the plainest way to try
            wrote = file.write("x") > 0
    except OSError:
        wrote = False
    try:
        with open(payload["secret"]) as file:  # noqa: PTH123 - likewise
            read = bool(file.read())
    except OSError:
        read = False
    try:
        files = sorted(int(n) for n in os.listdir("/proc/self/fd"))  # noqa: PTH208 - numbers, not paths
    except PermissionError:
        files = []
    return {
        "environment": dict(os.environ),
        "files": files,
        "network": network,
        "wrote": wrote,
        "read": read,
        "inside": sandbox.inside(),
        "nested": sandbox.call("readback.sandbox.self_test:echo", "direct"),
        "frames": list(sandbox.stream("readback.sandbox.self_test:count", 3)),
    }
