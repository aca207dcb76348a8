"""The command `readback since`: what changed since an earlier state of a workspace."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

from readback import as_json
from readback.cli import UsageError, _lines, _options, _workspace
from readback.compare.side import SideError
from readback.quantity import quantity
from readback.review import lock_file, locked, since, state
from readback.review.leaves import NothingToLock
from readback.review.lock_file import BadLock
from readback.review.since import Moved, NoBefore, Seen, Since
from readback.review.state import Decision, Review, SignOff
from readback.review.store import NotReadable, Store
from readback.types import Workspace

SHOWN = 20  # rules and scores in the text; JSON has every finding and score


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser, ("text", "json", "markdown"))
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--signoff", metavar="ID", help="a sign-off's id, or its first characters")
    one.add_argument("--date", metavar="DAY", help="a day as YYYY-MM-DD, in UTC")
    one.add_argument("--rev", metavar="REV", help="a revision of git")
    one.add_argument("--lock", metavar="FILE", help="a lock, as `readback lock` writes it")
    _options.jobs(parser)


def run(args: argparse.Namespace) -> int:
    opened = _workspace.opened(args)
    store = Store(opened.root)
    try:
        made = _since(args, opened, store, state.review(store.events()))
    except (NoBefore, NotReadable, SideError, BadLock) as error:
        raise UsageError(str(error)) from None
    except NothingToLock as nothing:
        raise UsageError(f"{args.workspace}: nothing is sent: {nothing}") from None
    finally:
        store.close()
    if args.format == "json":
        print(as_json.dumps(values(made), indent=1))
    else:
        for line in told(made, "* " if args.format == "markdown" else "  "):
            print(_lines.safe(line))
    return 0


def _since(args: argparse.Namespace, opened: Workspace, store: Store, found: Review) -> Since:
    jobs = _options.workers(args)
    if args.rev is not None:
        return since.since_revision(opened, store, args.rev, found, jobs)
    if args.lock is not None:
        return since.since_lock(opened, store, Path(args.lock), found, jobs)
    before = since.of_day(opened, found, _day(args.date)) if args.date else _signoff(found, args.signoff)
    if isinstance(before, str):
        return since.since_revision(opened, store, before, found, jobs)
    return since.since_signoff(opened, store, before, found, jobs)


def _day(said: str) -> date:
    try:
        return date.fromisoformat(said)
    except ValueError:
        raise UsageError(f"--date {said}: write a day as YYYY-MM-DD") from None


def _signoff(found: Review, called: str | None) -> SignOff:
    there = [one for one in found.signoffs if one.withdrawn is None]
    if called is not None:
        meant = [one for one in found.signoffs if one.id.startswith(called)]
        if len(meant) != 1:
            raise UsageError(f"{'no sign-off' if not meant else 'more than one sign-off'} begins with '{called}'")
        return meant[0]
    whole = [one for one in there if one.subject == since.STUDY]
    if not whole:
        raise NoBefore("nobody has signed off the whole study yet; name a revision (--rev), a lock (--lock) or another "
                       "sign-off (--signoff)")  # fmt: skip
    return whole[-1]


def values(made: Since) -> dict[str, Any]:
    """What changed as JSON values: {"since", "prompts", "findings", "scores", "stale", "unknown"}."""
    prompts = [
        {"what": lock_file.head(line.subject), "layer": line.subject.layer, "state": line.state,
         "differ": line.change.counted.differing if line.change else line.differ, "said": locked.said(line)}
        for line in made.lines
    ]  # fmt: skip
    return {
        "since": made.before,
        "prompts": prompts,
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
        yield f"Nothing changed since {made.before}."
    else:
        yield f"Since {made.before}:"
        yield f"{mark}{_prompts(made)}"
        for line in made.lines:
            yield f"  {mark}{lock_file.head(line.subject)}: {locked.said(line)}"
        if made.unsaid:
            yield f"  {mark}how the texts changed is not known: {made.unsaid}"
        yield f"{mark}findings: {len(made.new):,} new, {len(made.gone):,} gone, {made.still:,} as they were"
        yield from _listed(f"  {mark}", [*_findings("new", made.new), *_findings("gone", made.gone)])
        yield f"{mark}scores: {quantity(len(made.scores), 'mean')} moved" if made.scores else f"{mark}scores: the same"
        yield from _listed(f"  {mark}", [_moved(one) for one in made.scores])
        for one in made.stale:
            yield f"{mark}stale: {_signed(one)}"
    for why in made.unknown:
        yield f"{mark}{why}"


def _prompts(made: Since) -> str:
    if not made.lines:
        return "prompts: the same, byte for byte"
    sides = " (A is the text of then, B the text of now)" if any(line.change for line in made.lines) else ""
    return f"prompts: {quantity(len(made.lines), 'line')} of what is sent, read, learnt or judged changed{sides}"


def _listed(mark: str, lines: list[str]) -> Iterator[str]:
    yield from (f"{mark}{line}" for line in lines[:SHOWN])
    if (more := len(lines) - SHOWN) > 0:
        yield f"{mark}{more:,} more; --format json has all"


def _findings(state_: str, found: tuple[Seen, ...]) -> list[str]:
    """A line for each rule: what its first finding says, and how many more there are."""
    lines = []
    for (code, severity), these in groupby(found, lambda one: (one.code, one.severity)):
        first, *others = these
        more = f" (and {quantity(len(others), 'more place')})" if others else ""
        where = f", {first.where}" if first.where else ""
        lines.append(f"{state_}: {severity} {code}{where}: {first.said}{more}")
    return lines


def _moved(one: Moved) -> str:
    name = ", ".join(map(str, one.row["condition"].values()))
    judge = f", {one.row['judge']}" if one.row["judge"] else ""
    return f"{name}, {one.row['criterion']}{judge}: {_mean(one.then)} then, {_mean(one.now)} now"


def _mean(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "no score"
    if row["mean"] is None:
        return f"no mean (n {row['n']:,})"
    span = row["interval_used"]
    interval = f" ({span[0]:.3g} to {span[1]:.3g})" if span else ""
    return f"{row['mean']:.4g}{interval}, n {row['n']:,}"


def _signed(one: Decision | SignOff) -> str:
    what = "the sign-off" if isinstance(one, SignOff) else f"the decision to {one.verdict}"
    return f"{what} of {one.subject} by {one.by.author}, {one.by.time[:10]}, was made on other bytes"
