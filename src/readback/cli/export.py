"""The command `readback export`: the messages of every record as a file or on standard output."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from readback.cli import UsageError, _lines, _options, _workspace
from readback.exporting import wanted
from readback.exporting.export import Exported, NoModel, export
from readback.exporting.lines import FORMS
from readback.exporting.to_file import ERRORS, OwnFile, to_file
from readback.exporting.wanted import NothingToExport
from readback.quantity import quantity
from readback.types import Selection, Workspace

STDOUT = "-"
OBEYED = re.compile("[\x7f-\x9f]")  # control characters that JSON need not escape


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="WORKSPACE", help="a folder, or one file of it")
    _workspace.choices_of_files(parser)
    add = parser.add_argument
    add("--as", required=True, choices=FORMS, dest="form", help="the form of the file")
    add("--condition", action="append", default=[], metavar="C", help="only this condition; may be repeated")
    add("--mode", action="append", default=[], metavar="M", help="this mode by itself; may be repeated")
    add("--judge", metavar="J", help="the judge's prompts, for the answers of each condition that has any")
    add("--model", metavar="NAME", help="openai-batch: whom to ask where neither condition nor judge names a model")
    add("-o", "--output", default=STDOUT, metavar="FILE", help="where to; there whole or not at all (default: - )")
    _options.jobs(parser)
    _options.loudness(parser, "nothing but what is wrong: no progress and no counts")


def run(args: argparse.Namespace) -> int:
    if args.model is not None and args.form != "openai-batch":
        raise UsageError("--model goes with --as openai-batch: the other forms name none")
    jobs = _options.workers(args)
    to = None if args.output == STDOUT else Path(args.output)
    if args.form == "parquet" and to is None and sys.stdout.isatty():
        raise UsageError("Parquet is nothing to read on a terminal: name a file with -o")
    opened = _workspace.opened(args)
    progress = _options.Progress(args.quiet)
    try:
        choices = _choices(opened, args)
        if to is None:
            out, errors = Terminal(sys.stdout.buffer) if sys.stdout.isatty() else sys.stdout.buffer, _stderr
            made = export(opened, choices, args.form, out, errors, model=args.model, progress=progress, jobs=jobs)
        else:
            made = to_file(opened, choices, args.form, to, model=args.model, progress=progress, jobs=jobs)
    except NothingToExport as nothing:
        raise UsageError(f"{args.workspace}: nothing to export: {nothing}") from None
    except NoModel as lacking:
        raise UsageError(f"{lacking}: give --model NAME") from None
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
        raise UsageError(f"--mode goes without --{'condition' if args.condition else 'judge'}, which settles the mode")
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
        named = ", ".join(f"{name} ({n:,})" for name, n in made.wording.items())
        yield (
            f"wording: readback: {named} of {quantity(lines, 'line')} in Readback's own words, not the program's; "
            'each of them says so under "wording"'
        )
    if made.masked:
        yield (
            f"masked: {made.masked:,} of {quantity(lines, 'line')} with private fields masked, so not exact; "
            'each of them says "masked": true'
        )
    if made.unread:
        yield f"{quantity(made.unread, 'line')} of the dataset could not be read as records; readback check says why"
    if made.failed and args.form == "openai-batch":
        where = "are above" if args.output == STDOUT else f"are in {args.output}{ERRORS}"
        yield f"{made.failed:,} of {quantity(lines + made.failed, 'request')} could not be assembled and {where}"
    elif made.failed:
        yield f"{made.failed:,} of {quantity(lines + made.failed, 'line')} could not be assembled and say why"


def _counts(made: Exported) -> str:
    what = quantity(len(made.choices), *wanted.said(made.choices))
    records = f"{quantity(made.records, 'record')} x {what}"
    return f"{records}: {made.written:,} messages written, {made.failed:,} could not be assembled"
