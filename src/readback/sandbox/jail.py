"""Take from a sandboxed child privileges, the network, and life after its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38  # linux/prctl.h
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000  # linux/sched.h

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def reset_signals() -> None:
    """Let signals mean what the kernel says: no handlers, nothing blocked, no KeyboardInterrupt in a child."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGALRM, signal.SIGPROF, signal.SIGTERM, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # writing to a caller that left is an error, not a death


def isolate() -> dict[str, Any]:
    """Isolate the zygote, once; return what the kernel granted, by name."""
    return {
        "platform": sys.platform,
        "no new privileges": _prctl(PR_SET_NO_NEW_PRIVS, 1),
        "memory limit": measure_mapped_memory() is not None,
        "network": "none" if _leave_network() else "shared",
    }


def die_with_parent() -> None:
    """Let a child write no core file, keep its memory from others, and die when the zygote dies."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _prctl(PR_SET_DUMPABLE, 0)


def lower_priority(by: int) -> None:
    """Make this process nicer by so much.

    Where the kernel shares the processor between sessions before it looks at who is nice within one (autogroup,
    sched(7)), the process gets a session of its own, which is nice as a whole.
    """
    os.nice(by)
    with suppress(OSError):  # it leads a session already
        os.setsid()
    with suppress(OSError):  # no such kernel
        Path("/proc/self/autogroup").write_text(str(by), "ascii")


def measure_mapped_memory() -> int | None:
    """Return the bytes of address space this process has now, None where the system cannot limit it."""
    try:  # by hand: making a file object touches memory that a child has to copy, a third of the time of its start
        number = os.open("/proc/self/statm", os.O_RDONLY)
        try:
            pages = int(os.read(number, 256).split()[0])
        finally:
            os.close(number)
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def _prctl(option: int, value: int) -> bool:
    return _libc is not None and _libc.prctl(option, value, 0, 0, 0) == 0


def _leave_network() -> bool:
    """Move to a network namespace with nothing in it; root needs no user namespace for that."""
    flags = CLONE_NEWNET if os.geteuid() == 0 else CLONE_NEWUSER | CLONE_NEWNET
    return _libc is not None and _libc.unshare(flags) == 0
