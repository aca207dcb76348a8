"""Run `readback review`: its steps save events of a review, or list them."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from readback import as_json
from readback.cli import UsageError
from readback.cli.common import options, review_lines
from readback.cli.common.lines import print_safe
from readback.cli.common.parser import Command
from readback.cli.common.terminal import Progress, fill
from readback.cli.common.workspace import add_workspace_arguments, find_by_prefix, open_workspace
from readback.compare.side import SideError
from readback.compare.sides import show_side
from readback.exporting.whole_file import whole_file
from readback.review import agenda, anchors, exchange, renamed, signing, state
from readback.review.agenda import Item
from readback.review.event import Draft, Kind, NotSaved, new_id
from readback.review.leaves import NothingToLock
from readback.review.state import ANCHOR, Note
from readback.review.store import NotReadable, Store
from readback.review.subject import UnknownSubject
from readback.review.subject import parse_subject as read_subject
from readback.review.subject import to_json as subject_to_json
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

SPAN = re.compile(r"(\d+)-(\d+)")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
KINDS = ("finding", "score", "record", "condition", "message", "difference", "chart", "study")
# Options of `note` for what a note is on, each with its help.
ANCHORS = {
    "condition": "the condition that the note is on",
    "mode": "the mode that the note is on",
    "layer": "the layer that the note is on",
    "record": "the record that the note is on",
    "role": "the role of the message that the note is on",
    "message": "the number of the message that the note is on, counted from 0",
    "quote": "the quoted text that the note is on",
    "finding-key": "the key of the finding that the note is on",
    "a": "the first condition of the comparison that the note is on",
    "b": "the second condition of the comparison that the note is on",
    "criterion": "the criterion that the note is on",
    "judge": "the judge that the note is on",
    "adapter": "the adapter that the note is on",
    "task": "the task that the note is on",
}
# The kind of thing that a note is on, by the first of these names that its anchor has.
KINDS_BY_NAME = {
    "finding_key": "finding",
    "criterion": "score",
    "a": "difference",
    "start": "message",
    "role": "message",
    "record": "record",
    "condition": "condition",
}
VERDICT_HELP = {
    "accept": "the subject stays as it is",
    "change": "the subject has to be changed",
    "defer": "the decision is put off",
}
SUBJECT_HELP = "study, condition:NAME, mode:NAME or comparison:A|B"


# Arguments.


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the steps of `readback review`, each with its arguments."""
    steps = parser.add_subparsers(metavar="STEP", required=True, dest="step")
    for name, (title, add_step_arguments) in STEPS.items():
        step = steps.add_parser(name, help=title, description=title)
        add_workspace_arguments(step)
        add_step_arguments(step)


def _add_note(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--text", required=True, metavar="T", help="the text of the note; - reads it from standard input"
    )
    parser.add_argument(
        "--kind", choices=KINDS, help="what kind of thing the note is on (default: by the other options)"
    )
    for name, text in ANCHORS.items():
        parser.add_argument(f"--{name}", metavar=name[:1].upper(), help=text)
    parser.add_argument("--span", metavar="A-B", help="the characters of that text from A up to B, counted from 0")
    parser.add_argument("--owner", metavar="NAME", default="", help="the person who is responsible for the note")
    parser.add_argument("--due", metavar="DATE", default="", help="the day until which it is to be done: YYYY-MM-DD")
    options.add_author(parser)


def _add_answer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--note", required=True, metavar="ID", help="the note to answer")
    parser.add_argument("--text", required=True, metavar="T", help="the answer; - reads it from standard input")
    options.add_author(parser)


def _add_edit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--note", required=True, metavar="ID", help="the note to change")
    parser.add_argument("--text", metavar="T", help="the new text; - reads it from standard input")
    parser.add_argument("--owner", metavar="NAME", help="the person who is now responsible; '' for nobody")
    parser.add_argument("--due", metavar="DATE", help="the day until which it is to be done: YYYY-MM-DD; '' for no day")
    options.add_author(parser)


def _add_close(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--note", required=True, metavar="ID", help="the note to close")
    parser.add_argument("--reopen", action="store_true", help="open the note again")
    options.add_author(parser)


def _add_decide(parser: argparse.ArgumentParser) -> None:
    subject = parser.add_mutually_exclusive_group(required=True)
    subject.add_argument("--subject", metavar="S", help=SUBJECT_HELP)
    subject.add_argument("--item", metavar="KEY", help="the item of the agenda to decide on, by its key")
    options.add_author(parser)
    verdict = parser.add_mutually_exclusive_group(required=True)
    for name in state.VERDICTS:
        verdict.add_argument(f"--{name}", dest="verdict", action="store_const", const=name, help=VERDICT_HELP[name])
    parser.add_argument("--reason", required=True, metavar="R", help="the reason")
    parser.add_argument("--owner", metavar="NAME", default="", help="the person who sees to it")
    parser.add_argument("--due", metavar="DATE", default="", help="the day until which it is to be done: YYYY-MM-DD")
    parser.add_argument("--agenda", action="store_true", help="the subject was on the agenda")


def _add_sign(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--subject", required=True, metavar="S", help=SUBJECT_HELP)
    options.add_author(parser)
    options.add_jobs(parser)
    options.add_quiet(parser)


def _add_withdraw(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--signoff", required=True, metavar="ID", help="the sign-off to withdraw")
    options.add_author(parser)


def _add_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--unchecked", action="store_true", help="do not check whether sign-offs are stale")
    parser.add_argument("--fail-on-stale", action="store_true", help="exit with 1 when a sign-off is stale")
    options.add_jobs(parser)
    options.add_quiet(parser)


def _add_nothing(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the step has only the arguments of every command on a workspace."""


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="the file to write; an existing file is replaced only when the new one is complete",
    )


def _add_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a file that `readback review export` wrote")


# Each step with its title and what adds its arguments.
STEPS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "note": ("Save a note.", _add_note),
    "answer": ("Answer a note.", _add_answer),
    "edit": ("Change the text, owner or day of a note; the earlier ones are kept.", _add_edit),
    "close": ("Close a note.", _add_close),
    "decide": ("Save a decision on a subject.", _add_decide),
    "sign": ("Sign off a subject, on its bytes of now.", _add_sign),
    "withdraw": ("Withdraw a sign-off.", _add_withdraw),
    "list": ("List notes, decisions and sign-offs, and which sign-offs are stale.", _add_list),
    "verify": ("Check that every event is as it was saved.", _add_nothing),
    "export": ("Write the whole review to a file.", _add_export),
    "adopt": ("Take over the review that the folder had under its former path.", _add_nothing),
    "import": ("Add the events of a file that continues this review.", _add_import),
}


def run(args: argparse.Namespace) -> int:
    """Run a step; return the exit code."""
    workspace = open_workspace(args)
    store = Store(workspace.root)
    try:
        match args.step:
            case "list":
                return _list_events(args, workspace, store)
            case "verify":
                return _verify(args, store)
            case "export":
                return _export(args, store)
            case "import":
                return _import(args, store)
            case "adopt":
                return _adopt(args, workspace)
            case _:
                return _save(args, workspace, store)
    except NotSaved as error:
        raise UsageError(fill("not saved: {why}", why=error)) from None
    except (NotReadable, UnknownSubject, NothingToLock) as error:
        raise UsageError(str(error)) from None
    finally:
        store.close()


COMMANDS = {"review": Command(TITLE, ABOUT, add_arguments, run)}


# Saving.


def _save(args: argparse.Namespace, workspace: Workspace, store: Store) -> int:
    kind, payload, texts = _build_event(args, workspace, store)
    author = options.read_author(args)
    review_lines.print_saved(args, store.save(Draft(kind, payload, author, "cli", args.key or new_id()), texts))
    return 0


def _build_event(
    args: argparse.Namespace, workspace: Workspace, store: Store
) -> tuple[Kind, dict[str, Any], dict[str, bytes]]:
    """Return an event's kind, its payload and the texts that it names. Raises UsageError and what `run` catches."""
    match args.step:
        case "note":
            return _build_note(args, workspace)
        case "answer":
            return "answer", {"note": _find_note(store, args.note).id, "text": _read_text(args.text)}, {}
        case "edit":
            return "edit", {"note": _find_note(store, args.note).id, **_read_edit(args)}, {}
        case "close":
            standing = "open" if args.reopen else "closed"
            return "edit", {"note": _find_note(store, args.note).id, "standing": standing}, {}
        case "withdraw":
            signoffs = [(signoff.id, signoff) for signoff in state.build_review(store.events()).signoffs]
            signoff = find_by_prefix("sign-off", args.signoff, signoffs)
            return "edit", {"signoff": signoff.id, "withdrawn": True}, {}
        case "decide":
            return _build_decision(args, workspace, store)
        case _:
            return _build_signoff(args, workspace)


def _build_note(args: argparse.Namespace, workspace: Workspace) -> tuple[Kind, dict[str, Any], dict[str, bytes]]:
    target = _find_target(workspace, _read_anchor(args))
    payload = {
        "text": _read_text(args.text),
        "anchor": dict(target.anchor),
        "kept": target.sha,
        "owner": args.owner,
        "due": _read_day(args.due),
    }
    return "note", {name: value for name, value in payload.items() if value}, dict(target.texts)


def _build_decision(
    args: argparse.Namespace, workspace: Workspace, store: Store
) -> tuple[Kind, dict[str, Any], dict[str, bytes]]:
    if args.item:
        item = _find_item(args, workspace, store)
    else:
        item = None
    if item:
        subject = item.subject
    else:
        subject = read_subject(workspace, args.subject)
    basis = signing.collect_decided(workspace, subject)
    payload = {
        "subject": subject_to_json(subject),
        "verdict": args.verdict,
        "reason": args.reason,
        "agenda": args.agenda,
    }
    if item:
        payload |= {"item": item.key, "on": item.sentence}
    payload |= {name: value for name, value in (("owner", args.owner), ("due", _read_day(args.due))) if value}
    return "decision", {**payload, **basis.payload}, dict(basis.texts)


def _build_signoff(args: argparse.Namespace, workspace: Workspace) -> tuple[Kind, dict[str, Any], dict[str, bytes]]:
    subject = read_subject(workspace, args.subject)
    progress = Progress(args.quiet)
    args.stack.callback(progress.end)
    basis = signing.collect_signed(workspace, subject, progress, options.read_jobs(args))
    progress.end()
    return "signoff", dict(basis.payload), dict(basis.texts)


def _find_item(args: argparse.Namespace, workspace: Workspace, store: Store) -> Item:
    """Return the item of the agenda whose key begins with --item. Raises UsageError."""
    items = agenda.gather_meeting(workspace, store, datetime.now(UTC).date()).agenda.items
    return find_by_prefix("item of the agenda", args.item, [(item.key, item) for item in items])


def _find_note(store: Store, prefix: str) -> Note:
    """Return the note whose id begins with `prefix`. Raises UsageError."""
    notes = state.build_review(store.events()).notes
    return find_by_prefix("note", prefix, [(note.id, note) for note in notes])


def _read_text(text: str) -> str:
    """Return what was typed, byte for byte; for - what standard input holds. Raises UsageError."""
    if text == "-":
        text = sys.stdin.read()
    if not text.strip():
        raise UsageError("--text is empty, so there is nothing to save")
    return text


def _read_anchor(args: argparse.Namespace) -> dict[str, Any]:
    """Return what a note is on. Raises UsageError for a message or a span that is not written as numbers."""
    names = [name.replace("-", "_") for name in ANCHORS]
    anchor: dict[str, Any] = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    if "message" in anchor:
        if not str(anchor["message"]).isdecimal():
            raise UsageError(
                fill("--message {text}: give the number of a message, counted from 0", text=anchor["message"])
            )
        anchor["message"] = int(anchor["message"])
    if args.span is not None:
        span = SPAN.fullmatch(args.span)
        if not span or int(span[1]) > int(span[2]):
            raise UsageError(
                fill("--span {text}: write A-B, two numbers of characters, the smaller one first", text=args.span)
            )
        anchor |= {"start": int(span[1]), "end": int(span[2])}
    kind = args.kind or _guess_kind(anchor)
    return {name: value for name, value in {"kind": kind, **anchor}.items() if name in ANCHOR}


def _guess_kind(anchor: dict[str, Any]) -> str:
    return next((kind for name, kind in KINDS_BY_NAME.items() if name in anchor), "study")


def _find_target(workspace: Workspace, anchor: dict[str, Any]) -> anchors.AnchoredText:
    """Return the anchor with the text that it is on, if any. Raises UsageError where that text does not exist."""
    side = anchors.find_side(anchor)
    if side is None:
        if "start" in anchor or "message" in anchor:
            raise UsageError("--message and --span need one record; name it with --record")
        return anchors.AnchoredText(anchor, "", {})
    try:
        return anchors.keep_text(anchor, show_side(workspace, side))
    except (SideError, anchors.NoSuchText) as error:
        raise UsageError(str(error)) from None


def _read_day(text: str) -> str:
    """Return a day as YYYY-MM-DD, or "". Raises UsageError."""
    if not text:
        return text
    try:
        date.fromisoformat(text)
    except ValueError:
        is_day = False
    else:
        is_day = bool(DAY.fullmatch(text))  # Python reads other spellings of a date, too
    if not is_day:
        raise UsageError(fill("--due {text}: write a day as YYYY-MM-DD", text=text))
    return text


def _read_edit(args: argparse.Namespace) -> dict[str, Any]:
    """Return what an edit replaces. Raises UsageError where that is nothing."""
    edit = {}
    if args.text is not None:
        edit["text"] = _read_text(args.text)
    if args.owner is not None:
        edit["owner"] = args.owner
    if args.due is not None:
        edit["due"] = _read_day(args.due)
    if not edit:
        raise UsageError("give what to change: --text, --owner or --due")
    return edit


# Listing, and the review as a whole.


def _list_events(args: argparse.Namespace, workspace: Workspace, store: Store) -> int:
    review, broken = state.build_review(store.events()), store.broken()
    jobs, progress = options.read_jobs(args), Progress(args.quiet)
    args.stack.callback(progress.end)
    standings: dict[str, signing.Standing] = {}
    text_changes: dict[str, anchors.TextChange] = {}
    if not args.unchecked:
        for signoff in review.signoffs:
            if signoff.withdrawn is None:
                standings[signoff.id] = signing.check_standing(workspace, store, signoff, progress, jobs)
        progress.end()
        for note in review.notes:
            change = anchors.compare_text(workspace, note, store.content(note.text_hash) if note.text_hash else None)
            if change:
                text_changes[note.id] = change
    if args.format == "json":
        answer = review_lines.build_review_json(review, standings, text_changes)
        broken_json = review_lines.build_broken_json(broken)
        print(as_json.dumps({**answer, "sequence": review.sequence, "broken": broken_json}, indent=1))
    else:
        if broken:
            print_safe(review_lines.format_broken(broken))
        for line in review_lines.format_review(review, standings, text_changes):
            print_safe(line)
        if not review.sequence:
            _print_former_review(workspace)
    has_stale = any(standing.stale or standing.unread for standing in standings.values())
    return int(args.fail_on_stale and has_stale)


def _print_former_review(workspace: Workspace) -> None:
    """Print that the folder had a review under its former path, where one is known."""
    former = renamed.find_former(workspace.root)
    if not former:
        return
    if former.sure:
        doubt = ""
    else:
        doubt = "whether it had the files of this folder cannot be told; "
    print_safe(
        fill(
            (
                "{folder}, which no longer exists, had a review ({n:,} {n:event|events}); {doubt}"
                "readback review adopt takes it over"
            ),
            folder=former.path,
            n=former.events,
            doubt=doubt,
        )
    )


def _verify(args: argparse.Namespace, store: Store) -> int:
    broken, count = store.broken(), store.sequence()
    if args.format == "json":
        print(as_json.dumps({"events": count, "broken": review_lines.build_broken_json(broken)}))
    elif broken:
        print_safe(review_lines.format_broken(broken))
    else:
        print(fill("{n:,} {n:event|events}, each as it was saved", n=count))
    return int(broken is not None)


def _export(args: argparse.Namespace, store: Store) -> int:
    try:
        with whole_file(Path(args.output)) as out:
            count = exchange.export_review(store, out)
    except OSError as error:
        raise UsageError(f"-o {args.output}: {(error.strerror or str(error)).lower()}") from None
    if args.format == "json":
        print(json.dumps({"events": count}))
    else:
        print(fill("{file}: {n:,} {n:event|events}", file=args.output, n=count))
    return 0


def _adopt(args: argparse.Namespace, workspace: Workspace) -> int:
    former = renamed.find_former(workspace.root)
    if former is None:
        raise UsageError(
            "there is no review to take over: none of a folder that no longer exists has this folder's "
            "name or its place on the disk"
        )
    renamed.adopt_review(workspace.root, former)
    if args.format == "json":
        print(as_json.dumps({"events": former.events, "path": former.path}))
    else:
        text = fill("taken over: {n:,} {n:event|events} of {folder}", n=former.events, folder=former.path)
        print_safe(text)
    return 0


def _import(args: argparse.Namespace, store: Store) -> int:
    try:
        with Path(args.file).open("rb") as file:
            count = exchange.import_review(store, file)
    except OSError as error:
        raise UsageError(f"{args.file}: {(error.strerror or str(error)).lower()}") from None
    if args.format == "json":
        print(json.dumps({"added": count}))
    else:
        print(
            fill(
                "{n:,} {n:event|events} added; each is shown as imported, because a file may claim any author", n=count
            )
        )
    return 0
