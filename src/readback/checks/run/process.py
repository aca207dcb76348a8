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
from readback.readers.files.cache_folder import DiskFull, cache_folder, remove
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
    """Run `engine.check` where it does not hold up a page; returns and raises the same."""
    if sample is not None:
        return engine.check(opened, engine.CheckOptions(progress=progress, sample=sample))
    with _place() as path:
        small = _small(opened)
        if small:
            audit = _written(opened, progress, path, summary.KEPT)
        else:
            audit = _apart(opened, progress, path)
        try:
            if path and path.exists():
                return replace(audit, every=FindingsOnDisk(path))
            return audit
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
        temporary = TemporaryDirectory(dir=folder)
    except OSError:
        yield None
        return
    with temporary as home:
        yield Path(home) / "every.sqlite3"


def _written(opened: Workspace, progress: Progress | None, path: Path | None, threshold: int) -> Audit:
    """Check the workspace, and write all findings into a file where they are more than `threshold`."""
    other_files = {
        training_file.path
        for training_file in opened.training
        if opened.dataset is None or training_file.path != opened.dataset.path
    }
    if path:
        writer = Writer(path, threshold, other_files)
    else:
        writer = None
    for step in engine.stream(opened, engine.CheckOptions(progress=progress)):
        if isinstance(step, Finding) and writer:
            writer.take(step)
        elif isinstance(step, Audit):
            if writer:
                writer.end()
            return step
    raise RuntimeError("a check ended without its answer")


def _apart(opened: Workspace, progress: Progress | None, path: Path | None) -> Audit:
    """Check the workspace in a process."""
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
            return _receive_audit(ours, opened, progress, path)
        finally:
            ours.close()
            process.wait()


def _small(opened: Workspace) -> bool:
    try:
        return opened.dataset is None or (opened.root / opened.dataset.path).stat().st_size <= SMALL
    except OSError:
        return True


def _receive_audit(ours: socket.socket, opened: Workspace, progress: Progress | None, path: Path | None) -> Audit:
    """Receive the audit from the process, reporting progress until it is whole."""
    received: dict[str, list[Finding]] = {list_name: [] for list_name in LISTS}
    done, total, looked = 0, 0, 0.0
    try:
        request = {"workspace": json_values.freeze(opened), "path": str(path) if path else None, "kept": summary.KEPT}
        ours.sendall(frames.encode(frames.VALUE, request))
        while True:
            if time.monotonic() - looked > LOOK:
                looked = time.monotonic()
                if progress and progress(done, total) is False:
                    ours.shutdown(socket.SHUT_WR)
                    progress = None
            if not select.select((ours,), (), (), LOOK)[0]:
                continue
            kind, message, _ = frames.read(ours, LARGEST, None)
            if kind == frames.STOPPED:
                raise (DiskFull if message["full"] else DatasetChanged)(message["why"])
            if kind == frames.FAILED:
                raise RuntimeError(f"the audit failed in its process:\n{message}")
            if kind == frames.DONE:
                audit: Audit = json_values.build_converter(Audit)(message)
                mine, ignored = (tuple(received[list_name]) for list_name in LISTS)
                return replace(audit, findings=mine, ignored_findings=ignored)
            if "findings" in message:
                received[message["of"]].extend(map(json_values.build_converter(Finding), message["findings"]))
            else:
                done, total = message["done"], message["total"]
    except (frames.Closed, BrokenPipeError):
        raise RuntimeError("the process of the audit was killed") from None


def main(number: str, added: str) -> NoReturn:
    """In the process: one audit for whoever is at the other end of the socket; `added` are the plugins it found."""
    plugins.import_entries(added)
    jail.lower_priority(sandbox.NICENESS)
    theirs = socket.socket(fileno=int(number))
    _, request, _ = frames.read(theirs, LARGEST, None)
    hung_up = threading.Event()
    threading.Thread(target=_listen, args=(theirs, hung_up), daemon=True).start()
    last_report = 0.0

    def progress(done: int, total: int) -> bool:
        nonlocal last_report
        if (now := time.monotonic()) - last_report > LOOK:
            last_report = now
            theirs.sendall(frames.encode(frames.VALUE, {"done": done, "total": total}))
        return not hung_up.is_set()

    try:
        if request["path"]:
            path = Path(request["path"])
        else:
            path = None
        for frame in _encode_audit(_written(json_values.thaw(request["workspace"]), progress, path, request["kept"])):
            theirs.sendall(frame)
    except BrokenPipeError:  # nobody listens any more
        pass
    except (DatasetChanged, DiskFull) as why:
        theirs.sendall(frames.encode(frames.STOPPED, {"full": isinstance(why, DiskFull), "why": str(why)}))
    except Exception:
        theirs.sendall(frames.encode(frames.FAILED, traceback.format_exc(limit=-20)))
    sys.exit(0)


def _encode_audit(audit: Audit) -> Iterator[bytes]:
    """Encode the audit in frames, the findings a few at a time."""
    for list_name in LISTS:
        every: Iterator[Finding] = iter(getattr(audit, list_name))
        while part := [*islice(every, EACH)]:
            yield frames.encode(frames.VALUE, {"of": list_name, "findings": json_values.to_json_values(part)})
    rest = replace(audit, findings=(), ignored_findings=())
    yield frames.encode(frames.DONE, json_values.to_json_values(rest))


def _listen(theirs: socket.socket, hung_up: threading.Event) -> None:
    theirs.recv(1)
    hung_up.set()
