"""Run `readback scores` and `readback agreement`: what scores support, and how far judges agree."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from readback import as_json
from readback import workspace as workspaces
from readback.as_csv import format_csv
from readback.checks import rules
from readback.cli import UsageError
from readback.cli.common import agreement_lines, lines, options, score_lines
from readback.cli.common.lines import escape_newlines, make_safe
from readback.cli.common.parser import Command
from readback.cli.common.terminal import Progress, fill
from readback.cli.common.workspace import add_workspace_arguments, open_workspace
from readback.readers.yaml.yaml_file import format_flow
from readback.records.dataset import open_dataset
from readback.scores import conclusion, criterion_kinds, loading, pooled, summary, warnings
from readback.scores.agreement import answer as agreement_answer
from readback.scores.comparing import compare
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Compared, Comparison
from readback.scores.output import answer as answers
from readback.scores.output import answer_sections
from readback.scores.sentences import report
from readback.scores.table import Planned, ScoreTable
from readback.types import Finding, Workspace
from readback.words import t
from readback.workspace.tables import proposed_scores
from readback.workspace.workspace_file.writer import build_scores

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
AGREEMENT_TITLE = "Print how far judges agree, with each other and with people."
AGREEMENT_ABOUT = (
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

COLUMNS = ("criterion", "judge", "n", "failed", "missing", "not_applicable", "mean")
INTERVALS = ("interval", "interval_clustered")  # each two columns, low and high
NOTHING_READ = 2  # the exit code where there is no file of scores


# Scores.


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback scores`."""
    add_workspace_arguments(parser, ("text", "json", "csv"))
    add = parser.add_argument
    add(
        "--by",
        metavar="FACTOR",
        help="one row for each value of this factor, which is one of the columns that tell conditions apart",
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
        help="also the scores by a field of the records that has 2 to 30 values (with --baseline, the differences)",
    )
    add("--findings", action="store_true", help="also the scores of records with each finding beside those without")
    options.add_jobs(parser, "--findings")
    _add_finding_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the scores and what they support; return the exit code."""
    jobs = options.read_jobs(args, "findings")
    workspace = open_workspace(args)
    table = loading.load(workspace)
    plan = list_planned(workspace)
    query = {"by": args.by, "baseline": args.baseline, "criterion": args.criterion, "judge": args.judge}
    try:
        answer = _build_answer(workspace, table, plan, query, args.slice)
    except LookupError as unknown:
        raise UsageError(str(unknown.args[0])) from None
    if args.findings:
        progress = Progress(args.quiet)
        args.stack.callback(progress.end)
        pairs = _list_planned_pairs(table, plan, query)
        answer |= _build_finding_costs(workspace, table, answer["rows"], jobs, pairs, progress)
        progress.end()
    findings = [rules.build_finding(diagnostic) for diagnostic in warnings.find_warnings(table)]
    if args.format == "json":
        print(as_json.dumps(answer, indent=1))
    elif args.format == "csv":
        _print_csv(answer["rows"])
    else:
        factors = (args.by,) if args.by else table.varying
        has_comparisons = answer["comparisons"] or answer["blocked"]
        if has_comparisons:
            compared = compare.compare(table, plan, **query)
        else:
            compared = Compared()
        compared_pools = _compare_pools(table, plan, query)
        text = score_lines.format_scores(escape_newlines(answer), compared, escape_newlines(factors), compared_pools)
        print("\n".join(make_safe(line) for line in text))
        _print_findings(findings, args)
    if not workspace.scores:
        if args.format == "text":
            stream = sys.stdout
        else:
            stream = sys.stderr
        for line in _propose_tables(workspace, args.workspace):
            lines.print_safe(line, stream)
        return NOTHING_READ
    return int(lines.reaches_severity((finding.severity for finding in findings), args.fail_on))


def _add_finding_options(parser: argparse.ArgumentParser) -> None:
    options.add_loudness(parser, "text: the numbers alone, without findings", "text: also say how to fix each finding")
    options.add_fail_on(parser)


def _print_findings(findings: Collection[Finding], args: argparse.Namespace) -> None:
    """Print what loading the scores found."""
    if args.quiet:
        return
    for finding in findings:
        print(lines.format_with_fix(finding) if args.verbose else lines.format_finding(finding))


def _build_answer(
    workspace: Workspace,
    table: ScoreTable,
    plan: tuple[Planned, ...],
    query: Mapping[str, Any],
    slice_name: str | None,
) -> dict[str, Any]:
    """Return the answer of `scores --format json`. Raises LookupError for a name that the scores do not have."""
    answer = answers.as_json(
        table,
        plan,
        tell=lambda diagnostic: rules.build_finding(diagnostic).message,
        order=criterion_kinds.order_of(table, workspace),
        **query,
    )
    # Nothing is concluded where a factor, a judge or a baseline is asked for by itself.
    answer["conclusions"] = []
    if not (query["by"] or query["baseline"] or query["judge"]):
        answer["conclusions"] = conclusion.list_conclusions(workspace, table, query["criterion"])
    if slice_name:
        field = answer_sections.field(workspace, table, slice_name)
        answer["slices"] = answer_sections.slices(table, field, _list_sliced(table, plan, query))
    return answer


def _list_sliced(table: ScoreTable, plan: tuple[Planned, ...], query: Mapping[str, Any]) -> list[answer_sections.Side]:
    """Return what is sliced: planned pairs and those with the baseline; without a baseline also each condition."""
    has_baseline = query["baseline"] is not None
    pairs: list[answer_sections.Side] = [
        (comparison.a, comparison.b, comparison.criterion, comparison.judge)
        for comparison in compare.compare(table, plan, **query).comparisons
        if comparison.n_shared and (comparison.planned or has_baseline)
    ]
    if has_baseline:
        return pairs
    rows = summary.rows(table, query["by"], query["criterion"], query["judge"])
    return [*pairs, *((row.condition, None, row.criterion, row.judge) for row in rows if row.n)]


def _list_planned_pairs(
    table: ScoreTable, plan: tuple[Planned, ...], query: Mapping[str, Any]
) -> list[tuple[ScoreTable, Comparison]]:
    """Return the planned comparisons that were made, each with its table: means over judges first."""
    pooled_table = pooled.pooled(table) or table
    pairs = [(pooled_table, comparison) for comparison in _compare_pools(table, plan, query).comparisons]
    pairs += [(table, comparison) for comparison in compare.compare(table, plan, **query).comparisons]
    return [(pair_table, comparison) for pair_table, comparison in pairs if comparison.planned]


def _compare_pools(table: ScoreTable, plan: tuple[Planned, ...], query: Mapping[str, Any]) -> Compared:
    """Return the comparisons of means over judges that the answer has."""
    if query["judge"] is not None:
        return Compared()
    pooled_table = pooled.pooled(table)
    if pooled_table is None:
        return Compared()
    criterion = query["criterion"]
    if criterion is not None and not {criterion, f"{criterion}_score", None} & set(pooled_table.columns.criteria):
        return Compared()
    return compare.compare(pooled_table, plan, **query)


def _print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    factors = list(dict.fromkeys(factor for row in rows for factor in row["condition"]))
    interval_columns = [f"{name}_{end}" for name in INTERVALS for end in ("low", "high")]
    titles = [*factors, *COLUMNS, *interval_columns, "method"]
    print(format_csv(titles, (_list_cells(row, factors) for row in rows)), end="")


def _list_cells(row: Mapping[str, Any], factors: Sequence[str]) -> list[Any]:
    conditions = [row["condition"].get(name, "") for name in factors]
    ends = [end for name in INTERVALS for end in (row[name] or ("", ""))]
    return [*conditions, *(row[column] for column in COLUMNS), *ends, row["method"]]


def _propose_tables(workspace: Workspace, path: str) -> Iterator[str]:
    """Yield, for each table that looks like scores, the option that reads it and the lines of readback.yml."""
    for table in proposed_scores.list_proposed(workspace.alternatives):
        option = f"--{table.key} {shlex.quote(table.line)}"
        command = f"{shlex.quote(path)} {option}"
        yield t(f"open.table_{table.key}", file=table.file, n=len(table.columns), columns=", ".join(table.columns))
        yield fill("  to read it once: {command}", command=f"readback scores {command}")
        yield fill("  to keep it: {command}", command=f"readback init {command}")
        yield "  that writes readback.yml with the other files found here and these lines:"
        yield "    scores:"
        with_table = workspaces.open(path, chosen={**workspace.chosen, table.key: table.line})
        yield from (f"      - {format_flow(build_scores(source))}" for source in with_table.scores)


# Findings and scores.


def _build_finding_costs(
    workspace: Workspace,
    table: ScoreTable,
    rows: Sequence[Mapping[str, Any]],
    jobs: int | None,
    planned_pairs: Sequence[tuple[ScoreTable, Comparison]],
    progress: Callable[[int, int], bool | None],
) -> dict[str, Any]:
    """Return {"findings", "prompt_changes", "not_records", "fair"} for every criterion and judge of `rows`.

    They are associations, by condition, criterion and judge. Without a dataset there are no records to look at, and
    all are empty.
    """
    from readback.checks import costs, fair_pairs  # with them comes the engine, which no other answer needs
    from readback.checks.run import engine

    answer: dict[str, Any] = {"findings": [], "prompt_changes": [], "not_records": 0, "fair": []}
    if workspace.dataset is None:
        return answer
    records = open_dataset(workspace.root, workspace.dataset)
    audit = engine.check(workspace, engine.CheckOptions(jobs=jobs, progress=progress))
    for criterion, judge in dict.fromkeys((row["criterion"], row["judge"]) for row in rows):
        result = costs.costs(workspace, records, audit, table, criterion, judge or "")
        names = {"criterion": criterion, "judge": judge}
        answer["findings"] += [names | _build_cost(asdict(cost)) for cost in result.within]
        answer["prompt_changes"] += [names | _build_cost(asdict(change)) for change in result.changes]
        answer["not_records"] = max(answer["not_records"], result.unknown)
    for pair_table, comparison in planned_pairs:
        fairness = fair_pairs.fairness(workspace, records, audit, pair_table, comparison)
        if fairness:
            answer["fair"].append(_build_fairness(pair_table, comparison, fairness))
    return answer


def _build_cost(values: dict[str, Any]) -> dict[str, Any]:
    for name in ("condition", "a", "b"):
        if name in values:
            values[name] = dict(values[name])
    return values


def _build_fairness(table: ScoreTable, comparison: Comparison, fairness: Any) -> dict[str, Any]:
    """Return the verdict on a planned pair, and its difference with and without the records that errors touch."""
    from readback.cli.common.check_summary import format_verdict

    if table.pool is not None:
        pool = comparison.judge.removeprefix("*")
    else:
        pool = None
    untouched, kind = fairness.untouched, fairness.verdict.kind
    get_name = partial(report.short, table)
    text = format_verdict(fairness.verdict)
    if fairness.verdict.faults:
        effect = report.untouched(comparison, fairness.touched, untouched, get_name, same=kind == "same")
        text = f"{text}. {effect}"
    return {
        "a": dict(comparison.a),
        "b": dict(comparison.b),
        "criterion": comparison.criterion,
        "judge": None if pool else comparison.judge or None,
        "pool": pool,
        "fair": kind in ("fair", "same"),
        "verdict": kind,
        "one_sided": fairness.one_sided,
        "both_sided": fairness.both_sided,
        "touched": len(fairness.touched),
        "n_shared": comparison.n_shared,
        "difference": comparison.difference,
        "n_untouched": untouched.n_shared if untouched else None,
        "difference_untouched": untouched.difference if untouched else None,
        "interval_untouched": untouched.span if untouched else None,
        "said": f"{get_name(comparison.b)} against {get_name(comparison.a)}, {comparison.criterion}: {text}",
    }


# Agreement.


def add_agreement_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback agreement`."""
    add_workspace_arguments(parser, ("text", "json", "csv"))
    parser.add_argument("--criterion", metavar="K", help="only this criterion; the ending _score may be left out")
    _add_finding_options(parser)


def run_agreement(args: argparse.Namespace) -> int:
    """Print how far judges agree; return the exit code."""
    table = loading.load(open_workspace(args))
    try:
        answer = agreement_answer.build_answer(table, args.criterion)
    except LookupError as unknown:
        raise UsageError(str(unknown.args[0])) from None
    findings = [rules.build_finding(diagnostic) for diagnostic in warnings.find_warnings(table)]
    if args.format == "json":
        print(as_json.dumps(answer, indent=1))
    elif args.format == "csv":
        print(format_csv(agreement_answer.COLUMNS, agreement_answer.list_rows(answer)), end="")
    else:
        text = agreement_lines.format_agreement(escape_newlines(answer))
        print("\n".join(make_safe(line) for line in text))
        _print_findings(findings, args)
    return int(lines.reaches_severity((finding.severity for finding in findings), args.fail_on))


COMMANDS = {
    "scores": Command(TITLE, ABOUT, add_arguments, run),
    "agreement": Command(AGREEMENT_TITLE, AGREEMENT_ABOUT, add_agreement_arguments, run_agreement),
}
