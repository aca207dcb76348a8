"""Find a program's prompt modules, and have a child run them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readback.bridge.child import PACKAGE

PATTERNS = ("adapters/*/prompts/*.py", "benchmark/verification/prompts/**/*.py")
NEEDED = "ports/adapter_instruction.py"
WALL = 60  # seconds on the clock
MOST = 64 << 20  # bytes of an answer
VERSION = re.compile(r"^version\s*[=:]\s*[\"']?([^\"'\s]+)", re.MULTILINE | re.IGNORECASE)
COMMIT = re.compile(r"[0-9a-f]{40}")


class NotImported(Exception):  # noqa: N818 - an outcome to say in one sentence
    """Nothing could be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program's package folder, the files of it that are run, and which version it is, as far as that is known."""

    root: Path
    files: tuple[str, ...]
    version: str | None = None
    commit: str | None = None


def find_program(path: Path) -> Program:
    """Find the program in a checkout, in a folder of installed packages, or in its own folder. Raise NotImported."""
    path = path.resolve()
    for root in (path, path / PACKAGE, path / "src" / PACKAGE):
        if (root / NEEDED).is_file():
            candidates = (file for pattern in PATTERNS for file in sorted(root.glob(pattern)))
            files = tuple(
                file.relative_to(root).as_posix()
                for file in candidates
                if file.name != "__init__.py" and file.is_file() and file.resolve().is_relative_to(root)
            )
            if files:
                return Program(root, files, _read_version(root), _read_commit(root))
    raise NotImported(f"{path}: there is no {PACKAGE} with {NEEDED} and {PATTERNS[0]}")


def read_program(program: Program) -> Mapping[str, Any]:
    """Return what the child answers: {"made", "failed", "constants", "walls"}. Raise NotImported."""
    command = [sys.executable, "-I", "-m", "readback.bridge.child"]
    request = json.dumps({"root": str(program.root), "files": program.files}).encode()
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    child = subprocess.Popen(  # noqa: S603 - our own module
        command, env={}, cwd="/", start_new_session=True, stdin=pipe, stdout=pipe, stderr=nothing
    )
    timer = threading.Timer(WALL, _kill_group, (child,))
    timer.start()
    try:
        if child.stdin is None or child.stdout is None:
            raise NotImported("the child could not be started")
        child.stdin.write(request)
        child.stdin.close()
        data = child.stdout.read(MOST + 1)
    except BrokenPipeError:
        data = b""
    finally:
        timer.cancel()
        _kill_group(child)
        child.wait()
    if len(data) > MOST:
        raise NotImported(f"its texts are more than {MOST >> 20} MiB")
    try:
        answer: Mapping[str, Any] = json.loads(data)
    except ValueError:
        raise NotImported("its code used more time or memory than it may, or ended the process") from None
    if answer["walls"]["network"] != "none":
        raise NotImported("the system does not let a process give up the network here, and without that it is not run")
    return answer


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and whatever it has started."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def _read_version(root: Path) -> str | None:
    metadata = [*root.parent.glob(f"{PACKAGE}-*.dist-info/METADATA")]
    for file in (*metadata, root.parent / "pyproject.toml", root.parent.parent / "pyproject.toml"):
        if match := VERSION.search(_read_start(file)):
            return match[1]
    return None


def _read_commit(root: Path) -> str | None:
    """Read the commit of a plain checkout as text: HEAD, and the branch that it names."""
    for folder in (root.parent / ".git", root.parent.parent / ".git"):
        head = _read_start(folder / "HEAD").strip()
        branch = head.removeprefix("ref: ")
        if branch != head and re.fullmatch(r"refs/heads/[\w./-]+", branch) and ".." not in branch:
            head = _read_start(folder / branch).strip()
        if COMMIT.fullmatch(head):
            return head
    return None


def _read_start(file: Path) -> str:
    try:
        if not file.is_file() or file.is_symlink():
            return ""
        with file.open("rb") as opened:
            return opened.read(1 << 16).decode("utf-8", "replace")
    except OSError:
        return ""
