"""Break each limit of the sandbox on purpose, for the tests and for `readback doctor`."""

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
    """Return the payload."""
    return payload


def is_loaded(payload: str) -> bool:
    """Return whether a new child has a module already, from the zygote."""
    return payload in sys.modules


def count(payload: int) -> Iterator[int]:
    """Yield the numbers below `payload`, one frame each."""
    yield from range(payload)


def spin(payload: Any) -> None:
    """Work forever, inside one C call where no Python handler would run."""
    sum(iter(int, 1))


def spin_after(payload: int) -> Iterator[int]:
    """Yield `payload` numbers and then work forever."""
    yield from range(payload)
    spin(None)


def spin_until(payload: str) -> int:
    """Work until there is a file of that name; return the id of this process."""
    while not os.path.exists(payload):  # noqa: PTH110 - the plainest way to look
        pass
    return os.getpid()


def doze(payload: float) -> float:
    """Wait so many seconds without work."""
    time.sleep(payload)
    return payload


def yield_niceness(payload: Any) -> Iterator[int]:
    """Yield how nice this process is."""
    yield os.nice(0)


def beat_forever(payload: Any) -> None:
    """Work forever and beat, so that only the total ends it."""
    while True:
        sandbox.beat()


def swell(payload: Any) -> int:
    """Ask for 8 GiB of memory."""
    return len(bytearray(8 << 30))


def shout(payload: int) -> str:
    """Return an answer of `payload` characters."""
    return "x" * payload


def fall(payload: Any) -> None:
    """Die as a segmentation fault does."""
    os.kill(os.getpid(), signal.SIGSEGV)


def fail(payload: Any) -> None:
    """Raise an error as a mistake in our code would."""
    raise LookupError(f"drill {payload}")


def stop(payload: Any) -> None:
    """Stop as work does that notices by itself that its input is too much."""
    raise sandbox.Stopped("memory", "drill")


def describe_surroundings(payload: Any) -> dict[str, Any]:
    """Return what the child can see of the machine: its environment, open files, terminal and network."""
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
        "inside": sandbox.is_child(),
        "nested": sandbox.call("readback.sandbox.self_test:echo", "direct"),
        "frames": list(sandbox.stream("readback.sandbox.self_test:count", 3)),
    }
