"""The command `readback review`: its steps, which save events of a review or list them."""

from __future__ import annotations

import argparse
import getpass
import json
import re
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal

from readback import as_json
from readback.cli import UsageError, _lines, _options, _review_lines, _workspace
from readback.compare.side import SideError
from readback.compare.sides import show_side
from readback.exporting.whole_file import whole_file
from readback.quantity import quantity
from readback.review import exchange, meeting, renamed, signing, state, under
from readback.review.agenda import Item
from readback.review.event import Draft, Kind, NotSaved, new_id
from readback.review.leaves import NothingToLock
from readback.review.state import ANCHOR, Note, SignOff
from readback.review.store import NotReadable, Saved, Store
from readback.review.subject import UnknownSubject
from readback.review.subject import as_json as subject_json
from readback.review.subject import read as subject
from readback.types import Workspace

SPAN = re.compile(r"(\d+)-(\d+)")
DUE = re.compile(r"\d{4}-\d{2}-\d{2}")
ANCHORS = (
    "condition",
    "mode",
    "layer",
    "record",
    "role",
    "message",
    "quote",
    "finding-key",
    "a",
    "b",
    "criterion",
    "judge",
    "adapter",
    "task",
)
KINDS = ("finding", "score", "record", "condition", "message", "difference", "chart", "study")


def arguments(parser: argparse.ArgumentParser) -> None:
    steps = parser.add_subparsers(metavar="STEP", required=True, dest="step")
    for name, (title, add) in STEPS.items():
        one = steps.add_parser(name, help=title, description=title)
        _workspace.add(one)
        add(one)


def _who(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--as", dest="author", metavar="NAME", help="who writes (default: the name of the account)")
    parser.add_argument("--key", metavar="ID", help="an id for this draft: saved again with it, it is saved once")


def _note(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--text", required=True, metavar="T", help="what is to be kept; - reads it from standard input")
    parser.add_argument("--kind", choices=KINDS, help="what the note is on (default: by what else is named)")
    for name in ANCHORS:
        parser.add_argument(f"--{name}", metavar=name[:1].upper(), help=f"the {name.replace('-', ' ')} that it is on")
    parser.add_argument("--span", metavar="A-B", help="from the character A up to B of that text, counted from 0")
    parser.add_argument("--owner", metavar="NAME", default="", help="who looks after it")
    parser.add_argument("--due", metavar="DATE", default="", help="until when: YYYY-MM-DD")
    _who(parser)


def _answer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--note", required=True, metavar="ID", help="the note that is answered")
    parser.add_argument("--text", required=True, metavar="T", help="the answer; - reads it from standard input")
    _who(parser)


def _edit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--note", required=True, metavar="ID", help="the note that is changed")
    parser.add_argument("--text", metavar="T", help="its new text; - reads it from standard input")
    parser.add_argument("--owner", metavar="NAME", help="who looks after it now; '' for nobody")
    parser.add_argument("--due", metavar="DATE", help="until when: YYYY-MM-DD; '' for no day")
    _who(parser)


def _close(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--note", required=True, metavar="ID", help="the note that is settled")
    parser.add_argument("--reopen", action="store_true", help="it is open again")
    _who(parser)


SUBJECT = "study, condition:NAME, mode:NAME, comparison:A|B"


def _subject(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--subject", required=True, metavar="S", help=SUBJECT)
    _who(parser)


def _decide(parser: argparse.ArgumentParser) -> None:
    about = parser.add_mutually_exclusive_group(required=True)
    about.add_argument("--subject", metavar="S", help=SUBJECT)
    about.add_argument("--item", metavar="KEY", help="the item of the agenda that is decided on, by its key")
    _who(parser)
    verdict = parser.add_mutually_exclusive_group(required=True)
    for name in state.VERDICTS:
        verdict.add_argument(f"--{name}", dest="verdict", action="store_const", const=name)
    parser.add_argument("--reason", required=True, metavar="R", help="why")
    parser.add_argument("--agenda", action="store_true", help="it was on the agenda")


def _sign(parser: argparse.ArgumentParser) -> None:
    _subject(parser)
    _options.jobs(parser)


def _withdraw(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--signoff", required=True, metavar="ID", help="the sign-off that is taken back")
    _who(parser)


def _list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--unchecked", action="store_true", help="do not look whether sign-offs are stale")
    parser.add_argument("--fail-on-stale", action="store_true", help="exit 1 when a sign-off is stale")
    _options.jobs(parser)


def _nothing(parser: argparse.ArgumentParser) -> None:
    """A step without options of its own."""


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="where to; there whole or not at all")


def _import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="what `readback review export` wrote")


STEPS = {
    "note": ("Save a note.", _note),
    "answer": ("Answer a note.", _answer),
    "edit": ("Change a note's text, owner or day; what it was before is kept.", _edit),
    "close": ("Settle a note.", _close),
    "decide": ("Save a decision on a subject.", _decide),
    "sign": ("Stand for a subject, on the bytes that it comes to now.", _sign),
    "withdraw": ("Take a sign-off back.", _withdraw),
    "list": ("Notes, decisions and sign-offs, and whether these still hold.", _list),
    "verify": ("Say whether every event is what was saved.", _nothing),
    "export": ("Write the whole review to a file.", _export),
    "adopt": ("Take over the review that the folder had under its former path.", _nothing),
    "import": ("Take over the events of a file that continues this review.", _import),
}


def run(args: argparse.Namespace) -> int:
    opened = _workspace.opened(args)
    store = Store(opened.root)
    try:
        return {"list": _listed, "verify": _verified, "export": _exported, "import": _imported, "adopt": _adopted}.get(
            args.step, _saved
        )(args, opened, store)
    except (NotSaved, NotReadable) as error:
        raise UsageError(f"{'not saved: ' if isinstance(error, NotSaved) else ''}{error}") from None
    except (UnknownSubject, NothingToLock) as error:
        raise UsageError(str(error)) from None
    finally:
        store.close()


# Saving.


def _saved(args: argparse.Namespace, opened: Workspace, store: Store) -> int:
    kind, payload, texts = _drafted(args, opened, store)
    author = args.author or _account()
    saved = store.save(Draft(kind, payload, author, "cli", args.key or new_id()), texts)
    _tell(args, saved)
    return 0


def _drafted(
    args: argparse.Namespace, opened: Workspace, store: Store
) -> tuple[Kind, dict[str, Any], dict[str, bytes]]:
    """Kind and payload of what is to be saved, and the texts it names. Raises UsageError and what `run` tells."""
    if args.step == "note":
        on = _on(opened, _anchor(args))
        given = {"text": _text(args.text), "anchor": dict(on.anchor), "kept": on.sha,
                 "owner": args.owner, "due": _due(args.due)}  # fmt: skip
        return "note", {name: value for name, value in given.items() if value}, dict(on.texts)
    if args.step == "answer":
        return "answer", {"note": _known(store, args.note, "note").id, "text": _text(args.text)}, {}
    if args.step == "edit":
        return "edit", {"note": _known(store, args.note, "note").id, **_edited(args)}, {}
    if args.step == "close":
        called = _known(store, args.note, "note").id
        return "edit", {"note": called, "standing": "open" if args.reopen else "closed"}, {}
    if args.step == "withdraw":
        return "edit", {"signoff": _known(store, args.signoff, "sign-off").id, "withdrawn": True}, {}
    item = _item(args, opened, store) if args.step == "decide" and args.item else None
    about = item.subject if item else subject(opened, args.subject)
    if args.step == "decide":
        made_on = signing.mark(opened, about)
        said = {"subject": subject_json(about), "verdict": args.verdict, "reason": args.reason, "agenda": args.agenda}
        said |= {"item": item.key, "on": item.said} if item else {}
        return "decision", {**said, **made_on.payload}, dict(made_on.texts)
    kept = signing.keep(opened, about, jobs=_options.workers(args))
    return "signoff", dict(kept.payload), dict(kept.texts)


def _item(args: argparse.Namespace, opened: Workspace, store: Store) -> Item:
    """The item of the agenda with that key, or the beginning of one. Raises UsageError."""
    there = meeting.gathered(opened, store, datetime.now(UTC).date()).agenda.items
    meant = [one for one in there if one.key == args.item] or [one for one in there if one.key.startswith(args.item)]
    if len(meant) != 1:
        raise UsageError(f"{'no item' if not meant else 'more than one item'} of the agenda begins with '{args.item}'")
    return meant[0]


def _text(said: str) -> str:
    """What was typed, byte for byte; - is what standard input holds."""
    text = sys.stdin.read() if said == "-" else said
    if not text.strip():
        raise UsageError("--text is empty, so there is nothing to save")
    return text


def _anchor(args: argparse.Namespace) -> dict[str, Any]:
    """What a note is on. Raises UsageError for a span that is none."""
    made: dict[str, Any] = {}
    for name in ANCHORS:
        if (value := getattr(args, name.replace("-", "_"))) is not None:
            made[name.replace("-", "_")] = value
    if made.get("message") is not None:
        if not str(made["message"]).isdecimal():
            raise UsageError(f"--message {made['message']}: give its number, from 0")
        made["message"] = int(made["message"])
    if args.span is not None:
        found = SPAN.fullmatch(args.span)
        if not found or int(found[1]) > int(found[2]):
            raise UsageError(f"--span {args.span}: write A-B, two numbers of characters, the first not the larger")
        made |= {"start": int(found[1]), "end": int(found[2])}
    kind = args.kind or _kind(made)
    return {name: value for name, value in {"kind": kind, **made}.items() if name in ANCHOR}


def _on(opened: Workspace, anchor: dict[str, Any]) -> under.Kept:
    """The anchor with the text it is on, where it is on one. Raises UsageError for a text that is not there."""
    asked = under.side(anchor)
    if asked is None:
        if "start" in anchor or "message" in anchor:
            raise UsageError("a message or a span is of one record; name it with --record")
        return under.Kept(anchor, "", {})
    try:
        return under.kept(anchor, show_side(opened, asked))
    except (SideError, under.NoSuchText) as error:
        raise UsageError(str(error)) from None


def _kind(made: dict[str, Any]) -> str:
    """What a note is on, by what it names."""
    names = (("finding_key", "finding"), ("criterion", "score"), ("a", "difference"), ("start", "message"),
             ("role", "message"), ("record", "record"), ("condition", "condition"))  # fmt: skip
    return next((kind for name, kind in names if name in made), "study")


def _due(said: str) -> str:
    if said and not (DUE.fullmatch(said) and _is_day(said)):
        raise UsageError(f"--due {said}: write a day as YYYY-MM-DD")
    return said


def _is_day(said: str) -> bool:
    try:
        date.fromisoformat(said)
    except ValueError:
        return False
    return True


def _edited(args: argparse.Namespace) -> dict[str, Any]:
    """What an edit replaces. Raises UsageError where that is nothing."""
    given = {"text": _text(args.text) if args.text is not None else None, "owner": args.owner,
             "due": _due(args.due) if args.due is not None else None}  # fmt: skip
    found = {name: value for name, value in given.items() if value is not None}
    if not found:
        raise UsageError("say what is to be another: --text, --owner or --due")
    return found


def _known(store: Store, called: str, what: Literal["note", "sign-off"]) -> Note | SignOff:
    """The note or sign-off of an id, or of its first characters. Raises UsageError."""
    found = state.review(store.events())
    there: tuple[Note | SignOff, ...] = found.notes if what == "note" else found.signoffs
    meant = [one for one in there if one.id.startswith(called)]
    if len(meant) != 1:
        raise UsageError(f"{f'no {what}' if not meant else f'more than one {what}'} begins with '{called}'")
    return meant[0]


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("this account has no name; say who writes with --as NAME") from None


def _tell(args: argparse.Namespace, saved: Saved) -> None:
    if args.format == "json":
        print(as_json.dumps({"id": saved.id, "sequence": saved.sequence}))
    else:
        print(f"saved{' before' if saved.again else ''}: {saved.id}, event {saved.sequence}")


# Reading.


def _listed(args: argparse.Namespace, opened: Workspace, store: Store) -> int:
    found, broken = state.review(store.events()), store.broken()
    jobs = _options.workers(args)
    held = {one.id: signing.standing(opened, store, one, jobs=jobs) for one in found.signoffs
            if not args.unchecked and one.withdrawn is None}  # fmt: skip
    since = {note.id: one for note in found.notes if not args.unchecked
             and (one := under.changed(opened, note, store.content(note.kept) if note.kept else None))}  # fmt: skip
    if args.format == "json":
        values = _review_lines.values(found, held, since)
        print(as_json.dumps({**values, "sequence": found.sequence, "broken": _review_lines.broken(broken)}, indent=1))
    else:
        if broken:
            print(_lines.safe(f"the chain is broken at event {broken.sequence}: {broken.why}"))
        for line in _review_lines.told(found, held, since):
            print(_lines.safe(line))
        if not found.sequence and (before := renamed.former(opened.root)):
            events = quantity(before.events, "event")
            print(
                _lines.safe(
                    f"{before.path}, which is gone, had a review ({events}): readback review adopt takes it over"
                )
            )
    return int(args.fail_on_stale and any(one.stale or one.unread for one in held.values()))


def _verified(args: argparse.Namespace, opened: Workspace, store: Store) -> int:
    broken, count = store.broken(), store.sequence()
    if args.format == "json":
        print(as_json.dumps({"events": count, "broken": _review_lines.broken(broken)}))
    elif broken:
        print(_lines.safe(f"the chain is broken at event {broken.sequence}: {broken.why}"))
    else:
        print(f"{quantity(count, 'event')}, each as it was saved")
    return int(broken is not None)


def _exported(args: argparse.Namespace, opened: Workspace, store: Store) -> int:
    try:
        with whole_file(Path(args.output)) as out:
            count = exchange.write(store, out)
    except OSError as error:
        raise UsageError(f"-o {args.output}: {(error.strerror or str(error)).lower()}") from None
    print(json.dumps({"events": count}) if args.format == "json" else f"{args.output}: {quantity(count, 'event')}")
    return 0


def _adopted(args: argparse.Namespace, opened: Workspace, store: Store) -> int:
    found = renamed.former(opened.root)
    if found is None:
        raise UsageError(
            "no review of a folder that is gone can be this one's: none has its name or its place on the disk"
        )
    renamed.adopt(opened.root, found)
    said = f"taken over: {quantity(found.events, 'event')} of {found.path}"
    print(as_json.dumps({"events": found.events, "path": found.path}) if args.format == "json" else _lines.safe(said))
    return 0


def _imported(args: argparse.Namespace, opened: Workspace, store: Store) -> int:
    try:
        with Path(args.file).open("rb") as file:
            added = exchange.take(store, file)
    except OSError as error:
        raise UsageError(f"{args.file}: {(error.strerror or str(error)).lower()}") from None
    print(json.dumps({"added": added}) if args.format == "json" else f"{quantity(added, 'event')} added")
    return 0
