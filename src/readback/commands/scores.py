"""Print the judges' scores by condition, how sure they are, and what their differences support.

Exit code 0 or 1: 1 when loading the scores found a fault at or above --fail-on.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping
from typing import Any

from readback import as_json, rules
from readback.commands import UsageError, _finding_costs, _lines, _score_lines, _workspace
from readback.scores import answer as answers
from readback.scores import loading as scores
from readback.scores import stats
from readback.scores.comparing.planned import planned
from readback.scores.copies.as_csv import cell

COLUMNS = ("criterion", "judge", "n", "failed", "missing", "not_applicable", "mean")
INTERVALS = ("interval", "interval_clustered")  # each two columns, low and high


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser, ("text", "json", "csv"))
    add = parser.add_argument
    add("--by", metavar="FACTOR", help="one row for each value of this factor")
    add("--baseline", metavar="C", help="compare each condition (with --by, each value of the factor) with this one")
    add("--criterion", metavar="K")
    add("--judge", metavar="J")
    add("--findings", action="store_true", help="also how records with each finding were scored beside those without")
    add(
        "--fail-on", choices=("error", "warning", "info", "never"), default="error", help="exit 1 from this severity on"
    )


def run(args: argparse.Namespace) -> int:
    shop = _workspace.opened(args)
    table = scores.load(shop)
    try:
        answer = answers.as_json(
            table, planned(shop), tell=lambda note: rules.finding(note).message,
            by=args.by, baseline=args.baseline, criterion=args.criterion, judge=args.judge,
        )  # fmt: skip
    except LookupError as unknown:
        raise UsageError(str(unknown.args[0])) from None
    if args.findings:
        answer |= _finding_costs.answer(shop, table, answer["rows"])
    found = [rules.finding(note) for note in stats.notes(table)]
    if args.format == "json":
        print(as_json.dumps(answer, indent=1))
    elif args.format == "csv":
        _csv(answer["rows"])
    else:
        shown = (args.by,) if args.by else table.varying
        print("\n".join(map(_lines.safe, _score_lines.text(answer, shown))))
        print("".join(f"{_lines.line(one)}\n" for one in found), end="")
    return int(_lines.worst((one.severity for one in found), args.fail_on))


def _csv(rows: list[Mapping[str, Any]]) -> None:
    factors = list(dict.fromkeys(factor for row in rows for factor in row["condition"]))
    ends = [f"{name}_{end}" for name in INTERVALS for end in ("low", "high")]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([*map(cell, factors), *COLUMNS, *ends, "method"])
    for row in rows:
        spans = [end for name in INTERVALS for end in (row[name] or ("", ""))]
        named = (cell(row["condition"].get(name, "")) for name in factors)
        out.writerow([*named, *(cell(row[c]) for c in COLUMNS), *spans, cell(row["method"])])
