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
from readback.exporting import wanted
from readback.exporting.export import Exported, NoModel, export
from readback.exporting.lines import FORMS
from readback.exporting.to_file import ERRORS, OwnFile, to_file
from readback.exporting.wanted import NothingToExport
from readback.quantity import quantity
from readback.types import Selection, Workspace
from readback.words import t

STDOUT = "-"
OBEYED = re.compile("[\x7f-\x9f]")  # control characters that JSON need not escape


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="WORKSPACE", help=t("cli.workspace.help_path"))
    _workspace.choices_of_files(parser)
    add = parser.add_argument
    add("--as", required=True, choices=FORMS, dest="form", help=t("cli.export.help_form"))
    add("--condition", action="append", default=[], metavar="C", help=t("cli.options.help_condition"))
    add("--mode", action="append", default=[], metavar="M", help=t("cli.export.help_mode"))
    add("--judge", metavar="J", help=t("cli.export.help_judge"))
    add("--model", metavar="NAME", help=t("cli.export.help_model"))
    add("-o", "--output", default=STDOUT, metavar="FILE", help=t("cli.options.help_output_or_stdout"))
    _options.jobs(parser)
    _options.loudness(parser, t("cli.export.help_quiet"))


def run(args: argparse.Namespace) -> int:
    if args.model is not None and args.form != "openai-batch":
        raise UsageError(t("cli.export.model_alone"))
    jobs = _options.workers(args)
    to = None if args.output == STDOUT else Path(args.output)
    if args.form == "parquet" and to is None and sys.stdout.isatty():
        raise UsageError(t("cli.export.parquet_terminal"))
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
        raise UsageError(t("cli.export.nothing", workspace=args.workspace, why=nothing)) from None
    except NoModel as lacking:
        raise UsageError(t("cli.export.no_model", why=lacking)) from None
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
        raise UsageError(t("cli.export.mode_alone", option="--condition" if args.condition else "--judge"))
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
        named = ", ".join(t("cli.export.wording_name", name=name, n=n) for name, n in made.wording.items())
        yield t("cli.export.wording", names=named, n=lines)
    if made.unsent:
        yield t("cli.export.unsent", names=", ".join(made.unsent), n=len(made.unsent))
    if made.masked:
        yield t("cli.export.masked", masked=made.masked, n=lines)
    if made.unread:
        yield t("cli.export.unread", n=made.unread)
    if made.failed and args.form == "openai-batch":
        where = "failed_above" if args.output == STDOUT else "failed_file"
        file = f"{args.output}{ERRORS}"
        yield t(f"cli.export.{where}", failed=made.failed, n=lines + made.failed, file=file)
    elif made.failed:
        yield t("cli.export.failed", failed=made.failed, n=lines + made.failed)


def _counts(made: Exported) -> str:
    what = quantity(len(made.choices), *wanted.said(made.choices))
    return t("cli.export.counts", records=made.records, choices=what, written=made.written, failed=made.failed)
