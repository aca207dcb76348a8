"""The command `readback report`: the report of a review is written, or verified."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from readback import as_json
from readback.cli import UsageError, _lines, _options, _progress, _workspace
from readback.cli._sentence import fill
from readback.exporting.whole_file import whole_file
from readback.reporting import contents, seal
from readback.reporting.forms import FORMS, form_of
from readback.reporting.verified import verified
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

SENTENCES_REPORT = {
    "whole": "{file}: whole, every byte is as it was written",
    "not_whole": "{file}: changed after it was written",
    "agrees": ("all that the report says was built again from the workspace and its review, and is the same"),
    "agrees_in_part": (
        "the report was written by another version of Readback ({version}), so its "
        "sentences were not compared; its fingerprints, its findings and scores and its "
        "events are the same"
    ),
    "agrees_not": "the report no longer agrees with the workspace:",
}

LARGE = 256 << 20  # bytes of a file that is verified


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="WORKSPACE", nargs="?", help="a folder, or one file in it")
    _workspace.choices_of_files(parser)
    either = parser.add_mutually_exclusive_group(required=True)
    either.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=(
            "the file to write, or - for standard output; an existing file is replaced only when the "
            "new one is complete"
        ),
    )
    either.add_argument(
        "--verify",
        metavar="FILE",
        help=("check that a report is as it was written, and with WORKSPACE that it still agrees with the workspace"),
    )
    parser.add_argument(
        "--format", choices=(*FORMS, "text"), help="html, markdown or json (default: by the ending of the file)"
    )
    parser.add_argument(
        "--as-of", metavar="TIME", help="YYYY-MM-DD, or YYYY-MM-DDTHH:MM:SSZ (default: the time of the last event)"
    )
    _options.jobs(parser)
    _options.quiet(parser)


def run(args: argparse.Namespace) -> int:
    try:
        return _verify(args) if args.verify is not None else _write(args)
    except (NotReadable, contents.NoTime, seal.NoReport) as error:
        raise UsageError(str(error)) from None


def _write(args: argparse.Namespace) -> int:
    if args.workspace is None:
        raise UsageError("name the workspace to report on")
    form = args.format or form_of(args.output)
    if form not in FORMS:
        raise UsageError(
            fill("-o {file}: end the name of the file with .html, .md or .json, or give --format", file=args.output)
        )
    opened = _workspace.opened(args)
    store = Store(opened.root)
    try:
        when = contents.until(store.events(), args.as_of)
        progress = _progress.Progress(args.quiet)
        args.stack.callback(progress.end)
        made = contents.contents(opened, store, when, _options.workers(args), progress)
        progress.end()
    finally:
        store.close()
    raw = FORMS[form](made)
    if args.output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(raw)
        return 0
    try:
        with whole_file(Path(args.output)) as out:
            out.write(raw)
    except OSError as error:
        raise UsageError(f"-o {args.output}: {(error.strerror or str(error)).lower()}") from None
    print(
        _lines.safe(
            fill("{file}: {n:,} {n:event|events}, as of {time}", file=args.output, n=len(when.events), time=when.time)
        )
    )
    return 0


def _verify(args: argparse.Namespace) -> int:
    path = Path(args.verify)
    try:
        if path.stat().st_size > LARGE:
            raise UsageError(fill("{file}: larger than {most} MiB, so it is not a report", file=path, most=LARGE >> 20))
        raw = path.read_bytes()
        found = seal.read(raw)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except seal.NoReport as error:
        raise seal.NoReport(f"{path}: {error}") from None
    held = None
    if args.workspace is not None and found.whole:
        opened = _workspace.opened(args)
        store = Store(opened.root)
        try:
            held = verified(opened, store, found, raw, _options.workers(args))
        except signing.Stopped:
            raise UsageError("the check was stopped") from None
        finally:
            store.close()
    if args.format == "json":
        print(as_json.dumps({"whole": found.whole, "as_of": found.holds.get("as_of"), "checksum": found.checksum,
                             "holds": not held.changed if held else None,
                             "changed": list(held.changed) if held else [],
                             "later_events": held.later if held else None,
                             "imported_events": held.imported if held else None,
                             "other_version": (held.version or None) if held else None}))  # fmt: skip
    else:
        print(fill(SENTENCES_REPORT["whole" if found.whole else "not_whole"], file=path))
        if held is not None:
            agrees = "agrees_in_part" if held.version else "agrees"
            print(_lines.safe(fill(SENTENCES_REPORT["agrees_not" if held.changed else agrees], version=held.version)))
            for line in held.changed:
                print(_lines.safe(f"  {line}"))
            if held.imported:
                print(
                    fill(
                        (
                            "{n:,} {n:event of the review was|events of the review were} imported, so their authors "
                            "are what a file claims"
                        ),
                        n=held.imported,
                    )
                )
            if held.later:
                print(fill("{n:,} {n:event was|events were} added to the review since", n=held.later))
    return int(not found.whole or bool(held and held.changed))
