"""Limit what one run may use: by alarms of the kernel between beats, and by limits that no child can raise.

Time is processor time, so that the answer does not depend on what else the machine does.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

WALL = 10  # times the processor time: what the clock may show, for work that waits; squared at lower priority
OPEN_FILES = 64


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use.

    `seconds` is processor time between beats (each frame of a stream is a beat), `total` that of the whole run; on
    the clock either may take ten times as long. `memory` counts bytes beyond what the zygote has mapped; `output`
    bytes of JSON; `files` the size of any file the work writes (0: it may write none). `closed` work opens no files
    at all but Python's own, where the kernel can see to that.
    """

    seconds: float = 1.0
    memory: int = 512 << 20
    output: int = 32 << 20
    total: float = 10.0
    files: int = 0
    closed: bool = False


DEFAULT = Limits()
_own: Limits | None = None  # in a child: the limits it runs under
_seconds = 0.0  # in a child: those of the work at hand
_wall = WALL  # in a child


def is_child() -> bool:
    """Return whether this process is a bounded child: there, work runs directly, in the time it has elsewhere."""
    return _own is not None


def beat(seconds: float | None = None) -> None:
    """Start the alarms of a child again, because a new piece of work begins, which may take `seconds`.

    Does nothing outside of a child.
    """
    if _own is None:
        return
    allowed = seconds or _seconds
    left = _own.total - time.process_time()
    if left <= 0:
        os.kill(os.getpid(), signal.SIGPROF)  # as the alarm would, which beats in quick succession put off
    signal.setitimer(signal.ITIMER_PROF, min(allowed, left))
    signal.setitimer(signal.ITIMER_REAL, _wall * allowed)


def pause() -> None:
    """Stop the alarm of the clock in a child until the next beat."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def enter(limits: Limits) -> None:
    """Set the limits of this process, a new child, before it works."""
    global _own, _seconds, _wall
    _own, _seconds, _wall = limits, limits.seconds, get_wall_factor()


def get_wall_factor() -> int:
    """Return how many times the processor time the clock may show; a process of lower priority waits longer."""
    if os.nice(0) <= 0:
        return WALL
    return WALL * WALL


@contextmanager
def narrow_limits(limits: Limits) -> Iterator[None]:
    """Give work in a child no more time than it would have in a child of its own, while the block lasts."""
    global _seconds
    previous = _seconds
    _seconds = min(previous, limits.seconds)
    beat()
    try:
        yield
    finally:
        _seconds = previous
        beat()


def apply_kernel_limits(limits: Limits, mapped: int | None) -> None:
    """Set kernel limits that the child cannot raise again; `mapped` bytes of address space were there before it."""
    if mapped is not None:
        _set_limit(resource.RLIMIT_AS, mapped + limits.memory)
    cpu = int(limits.total) + 1
    _set_limit(resource.RLIMIT_CPU, cpu, cpu + 1)
    _set_limit(resource.RLIMIT_CORE, 0)
    _set_limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    _set_limit(resource.RLIMIT_FSIZE, limits.files)


def _set_limit(resource_number: int, soft: int, hard: int | None = None) -> None:
    with suppress(ValueError, OSError):  # a lower limit is in force already, or the system knows none
        resource.setrlimit(resource_number, (soft, soft if hard is None else hard))
