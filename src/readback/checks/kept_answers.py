"""The answer of a whole check, kept until anything it depends on is another: asked again, it is there at once.

Compared is what things hold, never their size and time: every file of the workspace's folder, the workspace as it was
opened, what was asked, the day where templates may print it, this package and all others that are installed. Nothing
is kept of a check that was stopped, that failed or that met a limit of time, of an upload, of a folder with links, and
where plugins are installed. A damaged answer is not believed but worked out again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, cast

from readback import plugins
from readback.checks import finding_lines
from readback.checks.finding_lines import line
from readback.checks.packed_findings import PackedFindings, Pile
from readback.checks.summary import Audit, Progress
from readback.project_files import CONFIGS
from readback.prompts import model_input
from readback.readers import checksum
from readback.readers.cache_folder import cache_folder, uploaded
from readback.readers.checksum import Hashes
from readback.readers.file_state import State, state
from readback.sandbox.frozen import freeze, maker, plain
from readback.types import Finding, Workspace
from readback.words import language

KIND = "checks"  # the folder in the cache
KINDS = (KIND, "parts")  # the folders whose content has one bound
SLOW = 1.0  # seconds of a check whose answer is worth keeping
FILES = 2_000  # of a folder; one with more is looked through each time
BLOCK = 1 << 20  # bytes that are read at once
LARGEST = 128 << 20  # bytes of one answer, as it is kept
MOST = 512 << 20  # bytes of all answers and parts of them; what was not asked for longest goes first
TOGETHER = 64  # findings that are packed at once
LENGTH = 8  # bytes that say how long the summary is
NOT_OURS = {"__pycache__", "_bundle"}  # folders of the package that hold what was made of it, or for it

HEADER = re.compile(r"^(?:Name|Version):[ \t]*(.*)", re.MULTILINE | re.IGNORECASE)  # of what is installed

Step = Finding | Progress | Audit
States = dict[str, State]


def answered(
    opened: Workspace, asked: Mapping[str, Any], work: Callable[[], Iterator[Step]], hashes: Hashes
) -> Iterator[Step]:
    """The steps of `work` (findings and others, the Audit last); those of earlier, findings and Audit, where nothing
    changed since. `asked`: what else the answer depends on, as JSON values; `hashes`: those that `work` shares.
    """
    files = files_below(opened.root) if keepable(opened) else None
    name = _digest([str(opened.root), asked]) if files is not None else ""
    try:
        folder = cache_folder(KIND) if name else None
    except OSError:
        folder = None
    if folder is None or files is None:
        yield from work()
        return
    dated = replace(opened, today=model_input.today(opened))  # templates may print it; the day on which it began
    kept, mark = _known(dated, asked, files, folder / name, hashes)
    if kept is not None:
        yield from kept
        return
    began = time.monotonic()
    with _Writing(folder) as writing:
        for step in work():
            if isinstance(step, Finding):
                writing.take(step)
            elif isinstance(step, Audit):  # the last step, after which nobody may ask for more
                writing.end(step)
                if writing.whole and time.monotonic() - began > SLOW:
                    with suppress(OSError):  # a full disk, say: then it is worked out again
                        _keep(dated, asked, files, folder / name, writing, mark, hashes)
            yield step


def _known(
    dated: Workspace, asked: Mapping[str, Any], files: States, name: Path, hashes: Hashes
) -> tuple[Iterator[Finding | Audit] | None, str]:
    """The answer of earlier, if there is one and everything is the same, and the mark if it had to be made; `name` is
    all of the answer's name but the mark.
    """
    try:
        if any(name.parent.glob(f"{name.name}-{_sizes(files)}*")):  # else some file is another, whatever it holds
            mark = _mark(dated, asked, files, hashes)
            return _read(name.with_name(f"{name.name}-{mark}")), mark
    except OSError:  # a file has gone meanwhile, or may not be read: the check will say so
        pass
    return None, ""


def _keep(
    dated: Workspace,
    asked: Mapping[str, Any],
    files: States,
    name: Path,
    writing: _Writing,
    mark: str,
    hashes: Hashes,
) -> None:
    """Keep what was written, if the files are those of before the check, and so of before `mark` was made, if it was.
    Raises OSError.
    """
    if files_below(dated.root) == files:
        made = mark or _mark(dated, asked, files, hashes)
        if mark or files_below(dated.root) == files:
            writing.keep(name.with_name(f"{name.name}-{made}"))


def keepable(opened: Workspace) -> bool:
    """Whether all that the answers of a workspace depend on can be compared."""
    return not uploaded(opened.root) and not any(plugins.found(group) for group in plugins.GROUPS)


# What an answer depends on.


def files_below(root: Path) -> States | None:
    """The state of each file below a folder; None where that is not all that may be read there."""
    found: States = {}
    waiting = [root]
    try:
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_symlink() or len(found) > FILES:
                        return None
                    if entry.is_dir():
                        waiting.append(Path(entry.path))
                    elif not entry.is_file():
                        return None
                    else:
                        found[os.path.relpath(entry.path, root)] = state(entry.path)
    except OSError:
        return None
    return found


def _mark(dated: Workspace, asked: Mapping[str, Any], files: States, hashes: Hashes) -> str:
    """A name for everything that an answer depends on. Raises OSError where a file has gone."""
    return _sizes(files) + _digest([[*versions(), freeze(dated), asked], content(dated.root, files, hashes)])


def _sizes(files: States) -> str:
    """How the marks of files that are so long begin: where none does, no file has to be read to know it."""
    return _digest(sorted((name, known.size) for name, known in files.items()))[:8]


def versions() -> list[Any]:
    """What every answer depends on, as JSON: Python, all that is installed, this package, the language of its words."""
    return [sys.version, _installed(), package(), language()]


def content(root: Path, files: States, hashes: Hashes) -> list[list[Any]]:
    """[name, first byte, hash] of each part of files below a folder. Raises OSError where one has gone."""
    parts = [
        (name, at) for name, known in sorted(files.items()) for at in range(0, max(known.size, 1), checksum.PART)
    ]  # an empty file has one part, too
    made = hashes.of_parts([(root / name, at, at + checksum.PART) for name, at in parts])
    return [[name, at, one] for (name, at), one in zip(parts, made, strict=True)]


@cache
def package() -> str:
    """What this package holds, wherever it is installed: rules, words, readers, adapters, everything."""
    files = []
    for number, home in enumerate(map(str, (Path(__file__).parents[1], CONFIGS))):
        for folder, below, names in os.walk(home):
            below[:] = set(below) - NOT_OURS
            for path in (Path(folder, name) for name in names):
                if path.is_file():
                    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
                    files.append([f"{number} {str(path).removeprefix(home)}", sha256])
    return _digest(sorted(files))


@cache
def _installed() -> list[list[str]]:
    """The name and the version of everything that is installed, as the head of its METADATA has them: importlib would
    parse the whole of each, descriptions too, which takes a tenth of a second.
    """
    from importlib.metadata import distributions

    said = (one.read_text("METADATA") or one.read_text("PKG-INFO") or "" for one in distributions())
    return sorted(HEADER.findall(one.partition("\n\n")[0]) for one in said)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


# How an answer lies on the disk: findings, a line of JSON each, and the summary, which says which of these it holds,
# both packed; how long the packed summary is; a checksum of all that.


class _Writing:
    """An answer that is packed while it passes by, and lies in a file without a name until it is kept: a context."""

    def __init__(self, folder: Path) -> None:
        self.packer, self.size = zlib.compressobj(1), 0
        self.packed = tempfile.SpooledTemporaryFile(BLOCK, dir=str(folder))  # noqa: SIM115 - it is closed with this
        self.fits, self.audit = True, b""  # of the summary 10,000 findings are packed less than 2 MB
        self.lines: list[str] = []  # that are not packed yet

    def __enter__(self) -> _Writing:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # what was not written, on a full disk, cannot be
            self.packed.close()

    @property
    def whole(self) -> bool:
        return self.fits and bool(self.audit)

    def take(self, one: Finding) -> None:
        self.fits = self.fits and self.size < LARGEST
        if self.fits:
            self.lines.append(line(one))
            if len(self.lines) >= TOGETHER:
                self._pack()

    def end(self, audit: Audit) -> None:
        self.fits = self.fits and not (audit.stopped or audit.faults or audit.sample or audit.limited)
        if self.fits:
            self._pack()
            self._add(self.packer.flush())
            packer = zlib.compressobj(1)
            self.audit = b"".join((*map(packer.compress, _summary(audit)), packer.flush()))

    def keep(self, path: Path) -> None:
        """Raises OSError."""
        size = self.size + len(self.audit) + LENGTH
        if size > LARGEST:
            return
        for old in path.parent.glob(f"{path.name.partition('-')[0]}-*"):
            old.unlink(missing_ok=True)
        make_room(size)
        write(path, self._pieces())

    def _pieces(self) -> Iterator[bytes]:
        self.packed.seek(0)
        yield from iter(lambda: self.packed.read(BLOCK), b"")
        yield self.audit
        yield len(self.audit).to_bytes(LENGTH, "big")

    def _pack(self) -> None:
        self._add(self.packer.compress("".join(one + "\n" for one in self.lines).encode()))
        self.lines.clear()

    def _add(self, packed: bytes) -> None:
        try:
            self.packed.write(packed)
        except OSError:  # a full disk, say
            self.fits = False
        self.size += len(packed)


def _read(path: Path) -> Iterator[Finding | Audit] | None:
    """What was kept, which somebody asked for now; None where nothing is, or something else than was written."""
    try:
        file = path.open("rb")
    except OSError:
        return None
    try:
        whole = checksum.checked_size(file)
        if whole is not None and whole >= LENGTH:
            os.utime(path)
            file.seek(whole - LENGTH)
            return _steps(file, whole - LENGTH - int.from_bytes(file.read(LENGTH), "big"), whole - LENGTH)
    except OSError:
        pass
    file.close()
    return None


def _steps(file: BinaryIO, begin: int, end: int) -> Iterator[Finding | Audit]:
    """The findings, which are before `begin`, and the summary between it and `end`."""
    with file:
        file.seek(begin)
        lines = _lines(file, end - begin)
        made: Audit = maker(Audit)(json.loads(next(lines)))
        held, ignored = iter(json.loads(next(lines))), Pile()
        for number, said in enumerate(lines):
            ignored.add(number, said)
        file.seek(0)
        findings, wanted = Pile(), next(held, None)
        for number, said in enumerate(_lines(file, begin), 1):
            if number == wanted:
                findings.add(number, said)
                wanted = next(held, None)
            yield finding_lines.read(said)
    yield replace(made, findings=PackedFindings([findings]), ignored_findings=PackedFindings([ignored]))


def _lines(file: BinaryIO, left: int) -> Iterator[str]:
    """The lines that are packed in so many bytes of a file from here on."""
    unpacker, rest = zlib.decompressobj(), b""
    while left > 0 and (block := file.read(min(BLOCK >> 4, left))):
        left -= len(block)
        lines, end, rest = (rest + unpacker.decompress(block)).rpartition(b"\n")
        yield from lines.decode().split("\n") if end else ()


def _summary(audit: Audit) -> Iterator[bytes]:
    """Its lines: all but its findings; the numbers of those that it holds among all; the ignored ones."""
    findings, ignored = (cast(PackedFindings, found) for found in (audit.findings, audit.ignored_findings))
    yield json.dumps(plain(replace(audit, findings=(), ignored_findings=()))).encode() + b"\n"
    yield json.dumps([*findings.numbers()]).encode() + b"\n"
    yield from (said.encode() + b"\n" for said in ignored.lines())


# Files of the folders, whatever they hold.


def write(path: Path, pieces: Iterable[bytes]) -> None:
    """A file that is there with its checksum, or not at all. Raises OSError."""
    handle, begun = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            checksum.write(file, pieces)
        Path(begun).rename(path)
    except OSError:
        Path(begun).unlink(missing_ok=True)
        raise


def read(path: Path) -> bytes | memoryview | None:
    """What was written, which somebody asked for now; None where nothing was, or where it is damaged."""
    try:
        whole = checksum.checked(memoryview(path.read_bytes()))
        os.utime(path)
    except OSError:
        return None
    return whole


def make_room(size: int) -> None:
    """Remove files, those first that nobody asked for longest, and what was begun and never finished, so that there
    is room for so many bytes. Raises OSError.
    """
    found = []
    for path in (path for kind in KINDS for path in cache_folder(kind).iterdir()):
        with suppress(FileNotFoundError):  # somebody else removed it
            found.append((path.stat().st_mtime, path.stat().st_size, path))
    for changed, each, path in sorted(found, reverse=True):
        size += each
        if size > MOST or (path.name.startswith(".new-") and changed < time.time() - 86_400):
            path.unlink(missing_ok=True)
