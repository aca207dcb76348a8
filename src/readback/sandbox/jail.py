"""What a sandboxed child gives up before it works: privileges, the network, and life after its parent."""

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


def quiet_signals() -> None:
    """Signals mean what the kernel says: no handlers, nothing blocked, no KeyboardInterrupt in a child."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGALRM, signal.SIGPROF, signal.SIGTERM, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # writing to a caller that left is an error, not a death


def isolate() -> dict[str, Any]:
    """Once, in the zygote: what the kernel grants, by name."""
    return {
        "platform": sys.platform,
        "no new privileges": _prctl(PR_SET_NO_NEW_PRIVS, 1),
        "memory limit": mapped() is not None,
        "network": "none" if _without_network() else "shared",
    }


def die_with_parent() -> None:
    """In a child: no core file, no reading of its memory by others, and death when the zygote dies."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _prctl(PR_SET_DUMPABLE, 0)


def let_others_first(by: int) -> None:
    """Nicer `by` so much than the rest, also where the kernel shares the processor between sessions before it looks at
    who is nice within one (autogroup, sched(7)): there a session of its own is nice as a whole.
    """
    os.nice(by)
    with suppress(OSError):  # it leads a session already
        os.setsid()
    with suppress(OSError):  # no such kernel
        Path("/proc/self/autogroup").write_text(str(by), "ascii")


def mapped() -> int | None:
    """Bytes of address space this process has now, or None where the system cannot limit it."""
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


def _without_network() -> bool:
    """Move to a network namespace with nothing in it; root needs no user namespace for that."""
    flags = CLONE_NEWNET if os.geteuid() == 0 else CLONE_NEWUSER | CLONE_NEWNET
    return _libc is not None and _libc.unshare(flags) == 0
