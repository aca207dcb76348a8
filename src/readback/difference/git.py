"""Ask git for the objects of a repository, and for nothing that the repository could make it run."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Literal

from readback.difference.side import SideError

SECONDS = 60.0  # for one question, and for copying all files of a revision
PART = 1 << 20  # bytes read at once
LONGEST = 200  # characters of a revision's name
# Whatever the repository says, these hold. Its own configuration can name programs for hooks, a file watcher,
# filters, fetching missing objects and signatures; the three commands used here ask for none of them, transports
# are refused besides, and a folder that only looks like a repository is none.
SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "safe.bareRepository": "explicit",
    "protocol.allow": "never",
    "core.askPass": "",
}
# The settings of whoever runs Readback stay in force: they alone can say which foreign folders may be trusted.
ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
}
KINDS: dict[bytes, Literal["file", "link", "module"]] = {b"120000": "link", b"160000": "module"}


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of a revision: its posix path below the workspace, its object, its size in bytes."""

    path: str
    object: str
    size: int
    kind: Literal["file", "link", "module"] = "file"


class Git:
    """git in one folder; to be used in a `with`, which ends what is still running."""

    def __init__(self, folder: Path) -> None:
        found = shutil.which("git")
        if found is None:
            raise SideError("git is not installed here, so revisions cannot be read")
        settings = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        self._command = [found, "--no-pager", *settings, "-C", str(folder)]
        self._folder = folder
        kept = {name: value for name in ("PATH", "HOME", "XDG_CONFIG_HOME") if (value := os.environ.get(name))}
        self._environment = {**kept, **ENVIRONMENT}
        self._reader: subprocess.Popen[bytes] | None = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Git:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer:
            self._timer.cancel()
        if self._reader:
            self._reader.kill()
            self._reader.communicate()

    def commit(self, rev: str) -> str:
        """The commit that `rev` names. Raises SideError."""
        if not rev or len(rev) > LONGEST or not rev.isprintable():
            raise SideError(f"'{rev[:LONGEST]}' cannot be the name of a revision")
        done = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
        name = done.stdout.decode("ascii", "replace").strip()
        if done.returncode or not name:
            self.below()  # says it when there is no repository at all
            raise SideError(f"no revision '{rev}' in the repository of {self._folder.name}")
        return name

    def commits(self, most: int) -> Iterator[tuple[str, str, str]]:
        """The last commits that touched the folder: id, day, first line of the message. Raises SideError.

        `rev-list` and not `log`, which a repository's settings can make check signatures with a program of theirs.
        """
        form = "--format=%H%x00%cs%x00%s"
        done = self._run("rev-list", "--no-commit-header", f"--max-count={most}", form, "HEAD", "--", ".")
        if done.returncode:
            self.below()  # says it when there is no repository at all
        for line in done.stdout.decode("utf-8", "replace").split("\n"):
            parts = line.split("\0")
            if len(parts) == 3:
                yield parts[0], parts[1], parts[2]

    def below(self) -> str:
        """Where the folder is inside its repository: "" at the top, else with a slash at the end. Raises SideError."""
        done = self._run("rev-parse", "--show-prefix")
        if done.returncode == 0:
            return os.fsdecode(done.stdout).removesuffix("\n")
        said = done.stderr.decode("utf-8", "replace")
        if "dubious ownership" in said:
            raise SideError(f"{self._folder.name} belongs to somebody else; git reads it once `git config --global "
                            f"--add safe.directory` names it")  # fmt: skip
        raise SideError(f"{self._folder.name} is in no git repository, so it has no revisions")

    def files(self, commit: str, below: str) -> Iterator[Blob]:
        """The files of a commit under `below`. Raises SideError."""
        done = self._run("ls-tree", "-r", "-z", "-l", "--full-tree", "--end-of-options", f"{commit}:{below}")
        if done.returncode:
            raise SideError(f"revision {commit[:12]}: {below or 'the folder'} was not there then")
        for line in done.stdout.split(b"\0")[:-1]:
            about, _, path = line.partition(b"\t")
            mode, _, name, size = about.split()
            bytes_ = int(size) if size.isdigit() else 0
            yield Blob(os.fsdecode(path), name.decode("ascii"), bytes_, KINDS.get(mode, "file"))

    def content(self, blob: Blob) -> Iterator[bytes]:
        """A file's bytes, as they are in the repository. Raises SideError."""
        asked, told = self._batch()
        try:
            asked.write(f"{blob.object}\n".encode("ascii"))
            asked.flush()
        except BrokenPipeError:
            raise SideError(f"git stopped while {blob.path} was read") from None
        head = told.readline().split()
        if len(head) != 3 or not head[2].isdigit():
            raise SideError(f"{blob.path}: git does not have what it held then")
        left = int(head[2]) + 1  # git writes a line end behind the bytes
        while left:
            if not (part := told.read(min(left, PART))):
                raise SideError(f"git stopped while {blob.path} was read")
            left -= len(part)
            yield part if left else part[:-1]

    def _batch(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._reader is None:
            self._reader = subprocess.Popen(  # noqa: S603 - git itself, and no word of anybody else's
                [*self._command, "cat-file", "--batch"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment,
            )
            self._timer = threading.Timer(SECONDS, self._reader.kill)
            self._timer.daemon = True
            self._timer.start()
        assert self._reader.stdin is not None  # noqa: S101 - for the type checker: stdin=PIPE above
        assert self._reader.stdout is not None  # noqa: S101 - likewise
        return self._reader.stdin, self._reader.stdout

    def _run(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(  # noqa: S603 - git's own commands; a revision stands behind --end-of-options
                [*self._command, *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=self._environment,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SideError(f"git did not answer: {type(error).__name__}") from None
