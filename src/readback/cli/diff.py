"""Run `readback diff`: the differences of two prompts, or counts of the records where two choices differ."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from readback import adapters, as_json
from readback.checks import rules
from readback.cli import UsageError
from readback.cli.common import options, terminal
from readback.cli.common.engine_note import print_engine_note
from readback.cli.common.lines import make_safe_for_stdout, print_note, print_safe
from readback.cli.common.parser import Command
from readback.cli.common.terminal import Progress, fill
from readback.cli.common.workspace import add_workspace_arguments, open_workspace
from readback.compare import as_text
from readback.compare.diff import compare_sides
from readback.compare.record_differences import RecordCounts, count_differences
from readback.compare.sentence import format_sentence
from readback.compare.side import ShownSide, Side, SideError, format_label, make_sides, read_sides
from readback.compare.sides import show_side
from readback.records.dataset import DatasetChanged
from readback.types import Workspace

TITLE = "Show what differs between two prompts, or in how many records two ways to send them differ."
ABOUT = (
    "A and B are conditions: readback diff study gateway direct --record 12. For anything else there are"
    " --a and --b.\n"
    "\n"
    "--a and --b take KEY=VALUE pairs: condition=X,record=1. The keys are condition, mode, task, adapter,"
    " judge, record (an\n"
    "id), index (from 0), layer (messages, wire, training), workspace (another folder), rev (a git"
    " revision) and every\n"
    "option of a workspace (condition4=standard). Where one side gives no condition, record or layer, it"
    " takes those of the\n"
    "other side. A value with a comma is written in double quotes. layer=training on one side and"
    " layer=wire on the other\n"
    "show where the text that a model was trained on and the text that it reads first differ, up to the"
    " answer.\n"
    "\n"
    "exit codes: 0 both are equal byte for byte; 1 they differ; 2 wrong use"
)

COUNTS = {
    "only_a": "only A could be assembled",
    "only_b": "only B could be assembled",
    "neither": "neither could be assembled",
    "unpaired_a": "in A's dataset only",
    "unpaired_b": "in B's dataset only",
}

EQUAL, DIFFERENT = 0, 1
WIRE = "wire"  # the layer of what the model reads
RECORDS_LISTED = 10  # differing records that the text names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback diff`."""
    add_workspace_arguments(parser)
    parser.add_argument("first", metavar="A", nargs="?", help="a condition")
    parser.add_argument("second", metavar="B", nargs="?", help="the condition to compare with it")
    parser.add_argument("--a", metavar="KEY=VALUE,…", help="in place of A: condition, mode, task, adapter, record, …")
    parser.add_argument(
        "--b", metavar="KEY=VALUE,…", help="in place of B; what it does not give is taken from the other side"
    )
    record = parser.add_mutually_exclusive_group()
    record.add_argument("--record", metavar="ID", help="with A and B: the record with this id")
    record.add_argument(
        "--index", type=int, metavar="N", help="with A and B: the record with this number, counted from 0 (default: 0)"
    )
    record.add_argument("--records", action="store_true", help="count the records in which A and B differ")
    options.add_jobs(parser, "--records")
    options.add_loudness(
        parser, "no progress, and in text only the sentence or the counts", "text: also what is equal, in full"
    )


def run(args: argparse.Namespace) -> int:
    """Compare two prompts, or those of all records; return the exit code."""
    jobs = options.read_jobs(args, "records")
    workspace = open_workspace(args)
    try:
        a, b = _read_sides(args)
        if WIRE in (a.layer, b.layer) and not args.quiet:
            print_engine_note(workspace)
        if args.records:
            return _compare_records(args, workspace, a, b, jobs)
        return _compare_record(args, workspace, a, b)
    except (SideError, DatasetChanged) as error:
        raise UsageError(str(error)) from None


COMMANDS = {"diff": Command(TITLE, ABOUT, add_arguments, run)}


def _read_sides(args: argparse.Namespace) -> tuple[Side, Side]:
    """Return what is compared, in the short form or the long one. Raises UsageError and SideError."""
    short = [condition for condition in (args.first, args.second) if condition is not None]
    long = [text for text in (args.a, args.b) if text is not None]
    if sorted((len(short), len(long))) != [0, 2]:
        raise UsageError("give two conditions A and B, or --a and --b")
    if long:
        if args.record is not None or args.index is not None:
            raise UsageError("--record and --index need two conditions A and B; --a takes record=ID or index=N")
        return read_sides(args.a, args.b)
    first = {"condition": args.first}
    if args.record is not None:
        first["record"] = args.record
    if args.index is not None:
        first["index"] = str(args.index)
    return make_sides(first, {"condition": args.second})


def _compare_record(args: argparse.Namespace, workspace: Workspace, a: Side, b: Side) -> int:
    diff = compare_sides(show_side(workspace, a), show_side(workspace, b))
    for name, side in (("A", diff.a), ("B", diff.b)):
        for message in _list_diagnostics(side):
            print_note(f"{name}: {message}")
    if args.format == "json":
        answer = {**as_text.make_values(diff, format_sentence(diff)), **as_text.make_place_values(diff, workspace)}
        print(as_json.dumps(answer, indent=1))
    elif args.quiet:
        print_safe(format_sentence(diff))
    else:
        makers = "".join(f"\n{line}" for line in as_text.list_variant_lines(diff))
        print_safe(f"{_format_titles(diff.a.title, diff.b.title)}{makers}\n\n{format_sentence(diff)}")
        for name, side in (("A", diff.a), ("B", diff.b)):
            own_wordings = adapters.list_own_wordings(side.messages)
            if own_wordings:
                print_safe(f"{name}  wording: readback: {', '.join(own_wordings)} in Readback's own words")
        for line in as_text.list_place_lines(diff, workspace):
            print_safe(line)
        for line in as_text.list_lines(diff, args.verbose):
            print(terminal.paint_difference(make_safe_for_stdout(line)))
    if diff.equal:
        return EQUAL
    return DIFFERENT


def _format_titles(a: str, b: str) -> str:
    return f"A  {a}\nB  {b}"


def _list_diagnostics(side: ShownSide) -> Iterator[str]:
    """Yield what was left out of the files, and why there are no messages."""
    for diagnostic in side.diagnostics:
        if diagnostic.code.startswith("dat-") or not side.messages:
            yield rules.build_finding(diagnostic).message


def _compare_records(args: argparse.Namespace, workspace: Workspace, a: Side, b: Side, jobs: int | None) -> int:
    progress = Progress(args.quiet)
    try:
        result = count_differences(workspace, a, b, progress, jobs)
    finally:
        progress.end()
    if args.format == "json":
        sides = {"a": as_text.make_side_values(a), "b": as_text.make_side_values(b)}
        print(as_json.dumps({**sides, **as_text.make_count_values(result)}, indent=1))
    else:
        counts = "\n".join(_format_counts(result))
        if not args.quiet:
            counts = f"{_format_titles(format_label(a), format_label(b))}\n\n{counts}"
        print_safe(counts)
    if result.equal == result.total and not result.unpaired_b:
        return EQUAL
    return DIFFERENT


def _format_counts(result: RecordCounts) -> Iterator[str]:
    """Yield the counts for people."""
    # "1 of 1 record differs", but "0 of 1 record differs" too: the verb agrees with either number.
    if 1 in (result.differing, result.done):
        verb_number = 1
    else:
        verb_number = result.differing
    yield fill(
        "{n:,} of {all:,} {all:record|records} {verb:differs|differ}, {equal:,} {equal:is|are} equal byte for byte",
        n=result.differing,
        all=result.done,
        verb=verb_number,
        equal=result.equal,
    )
    yield from (f"  {count:>7,} {as_text.KIND_PHRASES[kind]}" for kind, count in result.kinds.items())
    for name, text in COUNTS.items():
        count = getattr(result, name)
        if count:
            yield f"  {count:>7,} {text}"
    if result.first:
        names = [str(index) if record_id is None else record_id for index, record_id in result.first[:RECORDS_LISTED]]
        if result.differing > RECORDS_LISTED:
            more = ", …"
        else:
            more = ""
        yield f"first: {', '.join(names)}{more}"
    if result.stopped:
        stopped = fill("stopped after {n:,} of {all:,} {all:record|records}", n=result.done, all=result.total)
        yield f"{stopped}: {result.why}" if result.why else stopped
