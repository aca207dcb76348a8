"""One thing that somebody said or decided, as it is kept: an event is never changed, a later one corrects it."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal, get_args

from readback.readers.files.paths import is_git_folder

AuthorSource = Literal[
    "asked", "proxy", "cli"
]  # where the author's name is from: typed in, a proxy's header, a command
Source = AuthorSource | Literal["imported"]  # what is shown of that: of an imported event nothing that it claims
Kind = Literal["note", "answer", "edit", "decision", "signoff", "agenda"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FIRST = "0" * 64  # stands for the event before the first one
MOST = 4 << 20  # characters of one payload
ID = re.compile(r"[0-9A-Za-z_-]{8,64}")


class NotSaved(Exception):  # noqa: N818 - an outcome to say in one sentence
    """Nothing was saved; the text says why."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be saved. `id` is made with the draft and stays with it: what is saved twice with it is one event."""

    kind: Kind
    payload: Mapping[str, Any]
    author: str
    author_source: AuthorSource
    id: str


@dataclass(frozen=True, slots=True)
class Event:
    """What was saved. `sequence` counts from 1; `time` is UTC, by the clock of then, and orders nothing.

    `before` is the `hash` of the event before it, so a change of any event shows in all later ones. `imported`: it came
    with a file, so `author`, `author_source` and `time` are what that file claims. `damage` says why the rest of an
    event cannot be read; then it is empty.
    """

    sequence: int
    id: str
    author: str
    author_source: AuthorSource
    time: str
    kind: Kind
    payload: Mapping[str, Any]
    before: str
    hash: str
    imported: bool = False
    damage: str = ""

    @property
    def source(self) -> Source:
        """How the author is known, by what this server saw itself."""
        if self.imported:
            return "imported"
        return self.author_source


def new_id() -> str:
    """Return a new random id for a draft: 22 characters."""
    return secrets.token_urlsafe(16)


def get_time() -> str:
    """Return the time for an event: 2026-11-23T17:04:05.123Z."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write_json(value: Any) -> str:
    """Write a value as compact JSON in ASCII, which any database and any file can hold: NUL and lone surrogates as
    escapes.

    Raises NotSaved where it is too large, or no value of JSON.
    """
    try:
        text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"), sort_keys=True)
    except (ValueError, TypeError, RecursionError) as error:
        raise NotSaved(f"it cannot be written as JSON: {error}") from None
    if len(text) > MOST:
        raise NotSaved(f"it is longer than {MOST >> 20} MiB; put long texts into a file and name it")
    return text


def compute_hash(sequence: int, draft: Draft, time: str, payload: str, before: str) -> str:
    """Compute the hash of an event: SHA-256 of compact JSON over all its parts, that of the event before included."""
    parts = [sequence, draft.id, draft.author, draft.author_source, time, draft.kind, payload, before]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


SHA = re.compile(r"[0-9a-f]{64}")
TIME = re.compile(r"\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?Z")
DRIVE = re.compile(r"[A-Za-z]:|[\\/]{2}")  # how a path begins that is absolute on Windows
NAMES = {"study": 0, "condition": 1, "mode": 1, "comparison": 2}  # how many names a subject of each kind has
FILES = 5_000  # configuration files of one sign-off; a folder is searched for 2,000
PART, PATH = 255, 4_096  # bytes of one name, and of a path, as file systems have them
NUMBERS = ("start", "end", "message")  # keys of an anchor that count characters or messages
Standing = Literal["open", "answered", "closed"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)
Verdict = Literal["accept", "change", "defer"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
Move = Literal["add", "drop", "move"]
DO = (*get_args(Move), "undo")


class BadEventError(ValueError):
    """An event is none that can be used; the text says why, in words that follow *event 3:*."""


def check_event(event: Event) -> None:
    """Check an event's own parts and its payload. Raises BadEventError."""
    if not ID.fullmatch(event.id):
        raise BadEventError("its id is not 8 to 64 letters, digits, - and _")
    if not is_time(event.time):
        raise BadEventError("its time is not one of the form 2026-11-23T17:04:05.123Z")
    if event.author_source not in ("asked", "proxy", "cli"):
        raise BadEventError("it does not say in a known way how its author is known")
    check_payload(event.kind, event.payload)


def is_time(value: object) -> bool:
    """Return whether a value is a time as events have it: 2026-11-23T17:04:05.123Z, of a day that there is."""
    return isinstance(value, str) and bool(TIME.fullmatch(value)) and _is_day(value[:10])


def check_payload(kind: str, payload: Mapping[str, Any]) -> None:
    """Check a payload by the event's kind. Raises BadEventError."""
    check = CHECKS.get(kind)
    if check is None:
        raise BadEventError("it is of a kind that this version does not know; a newer Readback may have written it")
    if not isinstance(payload, Mapping):
        raise BadEventError("what it holds is no object")
    check(payload)


def is_path_inside(name: object) -> bool:
    """Return whether a name is a relative path that stays below its folder, on any system, and is none of git's own
    files.
    """
    if not isinstance(name, str) or not name or "\0" in name or DRIVE.match(name) or name[0] in "/\\~":
        return False
    try:
        too_long = len(name.encode()) > PATH or any(len(part.encode()) > PART for part in name.split("/"))
    except UnicodeEncodeError:
        return False
    parts = re.split(r"[/\\]", name)
    return not too_long and not any(part in ("", "..") or is_git_folder(part) for part in parts)


def _check_note(payload: Mapping[str, Any]) -> None:
    _check_texts(payload, "text")
    _check_texts(payload, "owner", "due", needed=False)
    _check_hash(payload, "kept", needed=False)
    anchor = payload.get("anchor", {})
    if not isinstance(anchor, Mapping):
        raise BadEventError("what its note is on is no object")
    for name, value in anchor.items():
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        if name in NUMBERS and not whole:
            raise BadEventError(f"{name} of what its note is on is no whole number")
        if name not in NUMBERS and not isinstance(value, (str, int)):
            raise BadEventError(f"{str(name)[:40]} of what its note is on is no text")
    if ("start" in anchor) != ("end" in anchor):
        raise BadEventError("its note is on a stretch without a beginning or without an end")


def _check_answer(payload: Mapping[str, Any]) -> None:
    _check_texts(payload, "note", "text")


def _check_edit(payload: Mapping[str, Any]) -> None:
    if "signoff" in payload:
        _check_texts(payload, "signoff")
        return
    _check_texts(payload, "note")
    _check_texts(payload, "text", "owner", "due", "standing", needed=False)
    if payload.get("standing", "open") not in STANDINGS:
        raise BadEventError("a note is open, answered or closed, and it says something else")


def _check_decision(payload: Mapping[str, Any]) -> None:
    _check_subject(payload)
    _check_texts(payload, "verdict", "reason")
    _check_texts(payload, "item", "on", "owner", "due", needed=False)
    _check_day(payload, "today", needed=False)
    _check_hash(payload, "lock", needed=False)
    if payload["verdict"] not in VERDICTS:
        raise BadEventError("a decision is to accept, change or defer, and it says something else")


def _check_signoff(payload: Mapping[str, Any]) -> None:
    _check_subject(payload)
    _check_day(payload, "today")
    for name in ("lock", "records", "findings", "scores"):
        _check_hash(payload, name)
    _check_hash(payload, "said", needed=False)
    files, left_out = payload.get("files"), payload.get("left_out")
    if not isinstance(files, Mapping) or not isinstance(left_out, list):
        raise BadEventError("its list of configuration files is missing")
    if len(files) + len(left_out) > FILES:
        raise BadEventError(f"it names more than {FILES:,} configuration files")
    for name in (*files, *left_out):
        if not is_path_inside(name):
            raise BadEventError(f"it names a file outside of its folder ({ascii(name)[:120]})")
    for name in files:
        _check_hash(files, name)
    _check_open(payload.get("open", {}))


def _check_open(open_then: object) -> None:
    """Check what a sign-off says was still open: numbers by what they count."""
    if not isinstance(open_then, Mapping):
        raise BadEventError("what was open when it was signed is no object")
    for number in open_then.values():
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise BadEventError("what was open when it was signed is not counted in whole numbers")


def _check_agenda(payload: Mapping[str, Any]) -> None:
    _check_texts(payload, "do")
    if payload["do"] not in DO:
        raise BadEventError("a change of the agenda adds, drops, moves or takes back, and it does something else")
    _check_texts(payload, *{"undo": ("step",), "drop": ("item",), "move": ("item",)}.get(payload["do"], ()))
    _check_texts(payload, "text", "before", needed=False)
    if not isinstance(payload.get("entry", {}), Mapping):
        raise BadEventError("what was put on the agenda is no object")


CHECKS: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
    "note": _check_note,
    "answer": _check_answer,
    "edit": _check_edit,
    "decision": _check_decision,
    "signoff": _check_signoff,
    "agenda": _check_agenda,
}


def _check_texts(payload: Mapping[str, Any], *names: str, needed: bool = True) -> None:
    for name in names:
        value = payload.get(name)
        if value is None and not needed:
            continue
        if not isinstance(value, str):
            raise BadEventError(f"{name} is {'missing' if name not in payload else 'no text'}")


def _check_day(payload: Mapping[str, Any], name: str, *, needed: bool = True) -> None:
    value = payload.get(name)
    if not needed and value in (None, ""):
        return
    if not isinstance(value, str) or not _is_day(value):
        raise BadEventError(f"{name} is no day of the form 2026-11-23")


def _check_hash(payload: Mapping[str, Any], name: str, *, needed: bool = True) -> None:
    value = payload.get(name)
    if not needed and value in (None, ""):
        return
    if not isinstance(value, str) or not SHA.fullmatch(value):
        raise BadEventError(f"{ascii(name)[:120]} does not name a text by its SHA-256")


def _check_subject(payload: Mapping[str, Any]) -> None:
    about = payload.get("subject")
    if isinstance(about, Mapping):
        kind = about.get("kind")
    else:
        kind = None
    if isinstance(about, Mapping):
        names = about.get("names")
    else:
        names = None
    if not isinstance(kind, str) or kind not in NAMES or not isinstance(names, list) or len(names) != NAMES[kind]:
        raise BadEventError("it does not say what it is about: the study, a condition, a mode or a comparison of two")
    if not all(isinstance(name, str) for name in names):
        raise BadEventError("a name of what it is about is no text")


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
