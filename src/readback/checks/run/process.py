"""The audit for pages, in a process of its own: whoever clicks meanwhile shares neither its interpreter nor its turn.

The process works at lower priority, and so do its children. It gets the workspace as a value, tells how far it is,
and answers in JSON; when we hang up, it stops. Where there are more findings than an audit holds, it writes all of them
into a file, which pages read by range. A small dataset and a sample are not worth the start of a process.
"""

from __future__ import annotations

import contextlib
import select
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from readback import plugins, sandbox
from readback.checks import summary
from readback.checks.findings_on_disk import FindingsOnDisk, Writer
from readback.checks.run import engine
from readback.checks.summary import Audit
from readback.readers.cache_folder import DiskFull, cache_folder, remove
from readback.records.dataset import DatasetChanged
from readback.sandbox import frames, jail, json_values
from readback.types import Finding, Workspace
from readback.words import language

SMALL = 1 << 20  # bytes of a dataset that are checked sooner than a process starts
LOOK = 0.2  # seconds between two looks at whether somebody wants it stopped, and between two words on how far it is
EACH = 200  # findings of one frame: reading more of them at once would hold up a page
FOLDER = "findings"  # in the cache, where all findings are written while there are more than an audit holds
LEFT = 86_400  # seconds after which what is left there is nobody's any more
LISTS = ("findings", "ignored_findings")
LARGEST = 1 << 30  # bytes of one frame
BOOT = "import sys; sys.path.append(sys.argv[2]); from readback.checks.run.process import main; main(*sys.argv[1::2])"

Progress = Callable[[int, int], bool | None]


def check(opened: Workspace, progress: Progress | None = None, sample: int | None = None) -> Audit:
    """What `engine.check` answers and raises, worked out where it holds up no page."""
    if sample is not None:
        return engine.check(opened, engine.CheckOptions(progress=progress, sample=sample))
    with _place() as path:
        small = _small(opened)
        audit = _written(opened, progress, path, summary.KEPT) if small else _apart(opened, progress, path)
        try:
            return replace(audit, every=FindingsOnDisk(path)) if path and path.exists() else audit
        except OSError:  # damaged or gone: then those that are kept are listed
            return audit


@contextlib.contextmanager
def _place() -> Iterator[Path | None]:
    """Where a file of all findings may be written meanwhile; None where nothing can be."""
    try:
        folder = cache_folder(FOLDER)
        for left in folder.iterdir():  # of a process that was killed: one that reads such a file needs no name of it
            if left.stat().st_mtime < time.time() - LEFT:
                remove(left)
        made = TemporaryDirectory(dir=folder)
    except OSError:
        yield None
        return
    with made as home:
        yield Path(home) / "every.sqlite3"


def _written(opened: Workspace, progress: Progress | None, path: Path | None, kept: int) -> Audit:
    """The audit, and all its findings in a file where they are more than it has `kept`."""
    beside = {one.path for one in opened.training if opened.dataset is None or one.path != opened.dataset.path}
    writer = Writer(path, kept, beside) if path else None
    for step in engine.stream(opened, engine.CheckOptions(progress=progress)):
        if isinstance(step, Finding) and writer:
            writer.take(step)
        elif isinstance(step, Audit):
            if writer:
                writer.end()
            return step
    raise RuntimeError("a check ended without its answer")


def _apart(opened: Workspace, progress: Progress | None, path: Path | None) -> Audit:
    """The same, worked out in a process."""
    ours, theirs = socket.socketpair()
    package = str(Path(__file__).resolve().parents[2])
    with ours:
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-I", "-c", BOOT, str(theirs.fileno()), package, plugins.export_entries()],
                env={"READBACK_CACHE": str(cache_folder().parent), "READBACK_LANGUAGE": language()},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # as the children of the sandbox: Ctrl+C is for us, and we hang up
            )
        try:
            return _heard(ours, opened, progress, path)
        finally:
            ours.close()
            process.wait()


def _small(opened: Workspace) -> bool:
    try:
        return opened.dataset is None or (opened.root / opened.dataset.path).stat().st_size <= SMALL
    except OSError:
        return True


def _heard(ours: socket.socket, opened: Workspace, progress: Progress | None, path: Path | None) -> Audit:
    """What the process says, until it has said all."""
    found: dict[str, list[Finding]] = {of: [] for of in LISTS}
    done, total, looked = 0, 0, 0.0
    try:
        asked = {"workspace": json_values.freeze(opened), "path": str(path) if path else None, "kept": summary.KEPT}
        ours.sendall(frames.encode(frames.VALUE, asked))
        while True:
            if time.monotonic() - looked > LOOK:
                looked = time.monotonic()
                if progress and progress(done, total) is False:
                    ours.shutdown(socket.SHUT_WR)
                    progress = None
            if not select.select((ours,), (), (), LOOK)[0]:
                continue
            kind, said, _ = frames.read(ours, LARGEST, None)
            if kind == frames.STOPPED:
                raise (DiskFull if said["full"] else DatasetChanged)(said["why"])
            if kind == frames.FAILED:
                raise RuntimeError(f"the audit failed in its process:\n{said}")
            if kind == frames.DONE:
                audit: Audit = json_values.build_converter(Audit)(said)
                mine, ignored = (tuple(found[of]) for of in LISTS)
                return replace(audit, findings=mine, ignored_findings=ignored)
            if "findings" in said:
                found[said["of"]].extend(map(json_values.build_converter(Finding), said["findings"]))
            else:
                done, total = said["done"], said["total"]
    except (frames.Closed, BrokenPipeError):
        raise RuntimeError("the process of the audit was killed") from None


def main(number: str, added: str) -> NoReturn:
    """In the process: one audit for whoever is at the other end of the socket; `added` are the plugins it found."""
    plugins.import_entries(added)
    jail.lower_priority(sandbox.NICENESS)
    theirs = socket.socket(fileno=int(number))
    _, asked, _ = frames.read(theirs, LARGEST, None)
    hung_up = threading.Event()
    threading.Thread(target=_listen, args=(theirs, hung_up), daemon=True).start()
    told = 0.0

    def progress(done: int, total: int) -> bool:
        nonlocal told
        if (now := time.monotonic()) - told > LOOK:
            told = now
            theirs.sendall(frames.encode(frames.VALUE, {"done": done, "total": total}))
        return not hung_up.is_set()

    try:
        path = Path(asked["path"]) if asked["path"] else None
        for frame in _said(_written(json_values.thaw(asked["workspace"]), progress, path, asked["kept"])):
            theirs.sendall(frame)
    except BrokenPipeError:  # nobody listens any more
        pass
    except (DatasetChanged, DiskFull) as why:
        theirs.sendall(frames.encode(frames.STOPPED, {"full": isinstance(why, DiskFull), "why": str(why)}))
    except Exception:
        theirs.sendall(frames.encode(frames.FAILED, traceback.format_exc(limit=-20)))
    sys.exit(0)


def _said(audit: Audit) -> Iterator[bytes]:
    """The answer in frames, the findings a few at a time."""
    for of in LISTS:
        every: Iterator[Finding] = iter(getattr(audit, of))
        while part := [*islice(every, EACH)]:
            yield frames.encode(frames.VALUE, {"of": of, "findings": json_values.to_json_values(part)})
    rest = replace(audit, findings=(), ignored_findings=())
    yield frames.encode(frames.DONE, json_values.to_json_values(rest))


def _listen(theirs: socket.socket, hung_up: threading.Event) -> None:
    theirs.recv(1)
    hung_up.set()
