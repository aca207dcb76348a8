"""Nothing that a workspace or an upload holds makes a process read outside of it: every file opened is looked at."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hostile
import pytest
from counts import many

from readback.project_files import PROJECT

pytestmark = pytest.mark.long
ATTEMPTS = 3
LOST = r"strace: ptrace\(PTRACE_LISTEN,.*Input/output error"  # of a process that goes on while strace sees it stop
EVERY = 25  # of so many workspaces one is drawn as pages too
OPENED = re.compile(r"^(\d+) .*\bopen(?:at2?)?\(.*= \d+<(.*?)>(?:\(deleted\))?$")
SUPPORT = Path(__file__).parents[1] / "support"

# What any program opens: its libraries and their configuration, devices, itself, the time, what the system is.
SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/etc/localtime",
    "/usr/share/zoneinfo", "/proc/self", "/dev", "/sys/devices/system/cpu", "/sys/fs/cgroup", "/proc/meminfo",
    "/proc/stat", "/proc/cpuinfo", "/proc/sys", "/proc/filesystems", "/usr/share/locale", "/etc/mime.types",
    "/etc/ssl", "/usr/lib/git-core", "/usr/share/git-core", "/etc/gitconfig", "/etc/os-release", "/proc/version",
    "/etc/locale.alias", "/sys/kernel/mm/transparent_hugepage",
    "/etc/passwd", "/etc/nsswitch.conf",  # Python's own site module, in the process that has no HOME
)  # fmt: skip
PROCESS = re.compile(r"^/proc/\d+(/|$)|^(socket|pipe|anon_inode):|^/memfd:")
# the last one: a file without a name, by its number
TEMPORARY = re.compile(
    r"^/(tmp|var/tmp)(/(readback-git-[^/]*(/.*)?|readback-\d+(/.*)?|tmp[^/]*(/.*)?|[a-z0-9_]{8}|#\d+))?$"
)


def test_nothing_that_a_workspace_holds_is_read_outside_of_it(tmp_path: Path) -> None:
    tracer = shutil.which("strace")
    if tracer is None:
        pytest.skip("strace is not installed: no other way to see every file that is opened")
    for attempt in range(ATTEMPTS):
        base, cache, trace = (
            Path(os.path.realpath(tmp_path)) / str(attempt) / name for name in ("base", "cache", "trace")
        )
        ways, done = _traced(tracer, base, cache, trace)
        if done.returncode == 0 or not re.search(LOST, done.stderr):
            break
    assert done.returncode == 0, done.stderr[-3000:]
    answers = {home: (base / home / "answer").read_text("utf-8", errors="replace") for home in ways}
    failed = {home: text[text.index("FAILED") :][-1500:] for home, text in answers.items() if "FAILED Trace" in text}
    assert failed == {}
    seen = list(_opened(trace, base))
    assert sum(file.startswith(str(base)) for _, file in seen) > 10 * len(ways)  # the trace does show what is read
    wrong = {(home, file, *ways.get(home, ())) for home, file in seen if not _allowed(home, file, base, cache)}
    assert wrong == set()
    told = {home: [text[m.start() - 200 : m.end() + 50] for m in re.finditer(hostile.CANARY, text)]
            for home, text in answers.items() if hostile.CANARY in text}  # fmt: skip
    assert told == {}
    print(f"{len(ways)} workspaces, {len(seen)} files opened, none outside")


def _traced(
    tracer: str, base: Path, cache: Path, trace: Path
) -> tuple[dict[str, Any], subprocess.CompletedProcess[str]]:
    """The workspaces that are made below `base`, by their folders, and how it ended to look at all of them."""
    ways = {}
    for seed in range(many(300)):
        (home := base / f"{seed:03}").mkdir(parents=True)
        (home / "began").write_text("")
        ways[home.name] = hostile.workspace(home, seed)
    environment = {**os.environ, "READBACK_CACHE": str(cache), "HOME": str(base / "home"), "PYTHONPATH": str(SUPPORT),
                   "READBACK_UPLOADS": str(cache / "uploads"), "PYTHONDONTWRITEBYTECODE": ""}  # fmt: skip
    hostile.outside(base / "home")  # what ~ means
    watched = [tracer, "-f", "--seccomp-bpf", "-qq", "-y", "-s", "1", "-e", "signal=none", "-o", str(trace)]
    watched += ["-e", "trace=open,openat,openat2"]
    worker = [sys.executable, str(SUPPORT / "open_hostile.py"), str(base), str(EVERY)]
    return ways, subprocess.run([*watched, *worker], env=environment, capture_output=True, text=True, check=False)


def _opened(trace: Path, base: Path) -> Iterator[tuple[str, str]]:
    """Every file that was opened, as it is without links, and the workspace that was being looked at."""
    home = ""
    with trace.open(errors="backslashreplace") as lines:
        for line in lines:
            if found := OPENED.match(line.rstrip()):
                file = found[2].removesuffix(" (deleted)")
                if file.startswith(f"{base}/") and file.endswith("/began"):
                    home = Path(file).parent.name
                else:
                    yield home, file


def _allowed(home: str, file: str, base: Path, cache: Path) -> bool:
    if file.startswith(f"{base}/") or file == str(base):
        own = base / home
        return _below(file, str(own / "ws")) or file in (str(own / "answer"), str(base)) or _below(file, f"{base}/warm")
    python = {sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()}
    python |= {os.path.realpath(place) for place in python}
    ours = [PROJECT / name for name in ("src", "configs", "pages", "app.py", ".streamlit", "tests")]
    if any(_below(file, str(place)) for place in (cache, *python, *ours, *SYSTEM)) or file == str(PROJECT):
        return True
    return bool(PROCESS.match(file) or TEMPORARY.match(file))


def _below(file: str, place: str) -> bool:
    return file == place or file.startswith(f"{place}/")
