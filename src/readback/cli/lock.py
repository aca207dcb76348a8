"""Run `readback lock`: write a lock of the prompts, or compare the prompts with it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from readback import as_json
from readback.cli import UsageError
from readback.cli.common import changes, options
from readback.cli.common.engine_note import print_engine_note
from readback.cli.common.lines import print_safe
from readback.cli.common.parser import Command
from readback.cli.common.terminal import Progress, fill
from readback.cli.common.workspace import add_workspace_arguments, open_workspace
from readback.compare.side import SideError
from readback.prompts import model_input
from readback.readers.files import by_address, copies
from readback.review.leaves import Leaves, NothingToLock, Subject, compute_leaves
from readback.review.locks import lock_check, lock_file
from readback.review.locks.lock_check import Checked, Line
from readback.review.locks.lock_file import BadLock, Lock, NewerLock
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback lock`."""
    add_workspace_arguments(parser)
    add = parser.add_argument
    add("--check", action="store_true", help="compare with the lock and do not write it")
    add("-o", "--output", metavar="FILE", help="the lock (default: readback.lock in the folder of the workspace)")
    add(
        "--records",
        action="store_true",
        help="also write FILE.records: a fingerprint of every record, so that --check can count the changes",
    )
    add(
        "--rev",
        metavar="REV",
        help="with --check: the git revision whose texts the changed ones are compared with (default: HEAD)",
    )
    options.add_jobs(parser)
    options.add_loudness(parser, "only what changed, or nothing")


def run(args: argparse.Namespace) -> int:
    """Write or check the lock; return the exit code."""
    if args.check and args.records:
        raise UsageError("--records cannot be used with --check; the side file is written with the lock")
    if args.rev is not None and not args.check:
        raise UsageError("--rev needs --check")
    workspace, jobs = open_workspace(args), options.read_jobs(args)
    if not (args.output or args.check) and copies.find_origin(workspace.root):
        raise UsageError(
            fill(
                "{workspace} is at an address, and nothing is written there: give a file with -o",
                workspace=by_address.redact_address(args.workspace),
            )
        )
    if args.output:
        path = Path(args.output)
    else:
        path = workspace.root / lock_file.NAME
    progress = Progress(args.quiet)
    try:
        if args.check:
            return _check_lock(args, workspace, path, progress, jobs)
        return _write_lock(args, workspace, path, progress, jobs)
    except (BadLock, SideError) as error:
        raise UsageError(str(error)) from None
    except NothingToLock as nothing:
        raise UsageError(fill("{workspace}: nothing to lock: {why}", workspace=args.workspace, why=nothing)) from None
    finally:
        progress.end()


COMMANDS = {"lock": Command(TITLE, ABOUT, add_arguments, run)}


def _write_lock(
    args: argparse.Namespace, workspace: Workspace, path: Path, progress: Progress, jobs: int | None
) -> int:
    if not args.quiet:
        print_engine_note(workspace)
    previous = _read_previous(path)
    if previous and previous.today:
        today = previous.today
    else:
        today = model_input.resolve_today(workspace)
    dated = lock_check.set_day(workspace, today)
    prompts = compute_leaves(dated, None, progress, jobs)
    progress.end()
    if prompts is None:
        raise KeyboardInterrupt
    lock = lock_file.build_lock(prompts, None if workspace.today else dated.today)
    try:
        lock_file.write_lock(path, lock, prompts if args.records else None)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    if args.format == "json":
        answer = {"file": str(path), "today": lock.today, "changed": previous != lock, "lines": _build_lock(lock)}
        print(as_json.dumps(answer, indent=1))
    elif not args.quiet:
        if previous == lock:
            state = "unchanged"
        else:
            state = "written"
        print_safe(f"{path}: {state}, {_format_size(lock, prompts)}")
    return 0


def _read_previous(path: Path) -> Lock | None:
    """Return the lock that is there already, None where none can be read. Raises NewerLock: it is not overwritten."""
    try:
        return lock_file.read_lock(path)
    except NewerLock:
        raise
    except BadLock:
        return None


def _build_lock(lock: Lock) -> list[dict[str, Any]]:
    return [
        {**_build_subject(subject), "records": root.records, "failed": root.failed, "root": root.root}
        for subject, root in lock.roots.items()
    ]


def _build_subject(subject: Subject) -> dict[str, Any]:
    kind, name = lock_file.name_choice(subject.choice)
    if subject.choice.judge:
        judge = {"judge": subject.choice.judge}
    else:
        judge = {}
    return {kind: name, "layer": subject.layer, **judge}


def _format_size(lock: Lock, prompts: Leaves) -> str:
    size = fill(
        "{n:,} {n:line|lines} over {records:,} {records:record|records}", n=len(lock.roots), records=len(prompts.ids)
    )
    failed = sum(root.failed for root in lock.roots.values())
    if failed:
        return f"{size}, {failed:,} without a text"
    return size


def _check_lock(
    args: argparse.Namespace, workspace: Workspace, path: Path, progress: Progress, jobs: int | None
) -> int:
    result = lock_check.check_lock(workspace, path, progress, jobs, args.rev)
    progress.end()
    if result is None:
        raise KeyboardInterrupt
    if args.format == "json":
        answer = {"file": str(path), "stale": bool(result.stale), "unsaid": result.unsaid or None}
        print(as_json.dumps({**answer, "lines": [_build_line(line) for line in result.lines]}, indent=1))
    else:
        for text in _format_result(result, args.quiet):
            print_safe(text)
    return int(bool(result.stale))


def _build_line(line: Line) -> dict[str, Any]:
    return {
        **_build_subject(line.subject),
        "state": line.state,
        "before": line.before.root if line.before else None,
        "now": line.now.root if line.now else None,
        "differ": line.differ,
        "added": line.added,
        "removed": line.removed,
        "rows": line.rows,
        "change": changes.build_change_json(line.change) if line.change else None,
    }


def _format_result(result: Checked, quiet: bool) -> Iterator[str]:
    for line in result.stale:
        yield f"{lock_file.format_head(line.subject)}: {lock_check.describe_change(line)}"
    if result.unsaid and any(line.state == "changed" for line in result.lines):
        yield fill("how the texts changed is not known: {why}", why=result.unsaid)
    if quiet:
        return
    unchanged = len(result.lines) - len(result.stale)
    if result.stale:
        yield fill(
            "{n:,} of {all:,} {all:line|lines} changed, {same:,} did not",
            n=len(result.stale),
            all=len(result.lines),
            same=unchanged,
        )
    else:
        yield fill("unchanged: {n:,} {n:line|lines}", n=unchanged)
