"""Print the judges' scores by condition: how many, how many not, and the mean.

Exit code 0 or 1: 1 when loading the scores found a fault at or above --fail-on.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from readback import as_json, rules
from readback.commands import UsageError, _lines, _workspace
from readback.scores import loading as scores
from readback.scores import stats

COLUMNS = ("criterion", "judge", "n", "failed", "missing", "not_applicable", "mean")
RISKY = ("=", "+", "-", "@", "\t", "\r", "\0")  # what a spreadsheet takes for a formula at the start of a cell


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser, ("text", "json", "csv"))
    add = parser.add_argument
    add("--by", metavar="FACTOR", help="one row for each value of this factor")
    add("--baseline", metavar="C", help="compare each condition with this one")
    add("--criterion", metavar="K")
    add("--judge", metavar="J")
    add(
        "--fail-on", choices=("error", "warning", "info", "never"), default="error", help="exit 1 from this severity on"
    )


def run(args: argparse.Namespace) -> int:
    if args.baseline:
        raise UsageError("scores --baseline is not built yet: differences are not tested")
    table = scores.load(_workspace.opened(args))
    try:
        answer = scores.as_json(table, args.by, args.criterion, args.judge)
    except LookupError as unknown:
        raise UsageError(str(unknown.args[0])) from None
    found = [rules.finding(note) for note in stats.notes(table)]
    if args.format == "json":
        print(as_json.dumps(answer, indent=1))
    elif args.format == "csv":
        _csv(answer["rows"])
    else:
        shown = (args.by,) if args.by else table.varying
        print("\n".join(_text(answer["rows"], shown, table.synthetic)))
        print("".join(f"{_lines.line(one)}\n" for one in found), end="")
    return int(_lines.worst((one.severity for one in found), args.fail_on))


def _csv(rows: list[Mapping[str, Any]]) -> None:
    factors = list(dict.fromkeys(factor for row in rows for factor in row["condition"]))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([*map(_cell, factors), *COLUMNS])
    for row in rows:
        out.writerow([*(_cell(row["condition"].get(name, "")) for name in factors), *(_cell(row[c]) for c in COLUMNS)])


def _cell(value: Any) -> Any:
    """Text that a spreadsheet would compute gets a quote in front; numbers stay numbers, what is not there is empty."""
    if isinstance(value, str) and value.startswith(RISKY):
        return f"'{value}"
    return "" if value is None else value


def _text(rows: list[Mapping[str, Any]], factors: Collection[str], synthetic: bool) -> Iterator[str]:
    """Blocks by criterion and judge, a line for each condition: what distinguishes it, then its numbers."""
    if synthetic:
        yield "these scores are synthetic: made by a generator, not by a judge"
    if not rows:
        yield "no scores"
    heading = None
    for row in rows:
        if (row["criterion"], row["judge"]) != heading:
            criterion, judge = heading = row["criterion"], row["judge"]
            yield _lines.safe(f"\n{criterion}" + (f", judge {judge}" if judge else ""))
        named = [f"{factor} {value}" for factor, value in row["condition"].items() if factor in factors]
        label = ", ".join(named) or " ".join(row["condition"].values()) or "all"
        lost = [f"{row[name]} {name.replace('_', ' ')}" for name in COLUMNS[3:6] if row[name]]
        mean = "–" if row["mean"] is None else f"{row['mean']:.4f}"
        yield _lines.safe(f"  {label}: mean {mean}, n {row['n']}" + (f" ({', '.join(lost)})" if lost else ""))
