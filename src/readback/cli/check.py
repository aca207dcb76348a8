"""Run `readback check`: the findings of a workspace and their summary."""

from __future__ import annotations

import argparse
import gc
import sys
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from readback import as_json, plugins
from readback.checks import rules
from readback.checks.fields.field_mapping import LOOKED_AT, Unmapped, fields, unmapped
from readback.checks.quoted import UNREAD, Quoted
from readback.checks.run import cluster, engine
from readback.checks.sample import SEED, SIZE
from readback.checks.summary import Audit
from readback.checks.summary import Progress as Step
from readback.checks.workspace_check import find_likely_encoding
from readback.cli import UsageError
from readback.cli.common import baseline, check_formats, check_summary, lines, options, terminal
from readback.cli.common.lines import make_safe, print_safe
from readback.cli.common.parser import Command
from readback.cli.common.terminal import Progress, fill
from readback.cli.common.workspace import (
    add_workspace_arguments,
    check_name,
    find_condition,
    open_records,
    open_workspace,
)
from readback.readers.yaml.yaml_file import find_nearest, format_flow
from readback.types import Finding, Workspace
from readback.workspace.dataset_choices import ID_KEY
from readback.workspace.templates import plain_templates

if TYPE_CHECKING:
    from readback.cli.common.changes import Revision  # loaded only with --since, since it compares texts

TITLE = "Check a workspace: its files, its records, and the messages that are assembled from them."
ABOUT = (
    "JSON holds the first 10,000 findings, jsonl all of them. With --sample only some of the records are"
    " checked.\n"
    "\n"
    "exit codes: 0 nothing at or above --fail-on; 1 there is such a finding, or a template file reads a"
    " name that no record\n"
    "has; 2 wrong use, or nothing at all could be read"
)

EXCERPT_MARGIN = 24  # characters on both sides of the one that makes a line unreadable: most terminals have 80 columns
FIELDS_LISTED = 20
LISTED_FIRST = 100  # findings of a rule that text lists as they come
LISTED_LATER = 20  # of the others, drawn and listed at the end
# Objects until the garbage collector looks: findings hold each other in no circle, and there are many.
GC_THRESHOLD = (50_000, 20, 20)
NOTHING_READ = 2  # the exit code where nothing of a folder could be read
FORMATS = ("text", "json", "jsonl", "sarif", "junit", "github", "markdown")
CLUSTER_SENTENCES = {
    "no_address": "--cluster {address}: give the address of a Dask scheduler, tcp://host:8786 for example",
    "no_extra": "--cluster needs Dask, which is not installed: pip install 'readback[cluster]'",
    "unreachable": (
        "--cluster {address}: no Dask scheduler answers ({error}); check host and port, "
        "or start one with: dask scheduler"
    ),
    "no_workers": (
        "--cluster {address}: the cluster has no worker; start one on each machine with: dask worker {address}"
    ),
    "no_readback": "worker {worker} has no Readback, or another version; install there what is installed here",
    "no_readback_scheduler": (
        "the scheduler of the cluster has no Readback, or another version; install there what is installed here"
    ),
    "other_version": (
        "worker {worker} has another version of {what}: {theirs}, and {ours} here; install the same on both"
    ),
    "unseen": "worker {worker} does not see {file}; put the workspace where all machines see it under the same path",
    "other_bytes": (
        "worker {worker} sees other bytes in {file} than this machine; share one folder, "
        "and wait until the file is written"
    ),
    "unfetched": "worker {worker} has no copy of {address}: {error}",
    "failed": "worker {worker} cannot work: {error}",
    "lost": "the cluster did not answer ({error})",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback check`."""
    add_workspace_arguments(parser, FORMATS)
    add = parser.add_argument
    add("--condition", action="append", default=[], metavar="C", help="only this condition; may be repeated")
    add(
        "--select", action="append", default=[], metavar="CODES", help="only these rules or areas: fmt,oll-system-twice"
    )
    add("--ignore", action="append", default=[], metavar="CODES", help="all rules except these")
    add(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="an earlier output of check; only findings that are not in it count",
    )
    add(
        "--since",
        metavar="REV",
        help="compare with a git revision: how the prompts changed, and only findings that are not in it count",
    )
    options.add_fail_on(parser)
    add("--all", action="store_true", help="text: list every finding, however many a rule has")
    add(
        "--sample",
        type=int,
        nargs="?",
        const=SIZE,
        metavar="N",
        help=fill(
            (
                "check only N records (default {size:,}), spread over the file and drawn at random; all "
                "records if there are no more"
            ),
            size=SIZE,
        ),
    )
    add("--seed", type=int, metavar="SEED", help=fill("the seed of the random draw (default: {seed})", seed=SEED))
    options.add_jobs(parser)
    add(
        "--cluster",
        metavar="ADDRESS",
        help="the address of a Dask scheduler (tcp://host:8786) whose workers do the work; the answer is the same",
    )
    options.add_loudness(
        parser,
        "the findings alone: no progress, and in text no summary",
        "text: also how to fix each finding, and what each file was recognised as",
    )


def run(args: argparse.Namespace) -> int:
    """Check a workspace and print the answer; return the exit code."""
    gc.set_threshold(*GC_THRESHOLD)
    select, ignore = _read_codes(args.select), _read_codes(args.ignore)
    sample, seed = _read_sample(args)
    keys: frozenset[str] = frozenset()
    if args.baseline:
        keys = baseline.read_keys(args.baseline, sample is not None)
    if args.cluster is not None:
        cluster.hasten()
    workspace = open_workspace(args)
    conditions = {find_condition(workspace, name).name for name in args.condition}
    jobs = options.read_jobs(args)
    revision = None
    if args.since is not None:
        from readback.cli.common import changes  # with it comes the store of reviews, as slow to load as all the rest

        revision = changes.load_revision(workspace, args.since, select, ignore, conditions, jobs)
        keys |= revision.keys
    with _connect_cluster(args.cluster, workspace) as workers:
        steps = engine.stream(
            workspace,
            engine.CheckOptions(
                select=select,
                ignore=ignore,
                conditions=conditions,
                baseline=keys,
                jobs=jobs,
                sample=sample,
                seed=seed,
                workers=workers,
            ),
        )
        audit = _print_answer(workspace, steps, args, revision)
    has_summary = args.format == "text" and not args.quiet
    if args.format == "text" and revision:
        print("\n".join(make_safe(line) for line in revision.format_lines()))
    if has_summary:
        _print_summary(workspace, audit, args, whole=not (select or ignore or conditions))
    _print_faults(audit)
    if has_summary:
        _print_hints(workspace)
    unfilled = _find_unfilled(workspace)
    if unfilled:
        if args.format == "text":
            stream = sys.stdout
        else:
            stream = sys.stderr
        print("\n".join(make_safe(line) for line in _format_unfilled(workspace, unfilled)), file=stream)
    if check_summary.nothing_was_read(workspace):
        return NOTHING_READ
    if unfilled and args.fail_on != "never":
        return 1
    return int(lines.reaches_severity(audit.severities, args.fail_on))


COMMANDS = {"check": Command(TITLE, ABOUT, add_arguments, run)}


# Reading the options.


def _read_sample(args: argparse.Namespace) -> tuple[int | None, int]:
    """Return how many records are drawn (None: all are checked), and the seed. Raises UsageError."""
    size: int | None = args.sample
    if size is not None and size < 1:
        raise UsageError(fill("--sample {n}: give 1 or more", n=size))
    if size is not None and args.since is not None:
        raise UsageError("--since cannot be used with --sample: another version has other records in its sample")
    if args.format == "markdown" and args.since is None:
        raise UsageError("--format markdown needs --since")
    if size is None and args.seed is not None:
        raise UsageError("--seed needs --sample; without it every record is checked")
    return size, SEED if args.seed is None else args.seed


def _read_codes(texts: Collection[str]) -> frozenset[str]:
    """Return the codes and areas of an option, each checked. Raises UsageError."""
    names = [*rules.AREAS, *rules.RULES()]
    codes = [code.strip() for text in texts for code in text.split(",") if code.strip()]
    for code in codes:
        if code not in names and not find_nearest(code, names):  # the whole list of rules would be no help
            raise UsageError(
                fill(
                    "no rule or area '{name}'; the areas are {areas}, and readback rule --all lists the rules",
                    name=code,
                    areas=", ".join(rules.AREAS),
                )
            )
    return frozenset(check_name("rule or area", code, names) for code in codes)


@contextmanager
def _connect_cluster(address: str | None, workspace: Workspace) -> Iterator[cluster.Cluster | None]:
    """Yield the cluster at an address, None without one. Raises UsageError where it cannot work."""
    if address is None:
        yield None
        return
    try:
        with cluster.connected(address, workspace, _print_cluster_note) as connection:
            yield connection
    except cluster.Unusable as unusable:
        raise UsageError(make_safe(_describe_cluster(unusable.why, unusable.values))) from None


def _print_cluster_note(why: str, values: Mapping[str, Any]) -> None:
    """Print to standard error what the cluster does not do, so that this machine does it."""
    why = _describe_cluster(why, values)
    lines.print_note(f"{why}. This machine checks those records itself, so the answer is the same")


def _describe_cluster(why: str, values: Mapping[str, Any]) -> str:
    return fill(CLUSTER_SENTENCES[why], **values)


# Printing the findings.


def _print_answer(
    workspace: Workspace, steps: Iterator[Finding | Step | Audit], args: argparse.Namespace, revision: Revision | None
) -> Audit:
    """Print the findings as they come, as JSON all at the end; return the summary."""
    audits: list[Audit] = []
    findings = _split_steps(steps, args.quiet, audits)
    for piece in _format_findings(workspace, findings, lambda: audits[0], args, revision):
        sys.stdout.write(f"{piece}\n")  # at once, also where Python is told to keep nothing back
    (audit,) = audits
    if args.format == "json":
        answer = check_summary.build_json(workspace, audit)
        if revision:
            answer["since"] = revision.build_json()
        sys.stdout.writelines(as_json.iterate_json(answer, indent=1))
        print()
    return audit


def _split_steps(steps: Iterator[Finding | Step | Audit], quiet: bool, audits: list[Audit]) -> Iterator[Finding]:
    """Yield the findings among the steps; show progress, and put the summary into `audits`."""
    progress = Progress(quiet)
    for step in steps:
        if isinstance(step, Audit):
            audits.append(step)
        elif isinstance(step, Step):
            progress(step.done, step.total)
        else:
            progress.end()
            yield step
    progress.end()


def _format_findings(
    workspace: Workspace,
    findings: Iterator[Finding],
    get_audit: Callable[[], Audit],
    args: argparse.Namespace,
    revision: Revision | None,
) -> Iterator[str]:
    """Yield what is printed of the findings, each piece a line or more."""
    locate = check_formats.locate_in_repository(workspace.root)
    match args.format:
        case "text":
            load_excerpts = cache(lambda: Quoted(workspace, open_records(workspace)))
            format_line = partial(_format_line, load_excerpts, args.verbose)
            yield from map(format_line, findings) if args.all else _format_some(findings, format_line)
        case "jsonl":
            yield from (as_json.dumps(as_json.finding_to_json(finding)) for finding in findings)
        case "github":
            yield from check_formats.format_github(findings, locate)
        case "sarif":
            yield from check_formats.format_sarif(findings, get_audit, locate, workspace.recognised)
        case "junit":
            select, ignore = _read_codes(args.select), _read_codes(args.ignore)
            yield from check_formats.format_junit(findings, get_audit, locate, args.fail_on, select, ignore)
        case "markdown" if revision:
            yield from revision.format_comment(findings, get_audit)
        case _:  # the summary holds them
            deque(findings, maxlen=0)


def _format_line(load_excerpts: Callable[[], Quoted], verbose: bool, finding: Finding) -> str:
    line = lines.format_finding(finding)
    if finding.code in UNREAD:
        excerpt = load_excerpts().excerpt(finding, EXCERPT_MARGIN)
        if excerpt:
            line = lines.add_excerpt(line, excerpt)
    if verbose:
        return lines.format_with_fix(finding, line)
    return line


def _format_some(findings: Iterator[Finding], format_line: Callable[[Finding], str]) -> Iterator[str]:
    """Yield the first findings of each rule as they come, a few of the others at the end, and how many there are.

    The others are drawn with a fixed seed.
    """
    counts = Counter[str]()
    later: dict[str, list[tuple[int, Finding]]] = {}
    draw = {code: Random(f"{SEED} {code}") for code in rules.RULES()}  # noqa: S311 - a sample, not a secret
    for number, finding in enumerate(findings):
        code = finding.code
        counts[code] += 1
        position = counts[code] - LISTED_FIRST
        if position <= 0:
            yield format_line(finding)
        elif position <= LISTED_LATER:
            later.setdefault(code, []).append((number, finding))
        else:
            index = draw[code].randrange(position)
            if index < LISTED_LATER:
                later[code][index] = number, finding
    drawn = sorted((entry for entries in later.values() for entry in entries), key=lambda entry: entry[0])
    yield from (format_line(finding) for _, finding in drawn)
    for code in sorted(later):
        listed = LISTED_FIRST + len(later[code])
        if listed < counts[code]:
            yield make_safe(
                fill(
                    baseline.NOT_ALL
                    + (
                        "{n:,} of {all:,} {all:finding|findings} of {code} {n:is|are} above, "
                        "the first {first:,} and {drawn:,} drawn at random from the others (seed {seed}); --all "
                        "lists every one"
                    ),
                    n=listed,
                    all=counts[code],
                    code=code,
                    first=LISTED_FIRST,
                    drawn=LISTED_LATER,
                    seed=SEED,
                )
            )


# Printing the summary.


def _print_summary(workspace: Workspace, audit: Audit, args: argparse.Namespace, whole: bool) -> None:
    summary = check_summary.format_summary(workspace, audit, whole, args.verbose)
    print("\n".join(terminal.paint_counts(make_safe(line)) for line in summary))
    if sys.stdout.isatty() and audit.counts and not args.verbose:  # a file or a log needs no advice
        print_safe(
            fill(
                (
                    "  readback check {workspace} -v also says how to fix each finding, readback rule {code} "
                    "explains a rule"
                ),
                workspace=args.workspace,
                code=next(iter(audit.counts)),
            )
        )


def _print_faults(audit: Audit) -> None:
    """Print to standard error which rules failed."""
    for (rule, error), n in Counter((fault.rule, fault.error) for fault in audit.faults).items():
        if n > 1:
            failed = fill("failed {n:,} times", n=n)
        else:
            failed = "failed"
        lines.print_note(f"{plugins.attribute_mistake(rule)}: rule {rule} {failed}: {error}")


def _print_hints(workspace: Workspace) -> None:
    """Print which encoding and which field of ids the dataset seems to have."""
    if workspace.dataset:
        encoding = find_likely_encoding(open_records(workspace).diagnostics)
    else:
        encoding = None
    if workspace.dataset and encoding:
        print_safe(
            fill(
                (
                    "\n{file} is not UTF-8. Save it as UTF-8, or, if you know that it is {encoding}, say so "
                    "with --encoding {encoding} (readback init then writes it down), or in readback.yml: "
                    "dataset: {{path: {file}, encoding: {encoding}}}"
                ),
                file=workspace.dataset.path,
                encoding=encoding,
            )
        )
    for name in workspace.alternatives.get(ID_KEY, ()):
        print_safe(
            fill(
                (
                    "\n{field} has a different value in each row that was read; to use it as the records' id: "
                    "--id {option}"
                ),
                field=name,
                option=format_flow(name),
            )
        )


def _find_unfilled(workspace: Workspace) -> list[Unmapped]:
    """Return the names that plain template files need and no record has, where no configuration maps them."""
    is_plain = any(config.name == plain_templates.NAME for config in workspace.configs)
    if not is_plain or workspace.dataset is None or workspace.dataset.absent:
        return []
    records = tuple(open_records(workspace).records(0, LOOKED_AT))
    if not records:
        return []
    return [variable for variable in unmapped(workspace, records) if not variable.optional]


def _format_unfilled(workspace: Workspace, variables: Sequence[Unmapped]) -> Iterator[str]:
    """Yield the block of readback.yml that maps the names, to be completed where no field is near."""
    names = fields(tuple(open_records(workspace).records(0, LOOKED_AT)))
    listed = ", ".join(names[:FIELDS_LISTED])
    yield ""
    yield (
        "The templates read names that no record has. Say which fields they are: with --field "
        "NAME=FIELD on the command line\n(readback init then writes it down), or in readback.yml "
        "below dataset:"
    )
    yield "fields:"
    for variable in variables:
        if variable.offered:
            yield f"  {format_flow(variable.variable)}: {format_flow(variable.offered)}  # a guess; there are {listed}"
        else:
            yield f"  {format_flow(variable.variable)}: ''  # put one of: {listed}"
