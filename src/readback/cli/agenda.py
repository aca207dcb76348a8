"""Run `readback agenda`: list the items of a meeting, or change the list."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from readback import as_json
from readback.cli import UsageError
from readback.cli.common import options
from readback.cli.common.lines import print_safe
from readback.cli.common.parser import Command
from readback.cli.common.review_lines import print_saved
from readback.cli.common.terminal import Progress, fill
from readback.cli.common.workspace import add_workspace_arguments, find_by_prefix, open_workspace
from readback.review import agenda, state
from readback.review.agenda import Agenda, Item, Meeting
from readback.review.event import Draft, NotSaved, new_id
from readback.review.state import Decision, Review
from readback.review.store import NotReadable, Store

TITLE = "List what a meeting should talk about, in its order, and change that list."
ABOUT = (
    "readback agenda WORKSPACE                 the items, each with its key, its proof and the decision"
    " on it\n"
    "readback agenda WORKSPACE --add TEXT      add an item of your own\n"
    "readback agenda WORKSPACE --drop KEY      take an item off the agenda; --restore KEY puts it back\n"
    "readback agenda WORKSPACE --move KEY --before KEY\n"
    "                                          move an item before another one (without --before: to the"
    " end)\n"
    "readback agenda WORKSPACE --undo          undo the last of these changes\n"
    "\n"
    "The agenda begins with what changed since the last sign-off. Then come planned comparisons that are"
    " not fair, errors\n"
    "and warnings by what they affect, scores that are unexpected or disputed, and open notes. The first"
    " characters of a\n"
    "KEY are enough. `readback review decide WORKSPACE --item KEY` saves a decision on an item.\n"
    "\n"
    "exit codes: 0 listed, or saved; 2 wrong use, or nothing was saved"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback agenda`."""
    add_workspace_arguments(parser, ("text", "json", "markdown"))
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--add", metavar="TEXT", help="add an item with this text")
    group.add_argument("--drop", metavar="KEY", help="take this item off the agenda")
    group.add_argument("--restore", metavar="KEY", help="put a dropped item back")
    group.add_argument("--move", metavar="KEY", help="move this item")
    group.add_argument("--undo", action="store_true", help="undo the last change of the agenda")
    parser.add_argument(
        "--before", metavar="KEY", help="with --move: the item to come before (default: move to the end)"
    )
    options.add_author(parser)
    options.add_jobs(parser)
    options.add_quiet(parser)


def run(args: argparse.Namespace) -> int:
    """List the agenda or save a change of it; return the exit code."""
    if args.before is not None and args.move is None:
        raise UsageError("--before needs --move")
    workspace = open_workspace(args)
    store = Store(workspace.root)
    try:
        review = state.build_review(store.events())
        if args.add is not None or args.undo or args.restore is not None:
            return _save(args, store, _build_simple_change(args, review))
        progress = Progress(args.quiet)
        args.stack.callback(progress.end)
        today = datetime.now(UTC).date()
        result = agenda.gather_meeting(workspace, store, today, review, options.read_jobs(args), progress)
        progress.end()
        if args.drop is not None or args.move is not None:
            return _save(args, store, _build_item_change(args, result.agenda))
    except NotSaved as error:
        raise UsageError(fill("not saved: {why}", why=error)) from None
    except NotReadable as error:
        raise UsageError(str(error)) from None
    finally:
        store.close()
    if args.format == "json":
        print(as_json.dumps(_build_json(result), indent=1))
    else:
        for line in _format_lines(result, args.format == "markdown"):
            print_safe(line)
    return 0


COMMANDS = {"agenda": Command(TITLE, ABOUT, add_arguments, run)}


# Changing the agenda.


def _build_simple_change(args: argparse.Namespace, review: Review) -> dict[str, Any]:
    """Return a change for which nobody needs to look at the study. Raises UsageError."""
    if args.add is not None:
        if not args.add.strip():
            raise UsageError("--add has no text")
        return {"do": "add", "text": args.add}
    if args.undo:
        if not review.agenda:
            raise UsageError("nothing on the agenda was changed, so there is nothing to undo")
        return {"do": "undo", "step": review.agenda[-1].id}
    drops = [(step.item, step) for step in review.agenda if step.do == "drop"]
    return {"do": "undo", "step": find_by_prefix("dropped item", args.restore, drops).id}


def _build_item_change(args: argparse.Namespace, agenda: Agenda) -> dict[str, Any]:
    """Return a change of an item that is on the agenda. Raises UsageError."""
    items = [(item.key, item) for item in agenda.items]
    if args.drop is not None:
        return {"do": "drop", "item": find_by_prefix("item of the agenda", args.drop, items).key}
    key = find_by_prefix("item of the agenda", args.move, items).key
    before = ""
    if args.before is not None:
        before = find_by_prefix("item of the agenda", args.before, items).key
    if before == key:
        raise UsageError("--before names the item that is moved")
    return {"do": "move", "item": key, "before": before}


def _save(args: argparse.Namespace, store: Store, payload: dict[str, Any]) -> int:
    author = options.read_author(args)
    print_saved(args, store.save(Draft("agenda", payload, author, "cli", args.key or new_id())))
    return 0


# Printing the agenda.


def _build_json(result: Meeting) -> dict[str, Any]:
    """Return {"items", "dropped", "unsaid"}; `decision` of an item is None where none is in force on it."""
    decisions = result.agenda.decided
    return {
        "items": [_build_item(item, decisions.get(item.key)) for item in result.agenda.items],
        "dropped": [_build_item(item, decisions.get(item.key)) for item in result.agenda.dropped],
        "unsaid": result.unsaid or None,
    }


def _build_item(item: Item, decision: Decision | None) -> dict[str, Any]:
    decision_json = None
    if decision:
        decision_json = {
            "verdict": decision.verdict,
            "reason": decision.reason,
            "author": decision.by.author,
            "time": decision.by.time,
        }
    return {
        "key": item.key,
        "kind": item.kind,
        "said": item.sentence,
        "facts": list(item.facts),
        "severity": item.severity,
        "subject": str(item.subject),
        "page": item.page or None,
        "asked": dict(item.query),
        "findings": [finding.key for finding in item.findings],
        "decision": decision_json,
    }


def _format_lines(result: Meeting, markdown: bool) -> Iterator[str]:
    """Yield the agenda as lines of text, or of Markdown."""
    agenda = result.agenda
    if not agenda.items:
        yield "Nothing is on the agenda. To add an item: readback agenda WORKSPACE --add TEXT"
    indent = "   - " if markdown else "   "
    for number, item in enumerate(agenda.items, 1):
        yield f"{number}. {item.sentence}"
        yield from (f"{indent}{fact}" for fact in item.facts)
        decision = agenda.decided.get(item.key)
        if decision is not None:
            yield f"{indent}decided: {decision.verdict}, {decision.by.author}: {decision.reason}"
        yield f"{indent}key: {item.key}"
    if agenda.dropped:
        keys = ", ".join(item.key for item in agenda.dropped)
        yield fill(
            "{n:,} {n:item|items} dropped ({keys}); --restore KEY puts one back", n=len(agenda.dropped), keys=keys
        )
    if result.unsaid:
        yield fill("What changed since the last sign-off is not known: {why}", why=result.unsaid)
