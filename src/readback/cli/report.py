"""Run `readback report`: write the report of a review, or verify one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from readback import as_json
from readback.cli import UsageError
from readback.cli.common import options
from readback.cli.common.lines import print_safe
from readback.cli.common.parser import Command
from readback.cli.common.terminal import Progress, fill
from readback.cli.common.workspace import add_file_options, open_workspace
from readback.exporting.whole_file import whole_file
from readback.reporting import contents, seal
from readback.reporting.forms import FORMS, find_form
from readback.reporting.verified import Verified, verify_report
from readback.review import signing
from readback.review.store import NotReadable, Store

TITLE = "Write the report of a review as one file: what was decided, by whom, on which bytes, and what is open."
ABOUT = (
    "readback report WORKSPACE -o FILE         as HTML, Markdown or JSON, by the ending of FILE or by"
    " --format\n"
    "readback report WORKSPACE -o FILE --as-of TIME\n"
    "                                          with the events of the review up to a day or a time (UTC);"
    " the files of the\n"
    "                                          workspace are those of now\n"
    "readback report --verify FILE             check that the file is as it was written\n"
    "readback report --verify FILE WORKSPACE   and check that it still agrees with the workspace\n"
    "\n"
    "The same workspace, events, --as-of and version of Readback give the same bytes. The checksum in the"
    " first lines is\n"
    "the SHA-256 of the file with its own 64 digits replaced by zeros.\n"
    "\n"
    "exit codes: 0 written, or the file is whole and agrees; 1 it is not, or does not; 2 wrong use, or"
    " nothing was written"
)

LARGEST_REPORT = 256 << 20  # bytes of a file that is verified


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback report`."""
    parser.add_argument("workspace", metavar="WORKSPACE", nargs="?", help="a folder, or one file in it")
    add_file_options(parser)
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=(
            "the file to write, or - for standard output; an existing file is replaced only when the "
            "new one is complete"
        ),
    )
    task.add_argument(
        "--verify",
        metavar="FILE",
        help="check that a report is as it was written, and with WORKSPACE that it still agrees with the workspace",
    )
    parser.add_argument(
        "--format", choices=(*FORMS, "text"), help="html, markdown or json (default: by the ending of the file)"
    )
    parser.add_argument(
        "--as-of", metavar="TIME", help="YYYY-MM-DD, or YYYY-MM-DDTHH:MM:SSZ (default: the time of the last event)"
    )
    options.add_jobs(parser)
    options.add_quiet(parser)


def run(args: argparse.Namespace) -> int:
    """Write or verify a report; return the exit code."""
    try:
        if args.verify is not None:
            return _verify(args)
        return _write(args)
    except (NotReadable, contents.NoTime, seal.NoReport) as error:
        raise UsageError(str(error)) from None


COMMANDS = {"report": Command(TITLE, ABOUT, add_arguments, run)}


def _write(args: argparse.Namespace) -> int:
    if args.workspace is None:
        raise UsageError("name the workspace to report on")
    form = args.format or find_form(args.output)
    if form not in FORMS:
        raise UsageError(
            fill("-o {file}: end the name of the file with .html, .md or .json, or give --format", file=args.output)
        )
    workspace = open_workspace(args)
    store = Store(workspace.root)
    try:
        until = contents.select_events(store.events(), args.as_of)
        progress = Progress(args.quiet)
        args.stack.callback(progress.end)
        report = contents.build_contents(workspace, store, until, options.read_jobs(args), progress)
        progress.end()
    finally:
        store.close()
    raw = FORMS[form](report)
    if args.output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(raw)
        return 0
    try:
        with whole_file(Path(args.output)) as out:
            out.write(raw)
    except OSError as error:
        raise UsageError(f"-o {args.output}: {(error.strerror or str(error)).lower()}") from None
    print_safe(
        fill("{file}: {n:,} {n:event|events}, as of {time}", file=args.output, n=len(until.events), time=until.time)
    )
    return 0


def _verify(args: argparse.Namespace) -> int:
    path = Path(args.verify)
    try:
        if path.stat().st_size > LARGEST_REPORT:
            raise UsageError(
                fill("{file}: larger than {limit} MiB, so it is not a report", file=path, limit=LARGEST_REPORT >> 20)
            )
        raw = path.read_bytes()
        report = seal.read_seal(raw)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except seal.NoReport as error:
        raise seal.NoReport(f"{path}: {error}") from None
    comparison: Verified | None = None
    if args.workspace is not None and report.whole:
        workspace = open_workspace(args)
        store = Store(workspace.root)
        try:
            comparison = verify_report(workspace, store, report, raw, options.read_jobs(args))
        except signing.Stopped:
            raise UsageError("the check was stopped") from None
        finally:
            store.close()
    if args.format == "json":
        answer = {
            "whole": report.whole,
            "as_of": report.holds.get("as_of"),
            "checksum": report.checksum,
            "holds": not comparison.changed if comparison else None,
            "changed": list(comparison.changed) if comparison else [],
            "later_events": comparison.later if comparison else None,
            "imported_events": comparison.imported if comparison else None,
            "other_version": (comparison.version or None) if comparison else None,
        }
        print(as_json.dumps(answer))
    else:
        if report.whole:
            print(fill("{file}: whole, every byte is as it was written", file=path))
        else:
            print(fill("{file}: changed after it was written", file=path))
        for line in _format_comparison(comparison) if comparison else ():
            print_safe(line)
    return int(not report.whole or bool(comparison and comparison.changed))


def _format_comparison(comparison: Verified) -> Iterator[str]:
    """Yield whether the report agrees with the workspace, and what happened since."""
    if comparison.changed:
        yield "the report no longer agrees with the workspace:"
    elif comparison.version:
        yield fill(
            (
                "the report was written by another version of Readback ({version}), so its "
                "sentences were not compared; its fingerprints, its findings and scores and its "
                "events are the same"
            ),
            version=comparison.version,
        )
    else:
        yield "all that the report says was built again from the workspace and its review, and is the same"
    yield from (f"  {line}" for line in comparison.changed)
    if comparison.imported:
        yield fill(
            (
                "{n:,} {n:event of the review was|events of the review were} imported, so their authors "
                "are what a file claims"
            ),
            n=comparison.imported,
        )
    if comparison.later:
        yield fill("{n:,} {n:event was|events were} added to the review since", n=comparison.later)
