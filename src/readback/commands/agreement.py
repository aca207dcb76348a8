"""Print how far judges agree, with each other and with people.

Exit code 0 or 1: 1 when loading the scores found a fault at or above --fail-on.
"""

from __future__ import annotations

import argparse

from readback import as_json, rules
from readback.commands import UsageError, _agreement_lines, _lines, _workspace
from readback.scores import loading as scores
from readback.scores import stats
from readback.scores.agreement import answer as agreement_answer


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser)
    add = parser.add_argument
    add("--criterion", metavar="K")
    add(
        "--fail-on", choices=("error", "warning", "info", "never"), default="error", help="exit 1 from this severity on"
    )


def run(args: argparse.Namespace) -> int:
    table = scores.load(_workspace.opened(args))
    try:
        answer = agreement_answer.as_json(table, args.criterion)
    except LookupError as unknown:
        raise UsageError(str(unknown.args[0])) from None
    found = [rules.finding(note) for note in stats.notes(table)]
    if args.format == "json":
        print(as_json.dumps(answer, indent=1))
    else:
        print("\n".join(map(_lines.safe, _agreement_lines.text(answer))))
        print("".join(f"{_lines.line(one)}\n" for one in found), end="")
    return int(_lines.worst((one.severity for one in found), args.fail_on))
