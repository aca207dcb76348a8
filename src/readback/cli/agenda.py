"""The command `readback agenda`: the items of a meeting, and changes of their list."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from readback import as_json
from readback.cli import UsageError, _lines, _options, _progress, _workspace
from readback.review import meeting, state
from readback.review.agenda import Agenda, Item
from readback.review.event import Draft, NotSaved, new_id
from readback.review.meeting import Meeting
from readback.review.state import Decision, Review
from readback.review.store import NotReadable, Store
from readback.words import t


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser, ("text", "json", "markdown"))
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--add", metavar="TEXT", help=t("cli.agenda.help_add"))
    one.add_argument("--drop", metavar="KEY", help=t("cli.agenda.help_drop"))
    one.add_argument("--restore", metavar="KEY", help=t("cli.agenda.help_restore"))
    one.add_argument("--move", metavar="KEY", help=t("cli.agenda.help_move"))
    one.add_argument("--undo", action="store_true", help=t("cli.agenda.help_undo"))
    parser.add_argument("--before", metavar="KEY", help=t("cli.agenda.help_before"))
    _options.author(parser)
    _options.jobs(parser)
    _options.quiet(parser)


def run(args: argparse.Namespace) -> int:
    if args.before is not None and args.move is None:
        raise UsageError(t("cli.agenda.before_alone"))
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
        raise UsageError(t("cli.options.not_saved", why=error) if isinstance(error, NotSaved) else str(error)) from None
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
            raise UsageError(t("cli.agenda.add_empty"))
        return {"do": "add", "text": args.add}
    if args.undo:
        if not found.agenda:
            raise UsageError(t("cli.agenda.nothing_to_undo"))
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
        raise UsageError(t("cli.agenda.before_itself"))
    return {"do": "move", "item": item, "before": before}


def _save(args: argparse.Namespace, store: Store, payload: dict[str, Any]) -> int:
    author = args.author or _options.account()
    saved = store.save(Draft("agenda", payload, author, "cli", args.key or new_id()))
    if args.format == "json":
        print(as_json.dumps({"id": saved.id, "sequence": saved.sequence}))
    else:
        print(t(f"cli.options.{'saved_before' if saved.again else 'saved'}", id=saved.id, sequence=saved.sequence))
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
        yield t("cli.agenda.empty")
    mark = "   - " if markdown else "   "
    for number, one in enumerate(there.items, 1):
        yield f"{number}. {one.said}"
        yield from (f"{mark}{fact}" for fact in one.facts)
        if (decided := there.decided.get(one.key)) is not None:
            said = {"verdict": decided.verdict, "author": decided.by.author, "reason": decided.reason}
            yield f"{mark}{t('cli.agenda.decided', **said)}"
        yield f"{mark}{t('cli.agenda.key', id=one.key)}"
    if there.dropped:
        keys = ", ".join(one.key for one in there.dropped)
        yield t("cli.agenda.dropped", n=len(there.dropped), keys=keys)
    if made.unsaid:
        yield t("cli.agenda.unsaid", why=made.unsaid)
