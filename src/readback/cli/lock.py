"""The command `readback lock`: the lock is written, or the prompts are compared with it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from readback import as_json
from readback.cli import UsageError, _changes, _engine_note, _lines, _options, _progress, _workspace
from readback.cli._sentence import fill
from readback.compare.side import SideError
from readback.prompts import model_input
from readback.readers import by_address
from readback.review import lock_check, lock_file
from readback.review.leaves import Leaves, NothingToLock, Subject, leaves
from readback.review.lock_check import Checked, Line
from readback.review.lock_file import BadLock, Lock, NewerLock
from readback.types import Workspace

TITLE = "Write a small file with a hash of every prompt, or list the prompts that changed since."
ABOUT = (
    "readback lock WORKSPACE            writes readback.lock beside readback.yml, with one line for each"
    " condition and layer:\n"
    "                                   messages, model-input (the one text that the model reads),"
    " training (the text that\n"
    "                                   it was trained on), judge (the judge's messages). Commit it with"
    " the prompts.\n"
    "readback lock --check WORKSPACE    assembles every prompt again and lists the conditions and layers"
    " that changed. It\n"
    "                                   counts the changed prompts where the lock has a side file"
    " (--records), and shows\n"
    "                                   the changes where git has the version that was locked.\n"
    "\n"
    "Templates that print a date print the day of the lock, unless readback.yml has a day. An existing"
    " lock keeps its\n"
    "day.\n"
    "\n"
    "exit codes: 0 written, or nothing changed; 1 --check found a change; 2 wrong use, no lock, or a lock"
    " of a newer version"
)

SENTENCES_LOCK = {
    "written": "{file}: written, {size}",
    "unchanged": "{file}: unchanged, {size}",
    "size": "{n:,} {n:line|lines} over {records:,} {records:record|records}",
    "size_without": ("{n:,} {n:line|lines} over {records:,} {records:record|records}, {failed:,} without a text"),
    "changed": "{line}: {said}",
    "unsaid": "how the texts changed is not known: {why}",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser)
    add = parser.add_argument
    add("--check", action="store_true", help="compare with the lock and do not write it")
    add("-o", "--output", metavar="FILE", help="the lock (default: readback.lock in the folder of the workspace)")
    add(
        "--records",
        action="store_true",
        help=("also write FILE.records: a fingerprint of every record, so that --check can count the changes"),
    )
    add(
        "--rev",
        metavar="REV",
        help=("with --check: the git revision whose texts the changed ones are compared with (default: HEAD)"),
    )
    _options.jobs(parser)
    _options.loudness(parser, "only what changed, or nothing")


def run(args: argparse.Namespace) -> int:
    if args.check and args.records:
        raise UsageError("--records cannot be used with --check; the side file is written with the lock")
    if args.rev is not None and not args.check:
        raise UsageError("--rev needs --check")
    opened, jobs = _workspace.opened(args), _options.workers(args)
    if not (args.output or args.check) and by_address.origin(opened.root):
        raise UsageError(
            fill(
                "{workspace} is at an address, and nothing is written there: give a file with -o",
                workspace=by_address.shown(args.workspace),
            )
        )
    path = Path(args.output) if args.output else opened.root / lock_file.NAME
    progress = _progress.Progress(args.quiet)
    try:
        return (_check if args.check else _write)(args, opened, path, progress, jobs)
    except (BadLock, SideError) as error:
        raise UsageError(str(error)) from None
    except NothingToLock as nothing:
        raise UsageError(fill("{workspace}: nothing to lock: {why}", workspace=args.workspace, why=nothing)) from None
    finally:
        progress.end()


def _write(
    args: argparse.Namespace, opened: Workspace, path: Path, progress: _progress.Progress, jobs: int | None
) -> int:
    if not args.quiet:
        _engine_note.print_note(opened)
    held = _held(path)
    today = lock_check.dated(opened, held.today if held and held.today else model_input.resolve_today(opened))
    found = leaves(today, None, progress, jobs)
    progress.end()
    if found is None:
        raise KeyboardInterrupt
    made = lock_file.lock(found, None if opened.today else today.today)
    try:
        lock_file.write(path, made, found if args.records else None)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    if args.format == "json":
        print(as_json.dumps({"file": str(path), "today": made.today, "changed": held != made, "lines": _lines_of(made)},
                            indent=1))  # fmt: skip
    elif not args.quiet:
        done = "unchanged" if held == made else "written"
        print(_lines.safe(fill(SENTENCES_LOCK[done], file=path, size=_size(made, found))))
    return 0


def _held(path: Path) -> Lock | None:
    """The lock that is there already; None where there is none that can be read. A newer one is not overwritten."""
    try:
        return lock_file.read(path)
    except NewerLock:
        raise
    except BadLock:
        return None


def _lines_of(made: Lock) -> list[dict[str, Any]]:
    return [
        {**_subject(subject), "records": root.records, "failed": root.failed, "root": root.root}
        for subject, root in made.roots.items()
    ]


def _subject(subject: Subject) -> dict[str, Any]:
    kind, name = lock_file.named(subject.choice)
    return {kind: name, "layer": subject.layer, **({"judge": subject.choice.judge} if subject.choice.judge else {})}


def _size(made: Lock, found: Leaves) -> str:
    failed = sum(root.failed for root in made.roots.values())
    size = "size_without" if failed else "size"
    return fill(SENTENCES_LOCK[size], n=len(made.roots), records=len(found.ids), failed=failed)


def _check(
    args: argparse.Namespace, opened: Workspace, path: Path, progress: _progress.Progress, jobs: int | None
) -> int:
    checked = lock_check.check(opened, path, progress, jobs, args.rev)
    progress.end()
    if checked is None:
        raise KeyboardInterrupt
    if args.format == "json":
        values = {"file": str(path), "stale": bool(checked.stale), "unsaid": checked.unsaid or None}
        print(as_json.dumps({**values, "lines": [_value(line) for line in checked.lines]}, indent=1))
    else:
        for line in _said(checked, args.quiet):
            print(_lines.safe(line))
    return int(bool(checked.stale))


def _value(line: Line) -> dict[str, Any]:
    return {
        **_subject(line.subject),
        "state": line.state,
        "before": line.before.root if line.before else None,
        "now": line.now.root if line.now else None,
        "differ": line.differ,
        "added": line.added,
        "removed": line.removed,
        "rows": line.rows,
        "change": _changes.change(line.change) if line.change else None,
    }


def _said(checked: Checked, quiet: bool) -> Iterator[str]:
    for line in checked.stale:
        yield fill("{line}: {said}", line=lock_file.head(line.subject), said=lock_check.describe_change(line))
    if checked.unsaid and any(line.state == "changed" for line in checked.lines):
        yield fill("how the texts changed is not known: {why}", why=checked.unsaid)
    if not quiet:
        same = len(checked.lines) - len(checked.stale)
        if checked.stale:
            yield fill(
                "{n:,} of {all:,} {all:line|lines} changed, {same:,} did not",
                n=len(checked.stale),
                all=len(checked.lines),
                same=same,
            )
        else:
            yield fill("unchanged: {n:,} {n:line|lines}", n=same)
