"""What one run may use, and how that is enforced: alarms of the kernel between beats, and limits no child can raise.

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


def inside() -> bool:
    """Whether this process is a bounded child: there, work runs directly, in the time it would have by itself."""
    return _own is not None


def beat(seconds: float | None = None) -> None:
    """In a child: the alarms start again, because a new piece of work begins, which may take `seconds`. Outside:
    nothing.
    """
    if _own is not None:
        asked = seconds or _seconds
        if (left := _own.total - time.process_time()) <= 0:
            os.kill(os.getpid(), signal.SIGPROF)  # as the alarm would, which beats in quick succession put off
        signal.setitimer(signal.ITIMER_PROF, min(asked, left))
        signal.setitimer(signal.ITIMER_REAL, _wall * asked)


def pause() -> None:
    """In a child: the clock on the wall stands still until the next beat."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def enter(limits: Limits) -> None:
    """Called once by a new child, before it works."""
    global _own, _seconds, _wall
    _own, _seconds, _wall = limits, limits.seconds, wall()


def wall() -> int:
    """How many times the processor time the clock may show for this process; what lets others go first waits longer."""
    return WALL if os.nice(0) <= 0 else WALL * WALL


@contextmanager
def within(limits: Limits) -> Iterator[None]:
    """In a child: work that would have a child of its own elsewhere has no more time here, so that it ends alike."""
    global _seconds
    before = _seconds
    _seconds = min(before, limits.seconds)
    beat()
    try:
        yield
    finally:
        _seconds = before
        beat()


def confine(limits: Limits, mapped: int | None) -> None:
    """Kernel limits that the child cannot raise again; `mapped` bytes of address space were there before it."""
    if mapped is not None:
        _set(resource.RLIMIT_AS, mapped + limits.memory)
    cpu = int(limits.total) + 1
    _set(resource.RLIMIT_CPU, cpu, cpu + 1)
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_NOFILE, OPEN_FILES)
    _set(resource.RLIMIT_FSIZE, limits.files)


def _set(what: int, soft: int, hard: int | None = None) -> None:
    with suppress(ValueError, OSError):  # a lower limit is in force already, or the system knows none
        resource.setrlimit(what, (soft, soft if hard is None else hard))
