"""The command `readback diff`: the differences of two prompts, or counts of the records where two choices differ."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from readback import adapters, as_json
from readback.checks import rules
from readback.cli import UsageError, _lines, _options, _workspace
from readback.compare import as_text, first_difference_text
from readback.compare.diff import difference
from readback.compare.over_records import Counted, over_sides
from readback.compare.sentence import sentence
from readback.compare.sides import Shown, Side, SideError, label, read_sides, show_side, sides
from readback.quantity import quantity
from readback.records.dataset import DatasetChanged
from readback.types import Workspace

EQUAL, DIFFERENT = 0, 1
NAMED = 10  # differing records that the text names


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser)
    parser.add_argument("first", metavar="A", nargs="?", help="a condition")
    parser.add_argument("second", metavar="B", nargs="?", help="the condition that is compared with it")
    parser.add_argument("--a", metavar="KEY=VALUE,…", help="instead of A: condition, mode, task, adapter, record, …")
    parser.add_argument("--b", metavar="KEY=VALUE,…", help="instead of B: what it does not say is as in the other")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--record", metavar="ID", help="with A and B: the record of that id")
    which.add_argument("--index", type=int, metavar="N", help="the record of that number, from 0 (default: 0)")
    which.add_argument("--records", action="store_true", help="count the records where they differ")
    _options.jobs(parser, "--records")
    _options.loudness(
        parser,
        "no progress, and in text the sentence or the counts alone",
        "in text, also what is equal, in full",
    )


def run(args: argparse.Namespace) -> int:
    jobs = _options.workers(args, "records")
    opened = _workspace.opened(args)
    try:
        a, b = _sides(args)
        return _counted(args, opened, a, b, jobs) if args.records else _shown(args, opened, a, b)
    except (SideError, DatasetChanged) as error:
        raise UsageError(str(error)) from None


def _sides(args: argparse.Namespace) -> tuple[Side, Side]:
    """What is compared, in the short form or the long one. Raises UsageError and SideError."""
    short, long = (args.first, args.second), (args.a, args.b)
    if sorted((_said(short), _said(long))) != [0, 2]:
        raise UsageError("say what is compared: two conditions A and B, or --a and --b")
    if _said(long):
        if args.record is not None or args.index is not None:
            raise UsageError("--record and --index go with two conditions; --a takes record=ID or index=N")
        return read_sides(args.a, args.b)
    asked = {"record": args.record, "index": None if args.index is None else str(args.index)}
    record = {name: value for name, value in asked.items() if value is not None}
    return sides({"condition": short[0], **record}, {"condition": short[1]})


def _said(two: tuple[str | None, str | None]) -> int:
    return sum(one is not None for one in two)


def _shown(args: argparse.Namespace, opened: Workspace, a: Side, b: Side) -> int:
    found = difference(show_side(opened, a), show_side(opened, b))
    for name, side in (("A", found.a), ("B", found.b)):
        for diagnostic in _noted(side):
            print(_lines.safe(f"readback: {name}: {diagnostic}"), file=sys.stderr)
    if args.format == "json":
        print(
            as_json.dumps(
                {**as_text.values(found, sentence(found)), **first_difference_text.values(found, opened)}, indent=1
            )
        )
    elif args.quiet:
        print(_lines.safe(sentence(found)))
    else:
        made_by = "".join(f"\n{line}" for line in as_text.made_by(found))
        print(_lines.safe(f"A  {found.a.title}\nB  {found.b.title}{made_by}\n\n{sentence(found)}"))
        for name, side in (("A", found.a), ("B", found.b)):
            if ours := adapters.worded(side.messages):
                print(_lines.safe(f"{name}  wording: readback: {', '.join(ours)} in Readback's own words"))
        print("".join(f"{_lines.safe(line)}\n" for line in first_difference_text.lines(found, opened)), end="")
        print("".join(f"{_lines.shown(line)}\n" for line in as_text.lines(found, args.verbose)), end="")
    return EQUAL if found.equal else DIFFERENT


def _noted(side: Shown) -> Iterator[str]:
    """What was left out of the files, and why there are no messages."""
    for diagnostic in side.diagnostics:
        if diagnostic.code.startswith("dat-") or not side.messages:
            yield rules.finding(diagnostic).message


def _counted(args: argparse.Namespace, opened: Workspace, a: Side, b: Side, jobs: int | None) -> int:
    found = over_sides(opened, a, b, None if args.quiet else _tell, jobs)
    if not args.quiet:
        _clear()
    if args.format == "json":
        print(as_json.dumps({"a": as_text.side(a), "b": as_text.side(b), **as_text.counted(found)}, indent=1))
    elif args.quiet:
        print(_lines.safe("\n".join(_told(found))))
    else:
        print(_lines.safe("\n".join([f"A  {label(a)}", f"B  {label(b)}", "", *_told(found)])))
    return EQUAL if found.equal == found.total and not found.unpaired_b else DIFFERENT


def _told(found: Counted) -> Iterator[str]:
    """The counts for people."""
    differ = "differs" if 1 in (found.differing, found.done) else "differ"
    are = "is" if found.equal == 1 else "are"
    yield f"{found.differing:,} of {quantity(found.done, 'record')} {differ}, {found.equal:,} {are} equal byte for byte"
    yield from (f"  {count:>7,} {as_text.KINDS[kind]}" for kind, count in found.kinds.items())
    counts = {
        "only A could be built": found.only_a,
        "only B could be built": found.only_b,
        "neither could be built": found.neither,
        "are in A's dataset only": found.unpaired_a,
        "are in B's dataset only": found.unpaired_b,
    }
    yield from (f"  {count:>7,} {what}" for what, count in counts.items() if count)
    if found.first:
        names = [str(index) if called is None else called for index, called in found.first[:NAMED]]
        yield f"first: {', '.join(names)}{', …' if found.differing > NAMED else ''}"
    if found.stopped:
        why = f": {found.why}" if found.why else ""
        yield f"stopped after {found.done:,} of {quantity(found.total, 'record')}{why}"


def _tell(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {total} records", end="", file=sys.stderr, flush=True)


def _clear() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
