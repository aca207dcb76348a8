"""The command `readback agreement`: how far judges agree, as text, JSON or CSV."""

from __future__ import annotations

import argparse

from readback import as_json
from readback.as_csv import format_csv
from readback.checks import rules
from readback.cli import UsageError, _agreement_lines, _lines, _options, _workspace
from readback.scores import loading as scores
from readback.scores import warnings
from readback.scores.agreement import answer as agreement_answer

TITLE = "Print how far judges agree, with each other and with people."
ABOUT = (
    "Only answers that two or more judges scored are used. Alpha is Krippendorff's: 1 is full agreement,"
    " 0 is chance. Where\n"
    "a judge scored the same answers more than once, its flip rate is given; where people labelled a"
    " criterion of passes\n"
    "and fails, a judge's rate of passes is corrected with these labels. A judge is a person where the"
    " workspace says so,\n"
    "or where its name begins with human, person, annotator or expert.\n"
    "\n"
    "exit codes: 0 no fault at or above --fail-on; 1 loading the scores found one; 2 wrong use"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser, ("text", "json", "csv"))
    parser.add_argument("--criterion", metavar="K", help="only this criterion; the ending _score may be left out")
    _options.loudness(parser, "text: the numbers alone, without findings", "text: also say how to fix each finding")
    _options.fail_on(parser)


def run(args: argparse.Namespace) -> int:
    table = scores.load(_workspace.opened(args))
    try:
        answer = agreement_answer.build_answer(table, args.criterion)
    except LookupError as unknown:
        raise UsageError(str(unknown.args[0])) from None
    found = [rules.finding(diagnostic) for diagnostic in warnings.diagnostics(table)]
    if args.format == "json":
        print(as_json.dumps(answer, indent=1))
    elif args.format == "csv":
        print(format_csv(agreement_answer.COLUMNS, agreement_answer.list_rows(answer)), end="")
    else:
        print("\n".join(map(_lines.safe, _agreement_lines.text(_lines.unbroken(answer)))))
        line = _lines.with_fix if args.verbose else _lines.line
        print("".join(f"{line(one)}\n" for one in found if not args.quiet), end="")
    return int(_lines.worst((one.severity for one in found), args.fail_on))
