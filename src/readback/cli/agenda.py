"""Say what a meeting should talk about, in which order, and arrange it.

readback agenda WORKSPACE                 the items, each with its key, why, and what was decided on it
readback agenda WORKSPACE --add TEXT      put something on it
readback agenda WORKSPACE --drop KEY      take an item off it; --restore KEY puts it back
readback agenda WORKSPACE --move KEY --before KEY
                                          talk about one before another (without --before: last)
readback agenda WORKSPACE --undo          take the last of these changes back

It begins with what changed since the last sign-off; then come planned comparisons that are not fair, errors and
warnings by what they touch, scores that surprise or are disputed, and notes that are open. A KEY may be shortened to
its beginning. `readback review decide WORKSPACE --item KEY` decides on an item.

exit codes: 0 said, or saved; 2 wrong use, or nothing was saved
"""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from readback import as_json
from readback.cli import UsageError, _lines, _options, _workspace
from readback.quantity import quantity
from readback.review import meeting, state
from readback.review.agenda import Agenda, Item
from readback.review.event import Draft, NotSaved, new_id
from readback.review.meeting import Meeting
from readback.review.state import Decision, Review
from readback.review.store import NotReadable, Store


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser, ("text", "json", "markdown"))
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--add", metavar="TEXT", help="put this on the agenda")
    one.add_argument("--drop", metavar="KEY", help="take this item off")
    one.add_argument("--restore", metavar="KEY", help="put a dropped item back")
    one.add_argument("--move", metavar="KEY", help="talk about this item at another time")
    one.add_argument("--undo", action="store_true", help="take the last change of the agenda back")
    parser.add_argument("--before", metavar="KEY", help="with --move: before this one (default: last)")
    parser.add_argument("--as", dest="author", metavar="NAME", help="who writes (default: the name of the account)")
    parser.add_argument("--key", metavar="ID", help="an id for this change: saved again with it, it is saved once")
    _options.jobs(parser)


def run(args: argparse.Namespace) -> int:
    if args.before is not None and args.move is None:
        raise UsageError("--before goes with --move")
    opened = _workspace.opened(args)
    store = Store(opened.root)
    try:
        found = state.review(store.events())
        if args.add is not None or args.undo or args.restore is not None:
            return _save(args, store, _without_items(args, found))
        made = meeting.gathered(opened, store, datetime.now(UTC).date(), found, _options.workers(args))
        if args.drop is not None or args.move is not None:
            return _save(args, store, _with_items(args, made.agenda))
    except (NotSaved, NotReadable) as error:
        raise UsageError(f"{'not saved: ' if isinstance(error, NotSaved) else ''}{error}") from None
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
            raise UsageError("--add is empty, so there is nothing to put on the agenda")
        return {"do": "add", "text": args.add}
    if args.undo:
        if not found.agenda:
            raise UsageError("nobody has changed the agenda, so there is nothing to take back")
        return {"do": "undo", "step": found.agenda[-1].id}
    steps = [one for one in found.agenda if one.do == "drop"]
    return {"do": "undo", "step": _one(args.restore, [(one.item, one) for one in steps], "dropped item").id}


def _with_items(args: argparse.Namespace, made: Agenda) -> dict[str, Any]:
    there = [(one.key, one) for one in made.items]
    item = _one(args.drop if args.drop is not None else args.move, there, "item").key
    if args.drop is not None:
        return {"do": "drop", "item": item}
    before = _one(args.before, there, "item").key if args.before is not None else ""
    if before == item:
        raise UsageError("--before names the item itself")
    return {"do": "move", "item": item, "before": before}


def _one(called: str, there: list[tuple[str, Any]], what: str) -> Any:
    """The one whose key is, or begins with, what was called. Raises UsageError."""
    exact = [one for key, one in there if key == called]
    meant = exact[-1:] or [one for key, one in there if called and key.startswith(called)]
    if len(meant) != 1:
        raise UsageError(f"{f'no {what}' if not meant else f'more than one {what}'} begins with '{called}'")
    return meant[0]


def _save(args: argparse.Namespace, store: Store, payload: dict[str, Any]) -> int:
    try:
        author = args.author or getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("this account has no name; say who writes with --as NAME") from None
    saved = store.save(Draft("agenda", payload, author, "cli", args.key or new_id()))
    if args.format == "json":
        print(as_json.dumps({"id": saved.id, "sequence": saved.sequence}))
    else:
        print(f"saved{' before' if saved.again else ''}: {saved.id}, event {saved.sequence}")
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
        yield "Nothing is on the agenda: readback agenda WORKSPACE --add TEXT puts something on it."
    for number, one in enumerate(there.items, 1):
        yield f"{number}. {one.said}"
        yield from (f"   {'- ' if markdown else ''}{fact}" for fact in one.facts)
        if (decided := there.decided.get(one.key)) is not None:
            yield f"   {'- ' if markdown else ''}decided: {decided.verdict}, {decided.by.author}: {decided.reason}"
        yield f"   {'- ' if markdown else ''}key: {one.key}"
    if there.dropped:
        keys = ", ".join(one.key for one in there.dropped)
        yield f"{quantity(len(there.dropped), 'item')} dropped ({keys}); --restore KEY puts one back"
    if made.unsaid:
        yield f"What changed since the last sign-off cannot be said: {made.unsaid}"
