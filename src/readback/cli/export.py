"""Run `readback export`: the messages of every record as a file or on standard output."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from readback.checks import rules
from readback.cli import UsageError
from readback.cli.common import options, temporary_workspace
from readback.cli.common.lines import format_finding, print_note
from readback.cli.common.parser import Command
from readback.cli.common.terminal import Progress, fill
from readback.cli.common.workspace import add_file_options, check_name, find_condition, open_workspace
from readback.exporting import selections as export_selections
from readback.exporting.export import ERRORS, SPLIT_FORMS, ExportResult, NoModel, OwnFile, export, export_to_file
from readback.exporting.lines import ASKING_FORMS, FORMS
from readback.exporting.observed import WHATS, export_observed
from readback.exporting.selections import NothingToExport
from readback.exporting.whole_file import whole_file
from readback.quantity import quantity
from readback.types import Selection, Workspace

TITLE = "Write the messages of every record under every condition to a file for other programs."
ABOUT = (
    "messages-jsonl has a line for each record and condition (or mode, where there are no conditions):\n"
    '  {"index", "record", "condition", "messages": [{"role", "content"}], "fingerprint"}\n'
    '  {"index", "record", "condition", "error": {"code", "message"}}    where no messages could be'
    " assembled\n"
    "openai-batch has requests; what could not be assembled is in FILE.errors.jsonl. parquet is"
    " messages-jsonl as a table.\n"
    "promptfoo is a promptfooconfig.yaml, inspect-dataset has samples for Inspect, ollama-chat has bodies for\n"
    "Ollama's /api/chat; what these tools would change is in FILE.errors.jsonl, too.\n"
    "\n"
    "exit codes: 0 everything was assembled; 1 something was not; 2 wrong use, or nothing to export"
)

STDOUT = "-"
MODEL_HELP = (
    "openai-batch, ollama-chat: the model to ask where neither condition nor judge names one; promptfoo: the provider "
    "(default: echo, which asks no model)"
)
TERMINAL_CONTROLS = re.compile("[\x7f-\x9f]")  # control characters that JSON need not escape


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback export`."""
    parser.add_argument("workspace", metavar="WORKSPACE", help="a folder, or one file in it")
    add_file_options(parser)
    add = parser.add_argument
    add("--as", required=True, choices=FORMS, dest="form", metavar="FORM", help="one of " + ", ".join(FORMS))
    add(
        "--what",
        choices=WHATS,
        default="assembled",
        help=(
            "assembled (default): what the files assemble to; observed: the requests in the logs of other tools "
            "(promptfoo, Inspect, lm-eval, batches …); scores: the grades in them"
        ),
    )
    add("--condition", action="append", default=[], metavar="C", help="only this condition; may be repeated")
    add(
        "--mode", action="append", default=[], metavar="M", help="this mode alone, without a condition; may be repeated"
    )
    add("--judge", metavar="J", help="the messages of this judge, for the answers of each condition that has any")
    add("--model", metavar="NAME", help=MODEL_HELP)
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
    options.add_jobs(parser)
    options.add_loudness(parser, "only errors and warnings; no progress and no counts")


def run(args: argparse.Namespace) -> int:
    """Export, and print the counts to standard error; return the exit code."""
    if args.model is not None and args.form not in (*ASKING_FORMS, "promptfoo"):
        raise UsageError("--model needs --as openai-batch, ollama-chat or promptfoo; the other forms name no model")
    if args.what != "assembled":
        return _run_observed(args)
    jobs = options.read_jobs(args)
    if args.output == STDOUT:
        path = None
    else:
        path = Path(args.output)
    if args.form == "parquet" and path is None and sys.stdout.isatty():
        raise UsageError("parquet cannot be shown on a terminal; name a file with -o")
    workspace = open_workspace(args)
    progress = Progress(args.quiet)
    try:
        selections = _list_selections(workspace, args)
        if path is None:
            out: BinaryIO = sys.stdout.buffer
            if sys.stdout.isatty():
                out = TerminalOutput(out)
            result = export(
                workspace, selections, args.form, out, _get_stderr, model=args.model, progress=progress, jobs=jobs
            )
        else:
            result = export_to_file(
                workspace, selections, args.form, path, model=args.model, progress=progress, jobs=jobs
            )
    except NothingToExport as nothing:
        raise UsageError(fill("{workspace}: nothing to export: {why}", workspace=args.workspace, why=nothing)) from None
    except NoModel as missing:
        raise UsageError(fill("{why}; give --model NAME", why=missing)) from None
    except OwnFile as own:
        raise UsageError(f"-o {own}") from None
    except OSError as error:
        if path is None:
            raise
        raise UsageError(f"-o {path}: {(error.strerror or str(error)).lower()}") from None
    finally:
        progress.end()
    for sentence in _list_warnings(result, args):
        print_note(sentence)
    if not args.quiet:
        print(_format_counts(result), file=sys.stderr)
    return int(result.failed > 0)


def _run_observed(args: argparse.Namespace) -> int:
    """Export what the logs of other tools hold; return the exit code."""
    if args.form != "messages-jsonl":
        raise UsageError(fill("--what {what} needs --as messages-jsonl", what=args.what))
    if args.condition or args.mode or args.judge:
        message = "--what {what} writes every request; it takes no --condition, --mode or --judge"
        raise UsageError(fill(message, what=args.what))
    source = Path(temporary_workspace.unpack(args.workspace, args.command, args.stack))
    if args.output == STDOUT:
        path = None
    else:
        path = Path(args.output)
    try:
        if path is None:
            out: BinaryIO = TerminalOutput(sys.stdout.buffer) if sys.stdout.isatty() else sys.stdout.buffer
            result = export_observed(source, args.what, out)
        else:
            with whole_file(path) as out:
                result = export_observed(source, args.what, out)
    except NothingToExport as nothing:
        raise UsageError(fill("{workspace}: nothing to export: {why}", workspace=args.workspace, why=nothing)) from None
    except OSError as error:
        raise UsageError(f"{args.workspace}: {(error.strerror or str(error)).lower()}") from None
    for diagnostic in result.diagnostics:
        print_note(format_finding(rules.build_finding(diagnostic)))
    for name in result.repeated:
        print_note(fill("{name} holds the same requests as another log and is left out", name=name))
    if not args.quiet:
        print(
            fill("{n:,} {n:line|lines} of {logs:,} {logs:log|logs}", n=result.lines, logs=len(result.logs)),
            file=sys.stderr,
        )
    return 0


COMMANDS = {"export": Command(TITLE, ABOUT, add_arguments, run)}


def _list_selections(workspace: Workspace, args: argparse.Namespace) -> Sequence[Selection]:
    """Return what is exported, with every name checked. Raises UsageError and NothingToExport."""
    if args.mode and (args.condition or args.judge):
        if args.condition:
            option = "--condition"
        else:
            option = "--judge"
        raise UsageError(fill("--mode cannot be used with {option}, which sets the mode itself", option=option))
    conditions = [find_condition(workspace, name).name for name in args.condition]
    modes = [check_name("mode", name, workspace.prompts) for name in args.mode]
    judge = args.judge and check_name("judge", args.judge, workspace.judges)
    return export_selections.choose_selections(workspace, conditions, modes, judge)


def _get_stderr() -> BinaryIO:
    return sys.stderr.buffer


class TerminalOutput(BytesIO):
    """Write JSON to a terminal: what it would obey is written as JSON's escape, which reads as the same text."""

    def __init__(self, out: BinaryIO) -> None:
        super().__init__()
        self.out = out

    def write(self, raw: Any) -> int:
        """Write bytes of UTF-8; return how many were written."""
        text = bytes(raw).decode("utf-8")
        return self.out.write(TERMINAL_CONTROLS.sub(lambda char: f"\\u{ord(char[0]):04x}", text).encode())


def _list_warnings(result: ExportResult, args: argparse.Namespace) -> Iterator[str]:
    """Yield what whoever uses the file has to know."""
    if result.wording:
        names = ", ".join(f"{name} ({n:,})" for name, n in result.wording.items())
        yield fill(
            (
                "wording: readback: {names} of {n:,} {n:line|lines} in Readback's own words, not the "
                'program\'s; each of them says so under "wording"'
            ),
            names=names,
            n=result.written,
        )
    if result.unsent:
        yield fill(
            "not in the requests, because {interface} has no name for {n:it|them}: {names}",
            interface="Ollama" if args.form == "ollama-chat" else "chat completions",
            names=", ".join(result.unsent),
            n=len(result.unsent),
        )
    if result.masked:
        yield fill(
            (
                "masked: {masked:,} of {n:,} {n:line|lines} with private fields masked, so not exact; each "
                'of them says "masked": true'
            ),
            masked=result.masked,
            n=result.written,
        )
    if result.unread:
        yield fill(
            "{n:,} {n:line|lines} of the dataset could not be read as records; readback check says why", n=result.unread
        )
    total = result.written + result.failed
    if result.failed and args.form in SPLIT_FORMS:
        if args.output == STDOUT:
            place = "above"
        else:
            place = f"in {args.output}{ERRORS}"
        yield fill(
            "{failed:,} of {n:,} {n:request|requests} could not be assembled; their errors are {place}",
            failed=result.failed,
            n=total,
            place=place,
        )
    elif result.failed:
        yield fill(
            "{failed:,} of {n:,} {n:line|lines} could not be assembled and have an error in place of messages",
            failed=result.failed,
            n=total,
        )


def _format_counts(result: ExportResult) -> str:
    return fill(
        (
            "{records:,} {records:record|records} x {choices}: {written:,} {written:line|lines} "
            "written, {failed:,} could not be assembled"
        ),
        records=result.records,
        choices=quantity(len(result.choices), *export_selections.get_nouns(result.choices)),
        written=result.written,
        failed=result.failed,
    )
