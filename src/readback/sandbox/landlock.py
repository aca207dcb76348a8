"""Restrict by Landlock which files a child may open: only those that Python itself is made of."""

from __future__ import annotations

import ctypes
import os
import sys
import sysconfig
from pathlib import Path

# linux/landlock.h; the system calls have these numbers on every architecture.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG = 1
PATH_BENEATH = 1
READ_FILE, READ_DIR = 1 << 2, 1 << 3
FIRST_VERSION, REFER, TRUNCATE = (1 << 13) - 1, 1 << 13, 1 << 14
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")  # what an extension module is linked with


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def build_ruleset(*further: Path) -> int | None:
    """Return a descriptor of the rules; None where the kernel has no Landlock. `further`: more folders to read."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(CREATE_RULESET, None, 0, VERSION_FLAG)
    if version < 1:
        return None
    handled = FIRST_VERSION | (REFER if version > 1 else 0) | (TRUNCATE if version > 2 else 0)
    attributes = ctypes.c_uint64(handled)
    rules: int = libc.syscall(CREATE_RULESET, ctypes.byref(attributes), ctypes.sizeof(attributes), 0)
    if rules < 0:
        return None
    for folder in (*_list_python_folders(), *map(str, further)):
        try:
            number = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        except OSError:  # not there, or out of reach already
            continue
        beneath = _Beneath(READ_FILE | READ_DIR, number)
        libc.syscall(ADD_RULE, rules, PATH_BENEATH, ctypes.byref(beneath), 0)
        os.close(number)
    return rules


def restrict(rules: int) -> bool:
    """Let this process, which cannot gain privileges, open only what `rules` allow; return whether that worked."""
    return bool(ctypes.CDLL(None, use_errno=True).syscall(RESTRICT_SELF, rules, 0) == 0)


def _list_python_folders() -> set[str]:
    own = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return own | {*LIBRARIES, str(Path(__file__).resolve().parents[1])}
