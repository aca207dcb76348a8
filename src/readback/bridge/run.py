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


def find(path: Path) -> Program:
    """The program in a checkout, in a folder of installed packages, or in its own folder. Raises NotImported."""
    path = path.resolve()
    for root in (path, path / PACKAGE, path / "src" / PACKAGE):
        if (root / NEEDED).is_file():
            inside = (one for pattern in PATTERNS for one in sorted(root.glob(pattern)))
            files = tuple(
                one.relative_to(root).as_posix()
                for one in inside
                if one.name != "__init__.py" and one.is_file() and one.resolve().is_relative_to(root)
            )
            if files:
                return Program(root, files, _version(root), _commit(root))
    raise NotImported(f"{path}: there is no {PACKAGE} with {NEEDED} and {PATTERNS[0]}")


def read(program: Program) -> Mapping[str, Any]:
    """What the child answers: {"made", "failed", "constants", "walls"}. Raises NotImported."""
    command = [sys.executable, "-I", "-m", "readback.bridge.child"]
    asked = json.dumps({"root": str(program.root), "files": program.files}).encode()
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    child = subprocess.Popen(  # noqa: S603 - our own module
        command, env={}, cwd="/", start_new_session=True, stdin=pipe, stdout=pipe, stderr=nothing
    )
    timer = threading.Timer(WALL, _end, (child,))
    timer.start()
    try:
        if child.stdin is None or child.stdout is None:
            raise NotImported("the child could not be started")
        child.stdin.write(asked)
        child.stdin.close()
        answered = child.stdout.read(MOST + 1)
    except BrokenPipeError:
        answered = b""
    finally:
        timer.cancel()
        _end(child)
        child.wait()
    if len(answered) > MOST:
        raise NotImported(f"its texts are more than {MOST >> 20} MiB")
    try:
        found: Mapping[str, Any] = json.loads(answered)
    except ValueError:
        raise NotImported("its code used more time or memory than it may, or ended the process") from None
    if found["walls"]["network"] != "none":
        raise NotImported("the system does not let a process give up the network here, and without that it is not run")
    return found


def _end(child: subprocess.Popen[bytes]) -> None:
    """The child and whatever it has started."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def _version(root: Path) -> str | None:
    beside = [*root.parent.glob(f"{PACKAGE}-*.dist-info/METADATA")]
    for file in (*beside, root.parent / "pyproject.toml", root.parent.parent / "pyproject.toml"):
        if found := VERSION.search(_head(file)):
            return found[1]
    return None


def _commit(root: Path) -> str | None:
    """The commit of a plain checkout, read as text: HEAD, and the branch that it names."""
    for folder in (root.parent / ".git", root.parent.parent / ".git"):
        head = _head(folder / "HEAD").strip()
        branch = head.removeprefix("ref: ")
        if branch != head and re.fullmatch(r"refs/heads/[\w./-]+", branch) and ".." not in branch:
            head = _head(folder / branch).strip()
        if COMMIT.fullmatch(head):
            return head
    return None


def _head(file: Path) -> str:
    try:
        if not file.is_file() or file.is_symlink():
            return ""
        with file.open("rb") as opened:
            return opened.read(1 << 16).decode("utf-8", "replace")
    except OSError:
        return ""
