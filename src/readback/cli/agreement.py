"""Print how far judges agree, with each other and with people.

Only answers that two judges scored count. Alpha is Krippendorff's: 1 is full agreement, 0 is chance. Repeats of one
judge give its flip rate; where people labelled a criterion of passes and fails, a judge's rate is corrected by them.
A judge is a person where the workspace says so, or its name begins with human, person, annotator or expert.

Exit code 0 or 1: 1 when loading the scores found a fault at or above --fail-on; 2 for wrong use.
"""

from __future__ import annotations

import argparse

from readback import as_json
from readback.as_csv import csv_text
from readback.checks import rules
from readback.cli import UsageError, _agreement_lines, _lines, _options, _workspace
from readback.scores import loading as scores
from readback.scores import warnings
from readback.scores.agreement import answer as agreement_answer
from readback.scores.agreement import long_table


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser, ("text", "json", "csv"))
    add = parser.add_argument
    add("--criterion", metavar="K", help="only this criterion; its ending _score may be left out")
    _options.loudness(parser, "in text, the numbers alone, without findings", "in text, also how to fix each finding")
    add(
        "--fail-on", choices=("error", "warning", "info", "never"), default="error", help="exit 1 from this severity on"
    )


def run(args: argparse.Namespace) -> int:
    table = scores.load(_workspace.opened(args))
    try:
        answer = agreement_answer.as_json(table, args.criterion)
    except LookupError as unknown:
        raise UsageError(str(unknown.args[0])) from None
    found = [rules.finding(diagnostic) for diagnostic in warnings.diagnostics(table)]
    if args.format == "json":
        print(as_json.dumps(answer, indent=1))
    elif args.format == "csv":
        print(csv_text(long_table.COLUMNS, long_table.rows(answer)), end="")
    else:
        print("\n".join(map(_lines.safe, _agreement_lines.text(_lines.unbroken(answer)))))
        line = _lines.with_fix if args.verbose else _lines.line
        print("".join(f"{line(one)}\n" for one in found if not args.quiet), end="")
    return int(_lines.worst((one.severity for one in found), args.fail_on))
