"""The command `readback review`: its steps, which save events of a review or list them."""

from __future__ import annotations

import argparse
import json
import re
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal

from readback import as_json
from readback.cli import UsageError, _lines, _options, _progress, _review_lines, _workspace
from readback.cli._sentence import fill
from readback.compare.side import SideError
from readback.compare.sides import show_side
from readback.exporting.whole_file import whole_file
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

TITLE = "Keep notes, decisions and sign-offs on a workspace, and check whether signed prompts have changed."
ABOUT = (
    "  note WORKSPACE --text T            save a note on what --condition, --record, --span and the like"
    " name\n"
    "  answer WORKSPACE --note ID --text T\n"
    "  edit WORKSPACE --note ID [--text T] [--owner NAME] [--due DATE]\n"
    "  close WORKSPACE --note ID          close a note; --reopen opens it again\n"
    "  decide WORKSPACE --subject S --accept | --change | --defer --reason R\n"
    "                                     or --item KEY in place of --subject: an item of `readback"
    " agenda`\n"
    "  sign WORKSPACE --subject S --as NAME\n"
    "                                     sign off a subject: a hash of every text that is sent, trained"
    " on or shown to a\n"
    "                                     judge is kept, and the configuration files\n"
    "  withdraw WORKSPACE --signoff ID    withdraw a sign-off; it stays in the list as withdrawn\n"
    "  list WORKSPACE                     list all of these, and which sign-offs are stale (exit 1 with"
    " --fail-on-stale)\n"
    "  verify WORKSPACE                   check that every event is as it was saved (exit 1 where one is"
    " not)\n"
    "  export WORKSPACE -o FILE, import WORKSPACE FILE\n"
    "  adopt WORKSPACE                    take over the review that the folder had before it was renamed"
    " or moved\n"
    "\n"
    "A subject is study, condition:NAME, mode:NAME or comparison:A|B. Reviews are kept in READBACK_STATE,"
    " or in\n"
    "~/.local/state/readback. The author is the NAME of --as, else the name of the account.\n"
    "\n"
    "exit codes: 0 saved, or nothing is wrong; 1 a broken chain, or a stale sign-off; 2 wrong use, or"
    " nothing was saved"
)

SENTENCES_REVIEW = {
    "note": "Save a note.",
    "answer": "Answer a note.",
    "edit": "Change the text, owner or day of a note; the earlier ones are kept.",
    "close": "Close a note.",
    "decide": "Save a decision on a subject.",
    "sign": "Sign off a subject, on its bytes of now.",
    "withdraw": "Withdraw a sign-off.",
    "list": "List notes, decisions and sign-offs, and which sign-offs are stale.",
    "verify": "Check that every event is as it was saved.",
    "export": "Write the whole review to a file.",
    "adopt": "Take over the review that the folder had under its former path.",
    "import": "Add the events of a file that continues this review.",
    "broken": "the chain of events is broken at event {sequence:,}: {why}",
    "former": (
        "{folder}, which no longer exists, had a review ({n:,} {n:event|events}); readback review adopt takes it over"
    ),
    "former_unsure": (
        "{folder}, which no longer exists, had a review ({n:,} {n:event|events}); "
        "whether it had the files of this folder cannot be told; readback review adopt "
        "takes it over"
    ),
    "by_asked": "name as given",
    "by_proxy": "known by the proxy",
    "by_imported": "imported",
    "by_cli": "command line",
    "help_accept": "the subject stays as it is",
    "help_change": "the subject has to be changed",
    "help_defer": "the decision is put off",
    "help_text": "the text of the note; - reads it from standard input",
    "help_kind": "what kind of thing the note is on (default: by the other options)",
    "help_owner": "the person who is responsible for the note",
    "help_due": "the day until which it is to be done: YYYY-MM-DD",
    "help_answer": "the answer; - reads it from standard input",
    "help_subject": "study, condition:NAME, mode:NAME or comparison:A|B",
    "help_item": "the item of the agenda to decide on, by its key",
    "help_reason": "the reason",
    "help_agenda": "the subject was on the agenda",
    "help_signoff": "the sign-off to withdraw",
    "help_file": "a file that `readback review export` wrote",
    "help_on_condition": "the condition that the note is on",
    "help_on_mode": "the mode that the note is on",
    "help_on_layer": "the layer that the note is on",
    "help_on_record": "the record that the note is on",
    "help_on_role": "the role of the message that the note is on",
    "help_on_message": "the number of the message that the note is on, counted from 0",
    "help_on_quote": "the quoted text that the note is on",
    "help_on_finding-key": "the key of the finding that the note is on",
    "help_on_a": "the first condition of the comparison that the note is on",
    "help_on_b": "the second condition of the comparison that the note is on",
    "help_on_criterion": "the criterion that the note is on",
    "help_on_judge": "the judge that the note is on",
    "help_on_adapter": "the adapter that the note is on",
    "help_on_task": "the task that the note is on",
}
SENTENCES_OPTIONS = {
    "saved": "saved: {id}, event {sequence:,}",
    "saved_before": "already saved: {id}, event {sequence:,}",
}

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
    for name, add in STEPS.items():
        title = SENTENCES_REVIEW[name]
        one = steps.add_parser(name, help=title, description=title)
        _workspace.add(one)
        add(one)


def _note(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--text", required=True, metavar="T", help="the text of the note; - reads it from standard input"
    )
    parser.add_argument(
        "--kind", choices=KINDS, help="what kind of thing the note is on (default: by the other options)"
    )
    for name in ANCHORS:
        parser.add_argument(f"--{name}", metavar=name[:1].upper(), help=SENTENCES_REVIEW[f"help_on_{name}"])
    parser.add_argument("--span", metavar="A-B", help="the characters of that text from A up to B, counted from 0")
    parser.add_argument("--owner", metavar="NAME", default="", help="the person who is responsible for the note")
    parser.add_argument("--due", metavar="DATE", default="", help="the day until which it is to be done: YYYY-MM-DD")
    _options.author(parser)


def _answer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--note", required=True, metavar="ID", help="the note to answer")
    parser.add_argument("--text", required=True, metavar="T", help="the answer; - reads it from standard input")
    _options.author(parser)


def _edit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--note", required=True, metavar="ID", help="the note to change")
    parser.add_argument("--text", metavar="T", help="the new text; - reads it from standard input")
    parser.add_argument("--owner", metavar="NAME", help="the person who is now responsible; '' for nobody")
    parser.add_argument("--due", metavar="DATE", help="the day until which it is to be done: YYYY-MM-DD; '' for no day")
    _options.author(parser)


def _close(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--note", required=True, metavar="ID", help="the note to close")
    parser.add_argument("--reopen", action="store_true", help="open the note again")
    _options.author(parser)


def _subject(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--subject", required=True, metavar="S", help="study, condition:NAME, mode:NAME or comparison:A|B"
    )
    _options.author(parser)


def _decide(parser: argparse.ArgumentParser) -> None:
    about = parser.add_mutually_exclusive_group(required=True)
    about.add_argument("--subject", metavar="S", help="study, condition:NAME, mode:NAME or comparison:A|B")
    about.add_argument("--item", metavar="KEY", help="the item of the agenda to decide on, by its key")
    _options.author(parser)
    verdict = parser.add_mutually_exclusive_group(required=True)
    for name in state.VERDICTS:
        said = SENTENCES_REVIEW[f"help_{name}"]
        verdict.add_argument(f"--{name}", dest="verdict", action="store_const", const=name, help=said)
    parser.add_argument("--reason", required=True, metavar="R", help="the reason")
    parser.add_argument("--agenda", action="store_true", help="the subject was on the agenda")


def _sign(parser: argparse.ArgumentParser) -> None:
    _subject(parser)
    _options.jobs(parser)
    _options.quiet(parser)


def _withdraw(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--signoff", required=True, metavar="ID", help="the sign-off to withdraw")
    _options.author(parser)


def _list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--unchecked", action="store_true", help="do not check whether sign-offs are stale")
    parser.add_argument("--fail-on-stale", action="store_true", help="exit with 1 when a sign-off is stale")
    _options.jobs(parser)
    _options.quiet(parser)


def _nothing(parser: argparse.ArgumentParser) -> None:
    """A step without options of its own."""


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="the file to write; an existing file is replaced only when the new one is complete",
    )


def _import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a file that `readback review export` wrote")


STEPS = {
    "note": _note,
    "answer": _answer,
    "edit": _edit,
    "close": _close,
    "decide": _decide,
    "sign": _sign,
    "withdraw": _withdraw,
    "list": _list,
    "verify": _nothing,
    "export": _export,
    "adopt": _nothing,
    "import": _import,
}


def run(args: argparse.Namespace) -> int:
    opened = _workspace.opened(args)
    store = Store(opened.root)
    try:
        return {"list": _listed, "verify": _verified, "export": _exported, "import": _imported, "adopt": _adopted}.get(
            args.step, _saved
        )(args, opened, store)
    except (NotSaved, NotReadable) as error:
        raise UsageError(fill("not saved: {why}", why=error) if isinstance(error, NotSaved) else str(error)) from None
    except (UnknownSubject, NothingToLock) as error:
        raise UsageError(str(error)) from None
    finally:
        store.close()


# Saving.


def _saved(args: argparse.Namespace, opened: Workspace, store: Store) -> int:
    kind, payload, texts = _drafted(args, opened, store)
    author = args.author or _options.account()
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
        return "edit", {"signoff": _known(store, args.signoff, "signoff").id, "withdrawn": True}, {}
    item = _item(args, opened, store) if args.step == "decide" and args.item else None
    about = item.subject if item else subject(opened, args.subject)
    if args.step == "decide":
        made_on = signing.mark(opened, about)
        said = {"subject": subject_json(about), "verdict": args.verdict, "reason": args.reason, "agenda": args.agenda}
        said |= {"item": item.key, "on": item.said} if item else {}
        return "decision", {**said, **made_on.payload}, dict(made_on.texts)
    progress = _progress.Progress(args.quiet)
    args.stack.callback(progress.end)
    kept = signing.keep(opened, about, progress, _options.workers(args))
    progress.end()
    return "signoff", dict(kept.payload), dict(kept.texts)


def _item(args: argparse.Namespace, opened: Workspace, store: Store) -> Item:
    """The item of the agenda with that key, or the beginning of one. Raises UsageError."""
    there = meeting.gathered(opened, store, datetime.now(UTC).date()).agenda.items
    return _workspace.begins("item", args.item, [(one.key, one) for one in there])


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
            raise UsageError(
                fill("--message {given}: give the number of a message, counted from 0", given=made["message"])
            )
        made["message"] = int(made["message"])
    if args.span is not None:
        found = SPAN.fullmatch(args.span)
        if not found or int(found[1]) > int(found[2]):
            raise UsageError(
                fill("--span {given}: write A-B, two numbers of characters, the smaller one first", given=args.span)
            )
        made |= {"start": int(found[1]), "end": int(found[2])}
    kind = args.kind or _kind(made)
    return {name: value for name, value in {"kind": kind, **made}.items() if name in ANCHOR}


def _on(opened: Workspace, anchor: dict[str, Any]) -> under.Kept:
    """The anchor with the text it is on, where it is on one. Raises UsageError for a text that is not there."""
    asked = under.side(anchor)
    if asked is None:
        if "start" in anchor or "message" in anchor:
            raise UsageError("--message and --span need one record; name it with --record")
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
        raise UsageError(fill("--due {given}: write a day as YYYY-MM-DD", given=said))
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
        raise UsageError("give what to change: --text, --owner or --due")
    return found


def _known(store: Store, called: str, what: Literal["note", "signoff"]) -> Note | SignOff:
    """The note or sign-off of an id, or of its first characters. Raises UsageError."""
    found = state.review(store.events())
    there: tuple[Note | SignOff, ...] = found.notes if what == "note" else found.signoffs
    return _workspace.begins(what, called, [(one.id, one) for one in there])


def _tell(args: argparse.Namespace, saved: Saved) -> None:
    if args.format == "json":
        print(as_json.dumps({"id": saved.id, "sequence": saved.sequence}))
    else:
        print(fill(SENTENCES_OPTIONS["saved_before" if saved.again else "saved"], id=saved.id, sequence=saved.sequence))


# Reading.


def _listed(args: argparse.Namespace, opened: Workspace, store: Store) -> int:
    found, broken = state.review(store.events()), store.broken()
    jobs, progress = _options.workers(args), _progress.Progress(args.quiet)
    args.stack.callback(progress.end)
    held = {one.id: signing.standing(opened, store, one, progress, jobs) for one in found.signoffs
            if not args.unchecked and one.withdrawn is None}  # fmt: skip
    progress.end()
    since = {note.id: one for note in found.notes if not args.unchecked
             and (one := under.changed(opened, note, store.content(note.kept) if note.kept else None))}  # fmt: skip
    if args.format == "json":
        values = _review_lines.values(found, held, since)
        print(as_json.dumps({**values, "sequence": found.sequence, "broken": _review_lines.broken(broken)}, indent=1))
    else:
        if broken:
            print(
                _lines.safe(
                    fill(
                        "the chain of events is broken at event {sequence:,}: {why}",
                        sequence=broken.sequence,
                        why=broken.why,
                    )
                )
            )
        for line in _review_lines.told(found, held, since):
            print(_lines.safe(line))
        if not found.sequence and (before := renamed.former(opened.root)):
            said = "former" if before.sure else "former_unsure"
            print(_lines.safe(fill(SENTENCES_REVIEW[said], folder=before.path, n=before.events)))
    return int(args.fail_on_stale and any(one.stale or one.unread for one in held.values()))


def _verified(args: argparse.Namespace, opened: Workspace, store: Store) -> int:
    broken, count = store.broken(), store.sequence()
    if args.format == "json":
        print(as_json.dumps({"events": count, "broken": _review_lines.broken(broken)}))
    elif broken:
        print(
            _lines.safe(
                fill(
                    "the chain of events is broken at event {sequence:,}: {why}",
                    sequence=broken.sequence,
                    why=broken.why,
                )
            )
        )
    else:
        print(fill("{n:,} {n:event|events}, each as it was saved", n=count))
    return int(broken is not None)


def _exported(args: argparse.Namespace, opened: Workspace, store: Store) -> int:
    try:
        with whole_file(Path(args.output)) as out:
            count = exchange.write(store, out)
    except OSError as error:
        raise UsageError(f"-o {args.output}: {(error.strerror or str(error)).lower()}") from None
    said = fill("{file}: {n:,} {n:event|events}", file=args.output, n=count)
    print(json.dumps({"events": count}) if args.format == "json" else said)
    return 0


def _adopted(args: argparse.Namespace, opened: Workspace, store: Store) -> int:
    found = renamed.former(opened.root)
    if found is None:
        raise UsageError(
            "there is no review to take over: none of a folder that no longer exists has this folder's "
            "name or its place on the disk"
        )
    renamed.adopt(opened.root, found)
    said = fill("taken over: {n:,} {n:event|events} of {folder}", n=found.events, folder=found.path)
    print(as_json.dumps({"events": found.events, "path": found.path}) if args.format == "json" else _lines.safe(said))
    return 0


def _imported(args: argparse.Namespace, opened: Workspace, store: Store) -> int:
    try:
        with Path(args.file).open("rb") as file:
            added = exchange.take(store, file)
    except OSError as error:
        raise UsageError(f"{args.file}: {(error.strerror or str(error)).lower()}") from None
    print(
        json.dumps({"added": added})
        if args.format == "json"
        else fill(
            ("{n:,} {n:event|events} added; each is shown as imported, because a file may claim any author"), n=added
        )
    )
    return 0
