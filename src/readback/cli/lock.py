"""The command `readback lock`: the lock is written, or the prompts are compared with it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from readback import as_json
from readback.cli import UsageError, _changes, _engine_note, _lines, _options, _progress, _workspace
from readback.compare.side import SideError
from readback.prompts import model_input
from readback.readers import by_address
from readback.review import lock_check, lock_file
from readback.review.leaves import Leaves, NothingToLock, Subject, leaves
from readback.review.lock_check import Checked, Line
from readback.review.lock_file import BadLock, Lock, NewerLock
from readback.types import Workspace
from readback.words import t


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser)
    add = parser.add_argument
    add("--check", action="store_true", help=t("cli.lock.help_check"))
    add("-o", "--output", metavar="FILE", help=t("cli.lock.help_output"))
    add("--records", action="store_true", help=t("cli.lock.help_records"))
    add("--rev", metavar="REV", help=t("cli.lock.help_rev"))
    _options.jobs(parser)
    _options.loudness(parser, t("cli.lock.help_quiet"))


def run(args: argparse.Namespace) -> int:
    if args.check and args.records:
        raise UsageError(t("cli.lock.records_alone"))
    if args.rev is not None and not args.check:
        raise UsageError(t("cli.lock.rev_alone"))
    opened, jobs = _workspace.opened(args), _options.workers(args)
    if not (args.output or args.check) and by_address.origin(opened.root):
        raise UsageError(t("cli.lock.address", workspace=by_address.shown(args.workspace)))
    path = Path(args.output) if args.output else opened.root / lock_file.NAME
    progress = _progress.Progress(args.quiet)
    try:
        return (_check if args.check else _write)(args, opened, path, progress, jobs)
    except (BadLock, SideError) as error:
        raise UsageError(str(error)) from None
    except NothingToLock as nothing:
        raise UsageError(t("cli.lock.nothing", workspace=args.workspace, why=nothing)) from None
    finally:
        progress.end()


def _write(
    args: argparse.Namespace, opened: Workspace, path: Path, progress: _progress.Progress, jobs: int | None
) -> int:
    if not args.quiet:
        _engine_note.print_note(opened)
    held = _held(path)
    today = lock_check.dated(opened, held.today if held and held.today else model_input.today(opened))
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
        print(_lines.safe(t(f"cli.lock.{done}", file=path, size=_size(made, found))))
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
    return t(f"cli.lock.{size}", n=len(made.roots), records=len(found.ids), failed=failed)


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
        yield t("cli.lock.changed", line=lock_file.head(line.subject), said=lock_check.said(line))
    if checked.unsaid and any(line.state == "changed" for line in checked.lines):
        yield t("cli.lock.unsaid", why=checked.unsaid)
    if not quiet:
        same = len(checked.lines) - len(checked.stale)
        if checked.stale:
            yield t("cli.lock.some", n=len(checked.stale), all=len(checked.lines), same=same)
        else:
            yield t("cli.lock.none", n=same)
