"""The command `readback since`: what changed since an earlier state of a workspace."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

from readback import as_json
from readback.cli import UsageError, _changes, _lines, _options, _progress, _workspace
from readback.cli._sentence import fill
from readback.compare.side import SideError
from readback.review import since, state
from readback.review.leaves import NothingToLock
from readback.review.lock_file import BadLock
from readback.review.since import Moved, NoBefore, Seen, Since
from readback.review.state import Decision, Review, SignOff
from readback.review.store import NotReadable, Store
from readback.review.subject import said as subject_said
from readback.types import Workspace
from readback.words import t

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

SENTENCES_SINCE = {
    "findings": "findings: {new:,} new, {gone:,} gone, {still:,} the same",
    "scores": "scores: {n:,} {n:mean|means} changed",
    "prompts": "prompts: changed in {n:,} {n:group|groups} of texts",
    "prompts_sides": ("prompts: changed in {n:,} {n:group|groups} of texts (A is the text then, B the text now)"),
    "new": "new",
    "gone": "gone",
    "finding": "{state}: {severity} {code}: {message}",
    "finding_at": "{state}: {severity} {code}, {place}: {message}",
    "score": "{name}, {criterion}: {then} then, {now} now",
    "score_judge": "{name}, {criterion}, {judge}: {then} then, {now} now",
    "mean": "{mean}, n {n:,}",
}

SHOWN = 20  # rules and scores in the text; JSON has every finding and score


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser, ("text", "json", "markdown"))
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--signoff", metavar="ID", help="the id of a sign-off, or its first characters")
    one.add_argument("--date", metavar="DAY", help="a day as YYYY-MM-DD, in UTC")
    one.add_argument("--rev", metavar="REV", help="a git revision")
    one.add_argument("--lock", metavar="FILE", help="a lock, as `readback lock` writes it")
    _options.jobs(parser)
    _options.quiet(parser)


def run(args: argparse.Namespace) -> int:
    opened = _workspace.opened(args)
    store = Store(opened.root)
    try:
        progress = _progress.Progress(args.quiet)
        args.stack.callback(progress.end)
        made = _since(args, opened, store, state.review(store.events()), progress)
        progress.end()
    except (NoBefore, NotReadable, SideError, BadLock) as error:
        raise UsageError(str(error)) from None
    except NothingToLock as nothing:
        raise UsageError(fill("{workspace}: nothing is sent: {why}", workspace=args.workspace, why=nothing)) from None
    finally:
        store.close()
    if args.format == "json":
        print(as_json.dumps(values(made), indent=1))
    else:
        for line in told(made, "* " if args.format == "markdown" else "  "):
            print(_lines.safe(line))
    return 0


def _since(
    args: argparse.Namespace, opened: Workspace, store: Store, found: Review, progress: _progress.Progress
) -> Since:
    jobs = _options.workers(args)
    if args.rev is not None:
        return since.since_revision(opened, store, args.rev, found, jobs, progress)
    if args.lock is not None:
        return since.since_lock(opened, store, Path(args.lock), found, jobs, progress)
    before = since.of_day(opened, found, _day(args.date)) if args.date else _signoff(found, args.signoff)
    if isinstance(before, str):
        return since.since_revision(opened, store, before, found, jobs, progress)
    return since.since_signoff(opened, store, before, found, jobs, progress)


def _day(said: str) -> date:
    try:
        return date.fromisoformat(said)
    except ValueError:
        raise UsageError(fill("--date {given}: write a day as YYYY-MM-DD", given=said)) from None


def _signoff(found: Review, called: str | None) -> SignOff:
    there = [one for one in found.signoffs if one.withdrawn is None]
    if called is not None:
        return _workspace.begins("signoff", called, [(one.id, one) for one in found.signoffs])
    whole = [one for one in there if one.subject == since.STUDY]
    if not whole:
        raise NoBefore(
            "nobody has signed off the whole study yet; name a revision (--rev), a lock (--lock) or "
            "another sign-off (--signoff)"
        )
    return whole[-1]


def values(made: Since) -> dict[str, Any]:
    """What changed as JSON values: {"since", "prompts", "findings", "scores", "stale", "unknown"}."""
    return {
        "since": made.before,
        "prompts": list(map(_changes.prompt, made.lines)),
        "prompts_unsaid": made.unsaid or None,
        "findings": {"new": [_seen(one) for one in made.new], "gone": [_seen(one) for one in made.gone],
                     "still": made.still},
        "scores": [{"then": one.then, "now": one.now} for one in made.scores],
        "stale": [{"kind": "signoff" if isinstance(one, SignOff) else "decision", "id": one.id,
                   "subject": str(one.subject), "author": one.by.author} for one in made.stale],
        "unknown": list(made.unknown),
    }  # fmt: skip


def _seen(one: Seen) -> dict[str, str]:
    return {"code": one.code, "severity": one.severity, "where": one.where, "message": one.said}


def told(made: Since, mark: str = "  ") -> Iterator[str]:
    """What changed as lines; `mark` begins what is listed."""
    if made.nothing and not made.stale:
        yield fill("Nothing changed since {then}.", then=made.before)
    else:
        yield fill("Since {then}:", then=made.before)
        yield f"{mark}{_prompts(made)}"
        yield from _changes.lines(made.lines, f"  {mark}")
        if made.unsaid:
            yield (f"  {mark}" + fill("how the texts changed is not known: {why}", why=made.unsaid))
        yield (
            f"{mark}"
            + fill(
                "findings: {new:,} new, {gone:,} gone, {still:,} the same",
                new=len(made.new),
                gone=len(made.gone),
                still=made.still,
            )
        )
        yield from _listed(f"  {mark}", [*_findings("new", made.new), *_findings("gone", made.gone)])
        moved = len(made.scores)
        if moved:
            yield mark + fill("scores: {n:,} {n:mean|means} changed", n=moved)
        else:
            yield mark + "scores: the same"
        yield from _listed(f"  {mark}", [_moved(one) for one in made.scores])
        for one in made.stale:
            yield f"{mark}{_signed(one)}"
    for why in made.unknown:
        yield f"{mark}{why}"


def _prompts(made: Since) -> str:
    if not made.lines:
        return "prompts: the same, byte for byte"
    sides = "prompts_sides" if any(line.change for line in made.lines) else "prompts"
    return fill(SENTENCES_SINCE[sides], n=len(made.lines))


def _listed(mark: str, lines: list[str]) -> Iterator[str]:
    yield from (f"{mark}{line}" for line in lines[:SHOWN])
    if (more := len(lines) - SHOWN) > 0:
        yield (f"{mark}" + fill("{n:,} more; --format json has all", n=more))


def _findings(state_: str, found: tuple[Seen, ...]) -> list[str]:
    """A line for each rule: what its first finding says, and how many more there are."""
    lines = []
    for (code, severity), these in groupby(found, lambda one: (one.code, one.severity)):
        first, *others = these
        said = {"state": SENTENCES_SINCE[state_], "severity": severity, "code": code, "message": first.said}
        at = "finding_at" if first.where else "finding"
        line = fill(SENTENCES_SINCE[at], **said, place=first.where)
        lines.append(
            fill("{finding} (and {n:,} more {n:place|places})", finding=line, n=len(others)) if others else line
        )
    return lines


def _moved(one: Moved) -> str:
    name = ", ".join(map(str, one.row["condition"].values()))
    means = {"then": _mean(one.then), "now": _mean(one.now)}
    judge, by = one.row["judge"], "score_judge" if one.row["judge"] else "score"
    return fill(SENTENCES_SINCE[by], name=name, criterion=one.row["criterion"], judge=judge, **means)


def _mean(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "no score"
    if row["mean"] is None:
        return fill("no mean (n {n:,})", n=row["n"])
    mean = f"{row['mean']:.4g}"
    if not (span := row["interval_used"]):
        return fill("{mean}, n {n:,}", mean=mean, n=row["n"])
    return fill("{mean} ({low} to {high}), n {n:,}", mean=mean, low=f"{span[0]:.3g}", high=f"{span[1]:.3g}", n=row["n"])


def _signed(one: Decision | SignOff) -> str:
    given = {"author": one.by.author, "day": one.by.time[:10]}
    if isinstance(one, SignOff):
        return fill(
            "stale: the sign-off by {author}, {day}, of {subject}: what was signed has changed",
            subject=subject_said(one.subject),
            **given,
        )
    decided = t(f"report.decision_{one.verdict}", about=one.on or subject_said(one.subject))
    return fill(
        "stale: the decision by {author}, {day} ({decided}): what it was made on has changed", decided=decided, **given
    )
