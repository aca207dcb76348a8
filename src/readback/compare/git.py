"""Which git repository a folder's history lies in, and whether it may be read: never one of another folder.

Ask git for the objects of a repository, and for nothing that the repository could make it run."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Literal

from readback.compare.side import SideError
from readback.readers.files.cache_folder import uploaded

POINTER = 8192  # bytes of a file that says where something of git lies
MAX_ENTRIES = 500_000  # names looked at in one repository
# What a revision is made of. Hooks, settings, grafts and all else that a repository may hold are never looked at.
OWN = ("HEAD", "ORIG_HEAD", "logs")  # of a working tree
SHARED = ("config", "objects", "packed-refs", "refs", "reftable", "shallow")  # of all of them
ELSEWHERE = ("objects/info/alternates", "objects/info/http-alternates")


class NoRepositoryError(SideError):
    """The folder is in no repository at all."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository that may be read once its settings agree.

    `top` is the working tree's folder, `own` its git directory, `common` the one that all its working trees share;
    `below` the folder in it, "" at the top, else with a slash at the end. `registered`: whether `common` was known to
    be of this folder without looking; where it is false, `common` has to name `top` as its working tree.
    """

    top: Path
    own: Path
    common: Path
    below: str
    registered: bool = True


def find_repository(folder: Path) -> Repository:
    """Return the repository that a folder is part of, as git would find it. Raise SideError with the reason against it.

    Its directories must lie in the folder, or be the plain `.git` of a folder above. Whoever brings a folder can write
    a `.git` that is a file, a link or a `commondir`, and so name every repository that this process can read; but
    not what lies above the folder. A linked working tree or a submodule inside another working tree is read where that
    one's own directory has it on record.
    """
    name = folder.name or "the folder"
    if uploaded(folder):
        raise SideError(
            f"{name} was uploaded, and nothing uploaded is read with git; open the folder on the server's "
            f"disk to compare revisions"
        )
    real = Path(os.path.realpath(folder))
    for top in (real, *real.parents):
        if top != real and _find_device(top) != _find_device(real):
            break  # another file system, where git stops too
        repository = _find_at(top, real, name)
        if repository is not None:
            _check_repository(repository, name)
            return repository
    raise NoRepositoryError(f"{name} is in no git repository, so it has no revisions")


def _find_at(top: Path, folder: Path, name: str) -> Repository | None:
    """Return the repository whose `.git` is in `top`; None without one."""
    mark = top / ".git"
    try:
        kind = mark.lstat().st_mode
    except OSError:
        return None
    if top == folder:
        below = ""
    else:
        below = f"{folder.relative_to(top).as_posix()}/"
    if stat.S_ISLNK(kind):
        raise SideError(f"{name}: its .git is a link, and history is read from a plain .git folder only")
    if stat.S_ISDIR(kind):
        if not all(os.path.lexists(mark / part) for part in ("HEAD", "objects", "refs")):
            return None  # git does not take it for one either
        common = _find_common(mark)
        if common != mark and not (common.is_relative_to(mark) or common.is_relative_to(folder)):
            raise SideError(
                f"{name}: its repository shares the directory of another one (.git/commondir), "
                f"so its history is not read"
            )
        return Repository(top, mark, common, below)
    own = _follow_pointer(mark, "gitdir: ")
    if own is None:
        raise SideError(f"{name}: its .git is a file that names no git directory")
    common = _find_common(own)
    if own.is_relative_to(folder) and common.is_relative_to(folder):
        return Repository(top, own, common, below)
    above = next((parent / ".git" for parent in (folder, *folder.parents) if own.is_relative_to(parent / ".git")), None)
    if above is None or not _is_folder(above) or not common.is_relative_to(above):
        raise SideError(
            f"{name}: its .git is a file, and the repository that it names lies elsewhere, so its history "
            f"is not read; open the folder in the repository's main working tree"
        )
    return Repository(top, own, common, below, registered=_follow_pointer(own / "gitdir") == mark)


def _is_folder(folder: Path) -> bool:
    try:
        return stat.S_ISDIR(folder.lstat().st_mode)
    except OSError:
        return False


def _find_common(own: Path) -> Path:
    """Return the directory that the working trees of a repository share."""
    if os.path.lexists(own / "commondir"):
        return _follow_pointer(own / "commondir") or own
    return own


def _follow_pointer(file: Path, word: str = "") -> Path | None:
    """Return the path that a small file of one line names, with links resolved; None without one."""
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            return None
        with file.open("rb") as stream:
            line = os.fsdecode(stream.read(POINTER)).rstrip("\r\n")
        if not line.startswith(word) or not (target := line.removeprefix(word)):
            return None
        return Path(os.path.realpath(file.parent / target))
    except (OSError, ValueError):
        return None


def _find_device(folder: Path) -> int:
    try:
        return folder.stat().st_dev
    except OSError:
        return -1


def _check_repository(repository: Repository, name: str) -> None:
    """Raise SideError where a repository takes something from outside of itself, or belongs to another user."""
    for lender in ELSEWHERE:
        if os.path.lexists(repository.common / lender):
            raise SideError(
                f"{name}: its repository takes objects from another one ({lender}), so its history is not "
                f"read; `git repack -a -d` copies them, then delete that file"
            )
    homes = tuple({Path(os.path.realpath(home)) for home in (repository.own, repository.common)})
    for entry in _list_entries(repository, name):
        if entry.is_symlink():
            if not any(Path(os.path.realpath(entry)).is_relative_to(home) for home in homes):
                raise SideError(
                    f"{name}: its repository holds a link that leads out of it ({_name_entry(entry, repository)}), "
                    f"so its history is not read"
                )
        elif not entry.is_file(follow_symlinks=False) and not entry.is_dir(follow_symlinks=False):
            raise SideError(
                f"{name}: its repository holds something that is not a file ({_name_entry(entry, repository)}), "
                f"so its history is not read"
            )


def _name_entry(entry: os.DirEntry[str], repository: Repository) -> str:
    if Path(entry.path).is_relative_to(repository.common):
        home = repository.common
    else:
        home = repository.own
    return ascii(Path(entry.path).relative_to(home).as_posix())[1:-1]


def _list_entries(repository: Repository, name: str) -> Iterator[os.DirEntry[str]]:
    """Yield every entry in the parts of a repository that are read."""
    waiting = [(str(repository.own), OWN), (str(repository.common), SHARED)]
    left = MAX_ENTRIES
    while waiting:
        folder, only = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if only and entry.name not in only:
                        continue
                    if not (left := left - 1):
                        raise SideError(
                            f"{name}: its repository has more than {MAX_ENTRIES:,} files; `git gc` packs them"
                        )
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, ()))
        except OSError as error:
            raise SideError(
                f"{name}: its repository cannot be read: {(error.strerror or 'no answer').lower()}"
            ) from None


MAX_SECONDS = 60.0  # for one question, and for copying all files of a revision
READ_SIZE = 1 << 20  # bytes read at once
MAX_ANSWER = 64 << 20  # bytes of one answer: a tree can be made to name more files than there are atoms
LONGEST = 200  # characters of a revision's name
OBJECTS = re.compile(r"[0-9a-f]{2}|pack")  # folders of objects; `info` beside them names other repositories
EXTENSIONS = {"objectformat": ("sha1", "sha256"), "refstorage": ("files", "reftable")}  # that change how git reads
# No setting of the repository, the machine or the account holds, and no variable of ours reaches git.
SETTINGS = "[core]\n\tbare = true\n\trepositoryformatversion = 1\n[protocol]\n\tallow = never\n"
ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_LITERAL_PATHSPECS": "1",
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
    """git in one folder; to be used in a `with`, which ends what is still running.

    It never works in the repository itself but in a directory made here, which has of the repository its references
    and objects, by links, and nothing that the repository says: no settings, includes, hooks, grafts, alternates.
    Raises SideError where the history may not be read (`find_repository`).
    """

    def __init__(self, folder: Path) -> None:
        program = shutil.which("git")
        if program is None:
            raise SideError("git is not installed here, so revisions cannot be read")
        self._git, self._name = program, folder.name or "the folder"
        self._reader: subprocess.Popen[bytes] | None = None
        self._timer: threading.Timer | None = None
        self.repository = find_repository(folder)
        self.below = self.repository.below
        self._directory = tempfile.TemporaryDirectory(prefix="readback-git-", ignore_cleanup_errors=True)
        try:
            self._command = [program, "--no-pager", f"--git-dir={self._directory.name}"]
            self._prepare_directory(Path(self._directory.name))
        except BaseException:
            self._directory.cleanup()
            raise

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
        self._directory.cleanup()

    def _prepare_directory(self, directory: Path) -> None:
        """Make the directory that git works in, and check that the repository belongs to this folder and its owner."""
        repository, common = self.repository, self.repository.common
        (directory / "config").write_text(SETTINGS, "ascii")
        (directory / "HEAD").write_text("ref: refs/heads/main\n", "ascii")
        (directory / "objects" / "info").mkdir(parents=True)
        (directory / "refs").mkdir()
        settings = self._read_settings("--file", str(common / "config"), "--no-includes")
        if not repository.registered and not self._is_registered(settings.get("core.worktree", [""])[-1]):
            raise SideError(
                f"{self._name}: its .git is a file, and the repository that it names does not know this "
                f"folder, so its history is not read"
            )
        self._check_owner()
        self._copy_format_settings(directory, {name: values[-1] for name, values in settings.items()})
        (directory / "refs").rmdir()
        for name in ("refs", "packed-refs", "shallow", "reftable"):
            _link_path(directory / name, common / name)
        for name in os.listdir(common / "objects"):  # noqa: PTH208 - names alone are wanted
            if OBJECTS.fullmatch(name):
                _link_path(directory / "objects" / name, common / "objects" / name)
        for name in ("commit-graph", "commit-graphs"):
            _link_path(directory / "objects" / "info" / name, common / "objects" / "info" / name)
        _link_path(directory / "logs", repository.own / "logs")
        for name in ("HEAD", "ORIG_HEAD"):
            with contextlib.suppress(FileNotFoundError), (repository.own / name).open("rb") as file:
                (directory / name).write_bytes(file.read(POINTER))

    def _copy_format_settings(self, directory: Path, settings: Mapping[str, str]) -> None:
        """Copy the settings that say how the repository writes its objects and references."""
        lines = []
        for name, allowed in EXTENSIONS.items():
            value = settings.get(f"extensions.{name}", allowed[0]).lower()
            if value not in allowed:
                raise SideError(f"{self._name}: its repository is kept in a way that is not known here ({name})")
            if value != allowed[0]:
                lines.append(f"\t{name} = {value}\n")
        if lines:
            (directory / "config").write_text(f"{SETTINGS}[extensions]\n{''.join(lines)}", "ascii")

    def _is_registered(self, tree: str) -> bool:
        """Return whether the repository of a submodule names this folder as its working tree."""
        repository = self.repository
        return bool(tree) and os.path.realpath(repository.common / tree) == str(repository.top)

    def _check_owner(self) -> None:
        """Raise SideError where the repository belongs to another user and this account's settings do not trust it."""
        repository, owners = self.repository, {os.geteuid()}
        if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
            owners.add(int(os.environ["SUDO_UID"]))
        places = (repository.top, repository.top / ".git", repository.own, repository.common)
        if all(place.lstat().st_uid in owners for place in places):
            return
        home = {name: value for name in ("HOME", "XDG_CONFIG_HOME") if (value := os.environ.get(name))}
        trusted = self._read_settings(home=home).get("safe.directory", [])
        if "" in trusted:
            trusted = trusted[len(trusted) - trusted[::-1].index("") :]
        for folder in (repository.top, *repository.top.parents):
            if (str(folder) if folder == repository.top else f"{folder}/*") in trusted or "*" in trusted:
                return
        raise SideError(
            f"{self._name} belongs to somebody else; its history is read once `git config --global "
            f"--add safe.directory` names it"
        )

    def _read_settings(self, *where: str, home: Mapping[str, str] | None = None) -> dict[str, list[str]]:
        """Return the settings of one file, or with `home` (HOME) those of the machine and the account."""
        words = ("config", *where, "--null", "--list")
        if home is not None:
            without = {"GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL"}
        else:
            without = set()
        variables = {name: value for name, value in ENVIRONMENT.items() if name not in without}
        out, _ = self._run(*words, environment={**variables, **(home or {})})
        settings: dict[str, list[str]] = {}
        for line in out.decode("utf-8", "surrogateescape").split("\0"):
            name, _, value = line.partition("\n")
            settings.setdefault(name.lower(), []).append(value)
        return settings

    def find_commit(self, rev: str) -> str:
        """Return the commit that `rev` names. Raise SideError."""
        if not rev or len(rev) > LONGEST or not rev.isprintable():
            raise SideError(f"'{rev[:LONGEST]}' cannot be the name of a revision")
        out, failed = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
        name = out.decode("ascii", "replace").strip()
        if failed or not name:
            raise SideError(f"no revision '{rev}' in the repository of {self._name}")
        return name

    def list_commits(self, most: int) -> Iterator[tuple[str, str, str]]:
        """Yield the last commits that touched the folder: id, day, first line of the message. Raise SideError.

        `rev-list` and not `log`, which can be made to check signatures with a program.
        """
        form = "--format=%H%x00%cs%x00%s"
        folder = self.below or "."
        out, _ = self._run("rev-list", "--no-commit-header", f"--max-count={most}", form, "HEAD", "--", folder)
        for line in out.decode("utf-8", "replace").split("\n"):
            parts = line.split("\0")
            if len(parts) == 3:
                yield parts[0], parts[1], parts[2]

    def find_commit_before(self, day: str) -> str:
        """Return the last commit before the end of a day (YYYY-MM-DD, UTC). Raise SideError."""
        out, failed = self._run("rev-list", "--max-count=1", f"--before={day}T23:59:59Z", "HEAD")
        name = out.decode("ascii", "replace").strip()
        if failed or not name:
            raise SideError(f"the repository of {self._name} has no commit up to {day}")
        return name

    def list_files(self, commit: str, below: str) -> Iterator[Blob]:
        """Yield the files of a commit under `below`. Raise SideError."""
        out, failed = self._run("ls-tree", "-r", "-z", "-l", "--full-tree", "--end-of-options", f"{commit}:{below}")
        if failed:
            raise SideError(f"revision {commit[:12]}: {below or 'the folder'} was not there then")
        for line in out.split(b"\0")[:-1]:
            about, _, path = line.partition(b"\t")
            mode, _, name, size = about.split()
            bytes_ = int(size) if size.isdigit() else 0
            yield Blob(os.fsdecode(path), name.decode("ascii"), bytes_, KINDS.get(mode, "file"))

    def read_content(self, blob: Blob) -> Iterator[bytes]:
        """Yield a file's bytes, as they are in the repository. Raise SideError."""
        request_stream, reply_stream = self._batch()
        try:
            request_stream.write(f"{blob.object}\n".encode("ascii"))
            request_stream.flush()
        except BrokenPipeError:
            raise SideError(f"git stopped while {blob.path} was read") from None
        head = reply_stream.readline().split()
        if len(head) != 3 or not head[2].isdigit():
            raise SideError(f"{blob.path}: git does not have what it held then")
        left = int(head[2]) + 1  # git writes a line end behind the bytes
        while left:
            if not (part := reply_stream.read(min(left, READ_SIZE))):
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
                env=self._environment(),
                cwd=self._directory.name,
            )
            self._timer = threading.Timer(MAX_SECONDS, self._reader.kill)
            self._timer.daemon = True
            self._timer.start()
        assert self._reader.stdin is not None  # noqa: S101 - for the type checker: stdin=PIPE above
        assert self._reader.stdout is not None  # noqa: S101 - likewise
        return self._reader.stdin, self._reader.stdout

    def _run(self, *words: str, environment: Mapping[str, str] = ENVIRONMENT) -> tuple[bytes, bool]:
        """Return git's output, and whether git failed. Raise SideError where it does not end or writes too much."""
        try:
            with subprocess.Popen(  # noqa: S603 - git's own commands; a revision is behind --end-of-options
                [*self._command, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment(environment),
                cwd=self._directory.name,
            ) as running:
                timer = threading.Timer(MAX_SECONDS, running.kill)
                timer.start()
                try:
                    assert running.stdout is not None  # noqa: S101 - for the type checker: stdout=PIPE above
                    out = running.stdout.read(MAX_ANSWER + 1)
                    if len(out) > MAX_ANSWER:
                        raise SideError(f"{self._name}: its repository names more than is looked at")
                    running.wait()
                finally:
                    timer.cancel()
                    running.kill()
        except OSError as error:
            raise SideError(f"git did not answer: {type(error).__name__}") from None
        return out, running.returncode != 0

    def _environment(self, variables: Mapping[str, str] = ENVIRONMENT) -> dict[str, str]:
        return {"PATH": os.environ.get("PATH", os.defpath), **variables}


def _link_path(link: Path, target: Path) -> None:
    if os.path.lexists(target):
        link.symlink_to(target)
