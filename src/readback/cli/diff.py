"""The command `readback diff`: the differences of two prompts, or counts of the records where two choices differ."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from readback import adapters, as_json
from readback.checks import rules
from readback.cli import UsageError, _colour, _engine_note, _lines, _options, _progress, _workspace
from readback.cli._sentence import fill
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

SENTENCES_DIFF = {
    "only_a": "only A could be assembled",
    "only_b": "only B could be assembled",
    "neither": "neither could be assembled",
    "unpaired_a": "in A's dataset only",
    "unpaired_b": "in B's dataset only",
    "first": "first: {names}",
    "first_more": "first: {names}, …",
    "stopped": "stopped after {n:,} of {all:,} {all:record|records}",
    "stopped_why": "stopped after {n:,} of {all:,} {all:record|records}: {why}",
}

EQUAL, DIFFERENT = 0, 1
WIRE = "wire"  # the layer of what the model reads
NAMED = 10  # differing records that the text names


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser)
    parser.add_argument("first", metavar="A", nargs="?", help="a condition")
    parser.add_argument("second", metavar="B", nargs="?", help="the condition to compare with it")
    parser.add_argument("--a", metavar="KEY=VALUE,…", help="in place of A: condition, mode, task, adapter, record, …")
    parser.add_argument(
        "--b", metavar="KEY=VALUE,…", help="in place of B; what it does not give is taken from the other side"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--record", metavar="ID", help="with A and B: the record with this id")
    which.add_argument(
        "--index", type=int, metavar="N", help="with A and B: the record with this number, counted from 0 (default: 0)"
    )
    which.add_argument("--records", action="store_true", help="count the records in which A and B differ")
    _options.jobs(parser, "--records")
    _options.loudness(
        parser, "no progress, and in text only the sentence or the counts", "text: also what is equal, in full"
    )


def run(args: argparse.Namespace) -> int:
    jobs = _options.workers(args, "records")
    opened = _workspace.opened(args)
    try:
        a, b = _sides(args)
        if WIRE in (a.layer, b.layer) and not args.quiet:
            _engine_note.print_note(opened)
        return _counted(args, opened, a, b, jobs) if args.records else _shown(args, opened, a, b)
    except (SideError, DatasetChanged) as error:
        raise UsageError(str(error)) from None


def _sides(args: argparse.Namespace) -> tuple[Side, Side]:
    """What is compared, in the short form or the long one. Raises UsageError and SideError."""
    short, long = (args.first, args.second), (args.a, args.b)
    if sorted((_said(short), _said(long))) != [0, 2]:
        raise UsageError("give two conditions A and B, or --a and --b")
    if _said(long):
        if args.record is not None or args.index is not None:
            raise UsageError("--record and --index need two conditions A and B; --a takes record=ID or index=N")
        return read_sides(args.a, args.b)
    asked = {"record": args.record, "index": None if args.index is None else str(args.index)}
    record = {name: value for name, value in asked.items() if value is not None}
    return make_sides({"condition": short[0], **record}, {"condition": short[1]})


def _said(two: tuple[str | None, str | None]) -> int:
    return sum(one is not None for one in two)


def _shown(args: argparse.Namespace, opened: Workspace, a: Side, b: Side) -> int:
    found = compare_sides(show_side(opened, a), show_side(opened, b))
    for name, side in (("A", found.a), ("B", found.b)):
        for diagnostic in _noted(side):
            print(_lines.safe(fill("readback: {side}: {message}", side=name, message=diagnostic)), file=sys.stderr)
    if args.format == "json":
        print(
            as_json.dumps(
                {**as_text.make_values(found, format_sentence(found)), **as_text.make_place_values(found, opened)},
                indent=1,
            )
        )
    elif args.quiet:
        print(_lines.safe(format_sentence(found)))
    else:
        made_by = "".join(f"\n{line}" for line in as_text.list_variant_lines(found))
        print(_lines.safe(f"{_titles(found.a.title, found.b.title)}{made_by}\n\n{format_sentence(found)}"))
        for name, side in (("A", found.a), ("B", found.b)):
            if ours := adapters.list_own_wordings(side.messages):
                print(
                    _lines.safe(
                        fill(
                            "{side}  wording: readback: {names} in Readback's own words",
                            side=name,
                            names=", ".join(ours),
                        )
                    )
                )
        print("".join(f"{_lines.safe(line)}\n" for line in as_text.list_place_lines(found, opened)), end="")
        lines = map(_lines.shown, as_text.list_lines(found, args.verbose))
        print("".join(f"{_colour.paint_difference(line)}\n" for line in lines), end="")
    return EQUAL if found.equal else DIFFERENT


def _titles(a: str, b: str) -> str:
    return "\n".join(fill("{side}  {name}", side=side, name=name) for side, name in (("A", a), ("B", b)))


def _noted(side: ShownSide) -> Iterator[str]:
    """What was left out of the files, and why there are no messages."""
    for diagnostic in side.diagnostics:
        if diagnostic.code.startswith("dat-") or not side.messages:
            yield rules.finding(diagnostic).message


def _counted(args: argparse.Namespace, opened: Workspace, a: Side, b: Side, jobs: int | None) -> int:
    progress = _progress.Progress(args.quiet)
    try:
        found = count_differences(opened, a, b, progress, jobs)
    finally:
        progress.end()
    if args.format == "json":
        print(
            as_json.dumps(
                {
                    "a": as_text.make_side_values(a),
                    "b": as_text.make_side_values(b),
                    **as_text.make_count_values(found),
                },
                indent=1,
            )
        )
    elif args.quiet:
        print(_lines.safe("\n".join(_told(found))))
    else:
        print(_lines.safe("\n".join([_titles(format_label(a), format_label(b)), "", *_told(found)])))
    return EQUAL if found.equal == found.total and not found.unpaired_b else DIFFERENT


def _told(found: RecordCounts) -> Iterator[str]:
    """The counts for people."""
    either = 1 if 1 in (found.differing, found.done) else found.differing
    yield fill(
        ("{n:,} of {all:,} {all:record|records} {either:differs|differ}, {equal:,} {equal:is|are} equal byte for byte"),
        n=found.differing,
        all=found.done,
        either=either,
        equal=found.equal,
    )
    yield from (f"  {count:>7,} {as_text.KIND_PHRASES[kind]}" for kind, count in found.kinds.items())
    for what in ("only_a", "only_b", "neither", "unpaired_a", "unpaired_b"):
        if count := getattr(found, what):
            yield (f"  {count:>7,} " + SENTENCES_DIFF[what])
    if found.first:
        names = [str(index) if called is None else called for index, called in found.first[:NAMED]]
        yield fill(SENTENCES_DIFF["first_more" if found.differing > NAMED else "first"], names=", ".join(names))
    if found.stopped:
        yield fill(
            SENTENCES_DIFF["stopped_why" if found.why else "stopped"], n=found.done, all=found.total, why=found.why
        )
