"""The command `readback agenda`: the items of a meeting, and changes of their list."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from readback import as_json
from readback.cli import UsageError, _lines, _options, _progress, _workspace
from readback.cli._sentence import fill
from readback.review import meeting, state
from readback.review.agenda import Agenda, Item
from readback.review.event import Draft, NotSaved, new_id
from readback.review.meeting import Meeting
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

SENTENCES_OPTIONS = {
    "saved": "saved: {id}, event {sequence:,}",
    "saved_before": "already saved: {id}, event {sequence:,}",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser, ("text", "json", "markdown"))
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--add", metavar="TEXT", help="add an item with this text")
    one.add_argument("--drop", metavar="KEY", help="take this item off the agenda")
    one.add_argument("--restore", metavar="KEY", help="put a dropped item back")
    one.add_argument("--move", metavar="KEY", help="move this item")
    one.add_argument("--undo", action="store_true", help="undo the last change of the agenda")
    parser.add_argument(
        "--before", metavar="KEY", help="with --move: the item to come before (default: move to the end)"
    )
    _options.author(parser)
    _options.jobs(parser)
    _options.quiet(parser)


def run(args: argparse.Namespace) -> int:
    if args.before is not None and args.move is None:
        raise UsageError("--before needs --move")
    opened = _workspace.opened(args)
    store = Store(opened.root)
    try:
        found = state.review(store.events())
        if args.add is not None or args.undo or args.restore is not None:
            return _save(args, store, _without_items(args, found))
        progress = _progress.Progress(args.quiet)
        args.stack.callback(progress.end)
        made = meeting.gathered(opened, store, datetime.now(UTC).date(), found, _options.workers(args), progress)
        progress.end()
        if args.drop is not None or args.move is not None:
            return _save(args, store, _with_items(args, made.agenda))
    except (NotSaved, NotReadable) as error:
        raise UsageError(fill("not saved: {why}", why=error) if isinstance(error, NotSaved) else str(error)) from None
    finally:
        store.close()
    if args.format == "json":
        print(as_json.dumps(values(made), indent=1))
    else:
        for line in told(made, args.format == "markdown"):
            print(_lines.safe(line))
    return 0


# Changing it.


def _without_items(args: argparse.Namespace, found: Review) -> dict[str, Any]:
    """The change that needs no look at the study. Raises UsageError."""
    if args.add is not None:
        if not args.add.strip():
            raise UsageError("--add has no text")
        return {"do": "add", "text": args.add}
    if args.undo:
        if not found.agenda:
            raise UsageError("nothing on the agenda was changed, so there is nothing to undo")
        return {"do": "undo", "step": found.agenda[-1].id}
    steps = [one for one in found.agenda if one.do == "drop"]
    dropped = _workspace.begins("dropped_item", args.restore, [(one.item, one) for one in steps])
    return {"do": "undo", "step": dropped.id}


def _with_items(args: argparse.Namespace, made: Agenda) -> dict[str, Any]:
    there = [(one.key, one) for one in made.items]
    item = _workspace.begins("item", args.drop if args.drop is not None else args.move, there).key
    if args.drop is not None:
        return {"do": "drop", "item": item}
    before = _workspace.begins("item", args.before, there).key if args.before is not None else ""
    if before == item:
        raise UsageError("--before names the item that is moved")
    return {"do": "move", "item": item, "before": before}


def _save(args: argparse.Namespace, store: Store, payload: dict[str, Any]) -> int:
    author = args.author or _options.account()
    saved = store.save(Draft("agenda", payload, author, "cli", args.key or new_id()))
    if args.format == "json":
        print(as_json.dumps({"id": saved.id, "sequence": saved.sequence}))
    else:
        print(fill(SENTENCES_OPTIONS["saved_before" if saved.again else "saved"], id=saved.id, sequence=saved.sequence))
    return 0


# Saying it.


def values(made: Meeting) -> dict[str, Any]:
    """{"items", "dropped", "unsaid"}; `decision` of an item is null where none is in force on it."""
    return {
        "items": [_value(one, made.agenda.decided.get(one.key)) for one in made.agenda.items],
        "dropped": [_value(one, made.agenda.decided.get(one.key)) for one in made.agenda.dropped],
        "unsaid": made.unsaid or None,
    }


def _value(one: Item, decided: Decision | None) -> dict[str, Any]:
    decision = {"verdict": decided.verdict, "reason": decided.reason, "author": decided.by.author,
                "time": decided.by.time} if decided else None  # fmt: skip
    return {"key": one.key, "kind": one.kind, "said": one.said, "facts": list(one.facts), "severity": one.severity,
            "subject": str(one.subject), "page": one.page or None, "asked": dict(one.asked),
            "findings": [each.key for each in one.findings], "decision": decision}  # fmt: skip


def told(made: Meeting, markdown: bool = False) -> Iterator[str]:
    """The agenda as lines of text, or of Markdown."""
    there = made.agenda
    if not there.items:
        yield "Nothing is on the agenda. To add an item: readback agenda WORKSPACE --add TEXT"
    mark = "   - " if markdown else "   "
    for number, one in enumerate(there.items, 1):
        yield f"{number}. {one.said}"
        yield from (f"{mark}{fact}" for fact in one.facts)
        if (decided := there.decided.get(one.key)) is not None:
            said = {"verdict": decided.verdict, "author": decided.by.author, "reason": decided.reason}
            yield (f"{mark}" + fill("decided: {verdict}, {author}: {reason}", **said))
        yield (f"{mark}" + fill("key: {id}", id=one.key))
    if there.dropped:
        keys = ", ".join(one.key for one in there.dropped)
        yield fill(
            "{n:,} {n:item|items} dropped ({keys}); --restore KEY puts one back", n=len(there.dropped), keys=keys
        )
    if made.unsaid:
        yield fill("What changed since the last sign-off is not known: {why}", why=made.unsaid)
