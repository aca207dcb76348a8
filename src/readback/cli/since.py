"""Run `readback since`: what changed since an earlier state of a workspace."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

from readback import as_json
from readback.cli import UsageError
from readback.cli.common import changes, options
from readback.cli.common.lines import print_safe
from readback.cli.common.parser import Command
from readback.cli.common.terminal import Progress, fill
from readback.cli.common.workspace import add_workspace_arguments, find_by_prefix, open_workspace
from readback.compare.side import SideError
from readback.review import since, state
from readback.review.decision_words import name_decision
from readback.review.leaves import NothingToLock
from readback.review.locks.lock_file import BadLock
from readback.review.since import FindingSummary, NoBefore, ScoreChange, Since
from readback.review.state import Decision, Review, SignOff
from readback.review.store import NotReadable, Store
from readback.review.subject import describe_subject as format_subject
from readback.types import Workspace

TITLE = "List what changed since a sign-off, a day, a git revision or a lock."
ABOUT = (
    "readback since WORKSPACE                  since the last sign-off of the whole study\n"
    "readback since WORKSPACE --signoff ID     since that sign-off, for its subject\n"
    "readback since WORKSPACE --date DAY       since the last sign-off up to the end of that day, else"
    " since the last commit\n"
    "readback since WORKSPACE --rev REV        since a git revision\n"
    "readback since WORKSPACE --lock FILE      since a lock was written; prompts only\n"
    "\n"
    "The list has the prompts that changed, how many and how, by condition and layer; findings that are"
    " new or gone; scores\n"
    "that changed, with their intervals; and decisions and sign-offs that were made on other bytes.\n"
    "\n"
    "exit codes: 0 listed; 2 wrong use, or there is nothing earlier to compare with"
)

LISTED = 20  # rules and scores in the text; JSON has every finding and score


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback since`."""
    add_workspace_arguments(parser, ("text", "json", "markdown"))
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--signoff", metavar="ID", help="the id of a sign-off, or its first characters")
    group.add_argument("--date", metavar="DAY", help="a day as YYYY-MM-DD, in UTC")
    group.add_argument("--rev", metavar="REV", help="a git revision")
    group.add_argument("--lock", metavar="FILE", help="a lock, as `readback lock` writes it")
    options.add_jobs(parser)
    options.add_quiet(parser)


def run(args: argparse.Namespace) -> int:
    """Compare with the earlier state and print what changed; return the exit code."""
    workspace = open_workspace(args)
    store = Store(workspace.root)
    progress = Progress(args.quiet)
    args.stack.callback(progress.end)
    try:
        result = _compare(args, workspace, store, state.build_review(store.events()), progress)
        progress.end()
    except (NoBefore, NotReadable, SideError, BadLock) as error:
        raise UsageError(str(error)) from None
    except NothingToLock as nothing:
        raise UsageError(fill("{workspace}: nothing is sent: {why}", workspace=args.workspace, why=nothing)) from None
    finally:
        store.close()
    if args.format == "json":
        print(as_json.dumps(_build_json(result), indent=1))
    else:
        for line in _format_result(result, "* " if args.format == "markdown" else "  "):
            print_safe(line)
    return 0


COMMANDS = {"since": Command(TITLE, ABOUT, add_arguments, run)}


def _compare(args: argparse.Namespace, workspace: Workspace, store: Store, review: Review, progress: Progress) -> Since:
    jobs = options.read_jobs(args)
    if args.rev is not None:
        return since.since_revision(workspace, store, args.rev, review, jobs, progress)
    if args.lock is not None:
        return since.since_lock(workspace, store, Path(args.lock), review, jobs, progress)
    if args.date:
        earlier = since.find_start(workspace, review, _read_day(args.date))
    else:
        earlier = _find_signoff(review, args.signoff)
    if isinstance(earlier, str):
        return since.since_revision(workspace, store, earlier, review, jobs, progress)
    return since.since_signoff(workspace, store, earlier, review, jobs, progress)


def _read_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(fill("--date {text}: write a day as YYYY-MM-DD", text=text)) from None


def _find_signoff(review: Review, prefix: str | None) -> SignOff:
    """Return the sign-off whose id begins with `prefix`; without one, the last of the whole study.

    Raises UsageError and NoBefore.
    """
    if prefix is not None:
        return find_by_prefix("sign-off", prefix, [(signoff.id, signoff) for signoff in review.signoffs])
    signoffs = [signoff for signoff in review.signoffs if signoff.withdrawn is None and signoff.subject == since.STUDY]
    if not signoffs:
        raise NoBefore(
            "nobody has signed off the whole study yet; name a revision (--rev), a lock (--lock) or "
            "another sign-off (--signoff)"
        )
    return signoffs[-1]


def _build_json(result: Since) -> dict[str, Any]:
    """Return {"since", "prompts", "prompts_unsaid", "findings", "scores", "stale", "unknown"}."""
    stale = [
        {
            "kind": "signoff" if isinstance(event, SignOff) else "decision",
            "id": event.id,
            "subject": str(event.subject),
            "author": event.by.author,
        }
        for event in result.stale
    ]
    return {
        "since": result.before,
        "prompts": [changes.build_prompt_json(line) for line in result.lines],
        "prompts_unsaid": result.unsaid or None,
        "findings": {
            "new": [_build_finding(finding) for finding in result.new],
            "gone": [_build_finding(finding) for finding in result.gone],
            "still": result.still,
        },
        "scores": [{"then": score.then, "now": score.now} for score in result.scores],
        "stale": stale,
        "unknown": list(result.unknown),
    }


def _build_finding(finding: FindingSummary) -> dict[str, str]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "where": finding.where,
        "message": finding.sentence,
    }


def _format_result(result: Since, mark: str) -> Iterator[str]:
    """Yield what changed as lines; `mark` begins what is listed."""
    if result.nothing and not result.stale:
        yield fill("Nothing changed since {then}.", then=result.before)
    else:
        yield fill("Since {then}:", then=result.before)
        yield f"{mark}{_format_prompts(result)}"
        yield from changes.format_prompts(result.lines, f"  {mark}")
        if result.unsaid:
            yield f"  {mark}how the texts changed is not known: {result.unsaid}"
        counts = fill(
            "findings: {new:,} new, {gone:,} gone, {still:,} the same",
            new=len(result.new),
            gone=len(result.gone),
            still=result.still,
        )
        yield f"{mark}{counts}"
        findings = [*_format_findings("new", result.new), *_format_findings("gone", result.gone)]
        yield from _limit_lines(f"  {mark}", findings)
        if result.scores:
            yield mark + fill("scores: {n:,} {n:mean|means} changed", n=len(result.scores))
        else:
            yield f"{mark}scores: the same"
        yield from _limit_lines(f"  {mark}", [_format_score(score) for score in result.scores])
        for event in result.stale:
            yield f"{mark}{_format_stale(event)}"
    for why in result.unknown:
        yield f"{mark}{why}"


def _format_prompts(result: Since) -> str:
    if not result.lines:
        return "prompts: the same, byte for byte"
    text = fill("prompts: changed in {n:,} {n:group|groups} of texts", n=len(result.lines))
    if any(line.change for line in result.lines):
        text += " (A is the text then, B the text now)"
    return text


def _limit_lines(mark: str, lines: Sequence[str]) -> Iterator[str]:
    yield from (f"{mark}{line}" for line in lines[:LISTED])
    more = len(lines) - LISTED
    if more > 0:
        yield mark + fill("{n:,} more; --format json has all", n=more)


def _format_findings(state_name: str, findings: Sequence[FindingSummary]) -> Iterator[str]:
    """Yield a line for each rule: what its first finding says, and how many more there are."""
    for (code, severity), group in groupby(findings, lambda finding: (finding.code, finding.severity)):
        first, *rest = group
        place = f", {first.where}" if first.where else ""
        yield changes.count_places(f"{state_name}: {severity} {code}{place}: {first.sentence}", len(rest))


def _format_score(score: ScoreChange) -> str:
    row = score.row
    names = [", ".join(map(str, row["condition"].values())), row["criterion"]]
    if row["judge"]:
        names.append(row["judge"])
    return f"{', '.join(names)}: {_format_mean(score.then)} then, {_format_mean(score.now)} now"


def _format_mean(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "no score"
    n = f"n {row['n']:,}"
    if row["mean"] is None:
        return f"no mean ({n})"
    mean = f"{row['mean']:.4g}"
    if not row["interval_used"]:
        return f"{mean}, {n}"
    low, high = row["interval_used"]
    return f"{mean} ({low:.3g} to {high:.3g}), {n}"


def _format_stale(event: Decision | SignOff) -> str:
    author, day = event.by.author, event.by.time[:10]
    if isinstance(event, SignOff):
        subject = format_subject(event.subject)
        return f"stale: the sign-off by {author}, {day}, of {subject}: what was signed has changed"
    decision = f"{name_decision(event)}: {event.on or format_subject(event.subject)}"
    return f"stale: the decision by {author}, {day} ({decision}): what it was made on has changed"
