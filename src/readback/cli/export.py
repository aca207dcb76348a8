"""The command `readback export`: the messages of every record as a file or on standard output."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from readback.cli import UsageError, _lines, _options, _progress, _workspace
from readback.cli._sentence import fill
from readback.exporting import wanted
from readback.exporting.export import Exported, NoModel, export
from readback.exporting.lines import FORMS
from readback.exporting.to_file import ERRORS, OwnFile, to_file
from readback.exporting.wanted import NothingToExport
from readback.quantity import quantity
from readback.types import Selection, Workspace

TITLE = "Write the messages of every record under every condition to a file for other programs."
ABOUT = (
    "messages-jsonl has a line for each record and condition (or mode, where there are no conditions):\n"
    '  {{"index", "record", "condition", "messages": [{{"role", "content"}}], "fingerprint"}}\n'
    '  {{"index", "record", "condition", "error": {{"code", "message"}}}}    where no messages could be'
    " assembled\n"
    "openai-batch has requests; what could not be assembled is in FILE.errors.jsonl. parquet is"
    " messages-jsonl as a table.\n"
    "\n"
    "exit codes: 0 everything was assembled; 1 something was not; 2 wrong use, or nothing to export"
)

SENTENCES_EXPORT = {
    "failed_above": ("{failed:,} of {n:,} {n:request|requests} could not be assembled; their errors are above"),
    "failed_file": ("{failed:,} of {n:,} {n:request|requests} could not be assembled; their errors are in {file}"),
}

STDOUT = "-"
OBEYED = re.compile("[\x7f-\x9f]")  # control characters that JSON need not escape


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="WORKSPACE", help="a folder, or one file in it")
    _workspace.choices_of_files(parser)
    add = parser.add_argument
    add("--as", required=True, choices=FORMS, dest="form", help="the form of the file")
    add("--condition", action="append", default=[], metavar="C", help="only this condition; may be repeated")
    add(
        "--mode", action="append", default=[], metavar="M", help="this mode alone, without a condition; may be repeated"
    )
    add("--judge", metavar="J", help="the messages of this judge, for the answers of each condition that has any")
    add("--model", metavar="NAME", help="openai-batch: the model to ask where neither condition nor judge names one")
    add(
        "-o",
        "--output",
        default=STDOUT,
        metavar="FILE",
        help=(
            "the file to write, or - for standard output (default: -); an existing file is replaced "
            "only when the new one is complete"
        ),
    )
    _options.jobs(parser)
    _options.loudness(parser, "only errors and warnings; no progress and no counts")


def run(args: argparse.Namespace) -> int:
    if args.model is not None and args.form != "openai-batch":
        raise UsageError("--model needs --as openai-batch; the other forms name no model")
    jobs = _options.workers(args)
    to = None if args.output == STDOUT else Path(args.output)
    if args.form == "parquet" and to is None and sys.stdout.isatty():
        raise UsageError("parquet cannot be shown on a terminal; name a file with -o")
    opened = _workspace.opened(args)
    progress = _progress.Progress(args.quiet)
    try:
        choices = _choices(opened, args)
        if to is None:
            out, errors = Terminal(sys.stdout.buffer) if sys.stdout.isatty() else sys.stdout.buffer, _stderr
            made = export(opened, choices, args.form, out, errors, model=args.model, progress=progress, jobs=jobs)
        else:
            made = to_file(opened, choices, args.form, to, model=args.model, progress=progress, jobs=jobs)
    except NothingToExport as nothing:
        raise UsageError(fill("{workspace}: nothing to export: {why}", workspace=args.workspace, why=nothing)) from None
    except NoModel as lacking:
        raise UsageError(fill("{why}; give --model NAME", why=lacking)) from None
    except OwnFile as own:
        raise UsageError(f"-o {own}") from None
    except OSError as error:
        if to is None:
            raise
        raise UsageError(f"-o {to}: {(error.strerror or str(error)).lower()}") from None
    finally:
        progress.end()
    for sentence in _said(made, args):
        print(_lines.safe(f"readback: {sentence}"), file=sys.stderr)
    if not args.quiet:
        print(_counts(made), file=sys.stderr)
    return int(made.failed > 0)


def _choices(opened: Workspace, args: argparse.Namespace) -> Sequence[Selection]:
    """What is exported, every name known. Raises UsageError and NothingToExport."""
    if args.mode and (args.condition or args.judge):
        raise UsageError(
            fill(
                "--mode cannot be used with {option}, which sets the mode itself",
                option="--condition" if args.condition else "--judge",
            )
        )
    known = [name for condition in opened.conditions for name in (condition.name, *condition.aliases)]
    found = (opened.condition(_workspace.one_of("condition", name, known)) for name in args.condition)
    conditions = [condition.name for condition in found if condition]
    modes = [_workspace.one_of("mode", name, opened.prompts) for name in args.mode]
    judge = args.judge and _workspace.one_of("judge", args.judge, opened.judges)
    return wanted.choices(opened, conditions, modes, judge)


def _stderr() -> BinaryIO:
    return sys.stderr.buffer


class Terminal(BytesIO):
    """Standard output on a terminal: what it would obey is written as JSON's escape, which reads as the same text."""

    def __init__(self, out: BinaryIO) -> None:
        super().__init__()
        self.out = out

    def write(self, raw: Any) -> int:
        text = bytes(raw).decode("utf-8")
        return self.out.write(OBEYED.sub(lambda char: f"\\u{ord(char[0]):04x}", text).encode())


def _said(made: Exported, args: argparse.Namespace) -> Iterator[str]:
    """What whoever uses the file has to know."""
    lines = made.written
    if made.wording:
        named = ", ".join(fill("{name} ({n:,})", name=name, n=n) for name, n in made.wording.items())
        yield fill(
            (
                "wording: readback: {names} of {n:,} {n:line|lines} in Readback's own words, not the "
                'program\'s; each of them says so under "wording"'
            ),
            names=named,
            n=lines,
        )
    if made.unsent:
        yield fill(
            "not in the requests, because chat completions has no name for {n:it|them}: {names}",
            names=", ".join(made.unsent),
            n=len(made.unsent),
        )
    if made.masked:
        yield fill(
            (
                "masked: {masked:,} of {n:,} {n:line|lines} with private fields masked, so not exact; each "
                'of them says "masked": true'
            ),
            masked=made.masked,
            n=lines,
        )
    if made.unread:
        yield fill(
            "{n:,} {n:line|lines} of the dataset could not be read as records; readback check says why", n=made.unread
        )
    if made.failed and args.form == "openai-batch":
        where = "failed_above" if args.output == STDOUT else "failed_file"
        file = f"{args.output}{ERRORS}"
        yield fill(SENTENCES_EXPORT[where], failed=made.failed, n=lines + made.failed, file=file)
    elif made.failed:
        yield fill(
            ("{failed:,} of {n:,} {n:line|lines} could not be assembled and have an error in place of messages"),
            failed=made.failed,
            n=lines + made.failed,
        )


def _counts(made: Exported) -> str:
    what = quantity(len(made.choices), *wanted.said(made.choices))
    return fill(
        (
            "{records:,} {records:record|records} x {choices}: {written:,} {written:line|lines} "
            "written, {failed:,} could not be assembled"
        ),
        records=made.records,
        choices=what,
        written=made.written,
        failed=made.failed,
    )
