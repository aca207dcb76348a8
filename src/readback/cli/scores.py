"""The command `readback scores`: means, comparisons and tests as text, JSON or CSV."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from readback import as_json
from readback.as_csv import format_csv
from readback.checks import rules
from readback.cli import (
    UsageError,
    _finding_costs,
    _lines,
    _options,
    _progress,
    _proposed_lines,
    _score_lines,
    _workspace,
)
from readback.scores import answer as answers
from readback.scores import answer_sections, conclusion, criterion_kinds, pooled, summary, warnings
from readback.scores import loading as scores
from readback.scores.comparing import compare
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Compared, Comparison
from readback.scores.table import Planned, ScoreTable
from readback.types import Workspace

TITLE = "Print the judges' scores by condition with their intervals, and what their differences support."
ABOUT = (
    "The comparisons that the workspace planned come first; all others are called exploratory. Only"
    " scored answers are in a\n"
    "mean: failed, missing and not applicable ones are counted beside it. --format csv writes the rows;"
    " text and JSON have\n"
    "comparisons, tests and reported means as well.\n"
    "\n"
    "exit codes: 0 no fault at or above --fail-on; 1 loading the scores found one; 2 wrong use, or there"
    " is no file of scores"
)

COLUMNS = ("criterion", "judge", "n", "failed", "missing", "not_applicable", "mean")
NOTHING_READ = 2  # the exit code where there is no file of scores: no mean is no good one
INTERVALS = ("interval", "interval_clustered")  # each two columns, low and high


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser, ("text", "json", "csv"))
    add = parser.add_argument
    add(
        "--by",
        metavar="FACTOR",
        help=("one row for each value of this factor, which is one of the columns that tell conditions apart"),
    )
    add(
        "--baseline",
        metavar="C",
        help=(
            "compare each condition (with --by, each value of the factor) with this one (default: all "
            "pairs of up to 12)"
        ),
    )
    add("--criterion", metavar="K", help="only this criterion; the ending _score may be left out")
    add("--judge", metavar="J", help="only the scores of this judge")
    add(
        "--slice",
        metavar="FIELD",
        help=("also the scores by a field of the records that has 2 to 30 values (with --baseline, the differences)"),
    )
    add("--findings", action="store_true", help="also the scores of records with each finding beside those without")
    _options.jobs(parser, "--findings")
    _options.loudness(parser, "text: the numbers alone, without findings", "text: also say how to fix each finding")
    _options.fail_on(parser)


def run(args: argparse.Namespace) -> int:
    jobs = _options.workers(args, "findings")
    workspace = _workspace.opened(args)
    table = scores.load(workspace)
    plan = list_planned(workspace)
    asked = {"by": args.by, "baseline": args.baseline, "criterion": args.criterion, "judge": args.judge}
    try:
        order = criterion_kinds.order_of(table, workspace)
        answer = answers.as_json(
            table, plan, tell=lambda diagnostic: rules.finding(diagnostic).message, order=order, **asked
        )
        answer["conclusions"] = _conclusions(workspace, table, asked)
        if args.slice:
            field = answer_sections.field(workspace, table, args.slice)
            answer["slices"] = answer_sections.slices(table, field, _sides(table, plan, asked))
    except LookupError as unknown:
        raise UsageError(str(unknown.args[0])) from None
    if args.findings:
        progress = _progress.Progress(args.quiet)
        args.stack.callback(progress.end)
        pairs = _planned_pairs(table, plan, asked)
        answer |= _finding_costs.answer(workspace, table, answer["rows"], jobs, pairs, progress)
        progress.end()
    found = [rules.finding(diagnostic) for diagnostic in warnings.diagnostics(table)]
    if args.format == "json":
        print(as_json.dumps(answer, indent=1))
    elif args.format == "csv":
        _csv(answer["rows"])
    else:
        shown = (args.by,) if args.by else table.varying
        there = answer["comparisons"] or answer["blocked"]
        made = compare.compare(table, plan, **asked) if there else Compared()
        text = _score_lines.text(_lines.unbroken(answer), made, _lines.unbroken(shown), _pooled(table, plan, asked))
        print("\n".join(map(_lines.safe, text)))
        line = _lines.with_fix if args.verbose else _lines.line
        print("".join(f"{line(one)}\n" for one in found if not args.quiet), end="")
    for told in [] if workspace.scores else _proposed_lines.text(workspace, args.workspace):
        print(_lines.safe(told), file=sys.stdout if args.format == "text" else sys.stderr)
    if not workspace.scores:
        return NOTHING_READ
    return int(_lines.worst((one.severity for one in found), args.fail_on))


def _conclusions(workspace: Workspace, table: ScoreTable, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is concluded under each criterion; nothing where a factor, a judge or a baseline is asked for by itself."""
    if asked["by"] or asked["baseline"] or asked["judge"]:
        return []
    return conclusion.list_conclusions(workspace, table, asked["criterion"])


def _sides(table: ScoreTable, plan: tuple[Planned, ...], asked: Mapping[str, Any]) -> list[answer_sections.Side]:
    """What is sliced: planned pairs and those with the baseline; without a baseline also each condition by itself."""
    made = compare.compare(table, plan, **asked).comparisons
    told = [one for one in made if one.planned or asked["baseline"] is not None]
    pairs: list[answer_sections.Side] = [(one.a, one.b, one.criterion, one.judge) for one in told if one.n_shared]
    if asked["baseline"] is not None:
        return pairs
    rows = summary.rows(table, asked["by"], asked["criterion"], asked["judge"])
    return [*pairs, *((row.condition, None, row.criterion, row.judge) for row in rows if row.n)]


def _planned_pairs(
    table: ScoreTable, plan: tuple[Planned, ...], asked: Mapping[str, Any]
) -> list[tuple[ScoreTable, Comparison]]:
    """The planned comparisons that were made, each with the table it is of: means over judges first."""
    whole = compare.compare(table, plan, **asked)
    pairs = [(pooled.pooled(table) or table, one) for one in _pooled(table, plan, asked).comparisons]
    return [(of, one) for of, one in (*pairs, *((table, one) for one in whole.comparisons)) if one.planned]


def _pooled(table: ScoreTable, plan: tuple[Planned, ...], asked: Mapping[str, Any]) -> Compared:
    """The comparisons of means over judges that the answer tells of."""
    made = pooled.pooled(table) if asked["judge"] is None else None
    names = {asked["criterion"], f"{asked['criterion']}_score", None}
    if made is None or not (asked["criterion"] is None or names & set(made.columns.criteria)):
        return Compared()
    return compare.compare(made, plan, **asked)


def _csv(rows: list[Mapping[str, Any]]) -> None:
    factors = list(dict.fromkeys(factor for row in rows for factor in row["condition"]))
    ends = [f"{name}_{end}" for name in INTERVALS for end in ("low", "high")]
    titles = [*factors, *COLUMNS, *ends, "method"]
    print(format_csv(titles, (_cells(row, factors) for row in rows)), end="")


def _cells(row: Mapping[str, Any], factors: list[str]) -> list[Any]:
    spans = [end for name in INTERVALS for end in (row[name] or ("", ""))]
    return [*(row["condition"].get(name, "") for name in factors), *(row[c] for c in COLUMNS), *spans, row["method"]]
