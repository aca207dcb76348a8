"""What stands at the end of a review's events: its notes, decisions and sign-offs, each with what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from readback.review.event import STANDINGS as STANDINGS
from readback.review.event import VERDICTS as VERDICTS
from readback.review.event import BadEventError, Event, Move, Source, Standing, Verdict, check_event
from readback.review.subject import Subject, from_json

ADDED = "added:"  # how the key of an item begins that somebody put on the agenda
EDITED = ("text", "standing", "owner", "due")  # what an edit of a note may replace
# What an anchor may say; offsets are code points of the text of that layer, message and role.
ANCHOR = ("kind", "condition", "mode", "layer", "record", "role", "message", "start", "end", "quote", "finding_key",
          "a", "b", "criterion", "judge", "adapter", "task", "fingerprint")  # fmt: skip


@dataclass(frozen=True, slots=True)
class By:
    """Who said something, how that is known, and when by the clock of then."""

    author: str
    source: Source
    time: str
    sequence: int


@dataclass(frozen=True, slots=True)
class Note:
    """A note on what its `anchor` names. `edits` counts how often its text, owner or day was changed; `answers` are
    (who, text).

    `text_hash` is the name in the store (hex of SHA-256) of the text that it was written on, "" where it is on none.
    """

    id: str
    by: By
    text: str
    anchor: Mapping[str, Any] = field(default_factory=dict)
    standing: Standing = "open"
    owner: str = ""
    due: str = ""
    answers: tuple[tuple[By, str], ...] = ()
    edits: int = 0
    text_hash: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided on a subject. `in_force` is False once a later decision on the same subject (and item) was made.
    `lock` is the name in the store of the lock that it was made on, "" where none was kept; `today` the day of its
    templates. `item` is the item of the agenda that it was made on, `on` what that said then; "" where on none.
    `owner` looks after it until the day `due`; "" where nobody was named.
    """

    id: str
    by: By
    subject: Subject
    verdict: Verdict
    reason: str
    agenda: bool = False
    in_force: bool = True
    lock: str = ""
    today: str = ""
    item: str = ""
    on: str = ""
    owner: str = ""
    due: str = ""

    @property
    def deferred(self) -> bool:
        """Whether it was put off, so that nothing is decided yet."""
        return self.verdict == "defer"


@dataclass(frozen=True, slots=True)
class Step:
    """One change of the agenda by hand: an item that was added (its key is `added:` and the step's id), dropped, or
    moved before another one (`before` is its key, "" for the end). `entry` is what was put there from a page.
    """

    id: str
    by: By
    do: Move
    item: str
    text: str = ""
    before: str = ""
    entry: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SignOff:
    """That somebody read a subject and stands for it, on bytes that `payload` keeps by content (see `signing`)."""

    id: str
    by: By
    subject: Subject
    payload: Mapping[str, Any] = field(default_factory=dict)
    withdrawn: By | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """An event that this version cannot use, and why, in words that follow *event 3:*."""

    sequence: int
    why: str


@dataclass(frozen=True, slots=True)
class Review:
    """A review as it stands after the event `sequence`, each kind in the order in which it was first saved.

    `unread` are events that are damaged, forbidden or of a newer version: they are kept, and named with the reason.
    """

    notes: tuple[Note, ...] = ()
    decisions: tuple[Decision, ...] = ()
    signoffs: tuple[SignOff, ...] = ()
    agenda: tuple[Step, ...] = ()  # but for those that were undone
    sequence: int = 0
    unread: tuple[Unread, ...] = ()


def build_review(events: Iterable[Event]) -> Review:
    """Build the state after all events, which come in their order."""
    notes, decisions, signoffs = dict[str, Note](), dict[str, Decision](), dict[str, SignOff]()
    agenda, last, unread = dict[str, Step](), 0, list[Unread]()
    for event in events:
        last = event.sequence
        if event.damage:
            unread.append(Unread(event.sequence, event.damage))
            continue
        try:
            check_event(event)
            if event.kind == "agenda":
                _apply_step(event, agenda)
            else:
                _apply_event(event, notes, decisions, signoffs)
        except BadEventError as error:
            unread.append(Unread(event.sequence, str(error)))
        except KeyError:
            unread.append(Unread(event.sequence, "it is about an earlier event that is not there"))
    state = tuple(notes.values()), tuple(decisions.values()), tuple(signoffs.values()), tuple(agenda.values())
    return Review(*state, last, tuple(unread))


def _apply_step(event: Event, agenda: dict[str, Step]) -> None:
    payload = event.payload
    if payload["do"] == "undo":
        del agenda[payload["step"]]
        return
    by = By(event.author, event.source, event.time, event.sequence)
    if payload["do"] == "add":
        item = f"{ADDED}{event.id}"
    else:
        item = str(payload["item"])
    text, before = str(payload.get("text", "")), str(payload.get("before", ""))
    agenda[event.id] = Step(event.id, by, payload["do"], item, text, before, dict(payload.get("entry", {})))


def _apply_event(
    event: Event, notes: dict[str, Note], decisions: dict[str, Decision], signoffs: dict[str, SignOff]
) -> None:
    by, payload = By(event.author, event.source, event.time, event.sequence), event.payload
    if event.kind == "note":
        owner, due = payload.get("owner", ""), payload.get("due", "")
        anchor, text_hash = payload.get("anchor", {}), payload.get("kept", "")
        notes[event.id] = Note(event.id, by, payload["text"], anchor, "open", owner, due, text_hash=text_hash)
    elif event.kind == "answer":
        note = notes[payload["note"]]
        standing: Standing = "answered" if note.standing == "open" else note.standing
        notes[note.id] = replace(note, answers=(*note.answers, (by, payload["text"])), standing=standing)
    elif event.kind == "edit" and "signoff" in payload:
        signoffs[payload["signoff"]] = replace(signoffs[payload["signoff"]], withdrawn=by)
    elif event.kind == "edit":
        note = notes[payload["note"]]
        changed = {name: payload[name] for name in EDITED if name in payload}
        notes[note.id] = replace(note, **changed, edits=note.edits + bool(changed.keys() - {"standing"}))
    elif event.kind == "decision":
        subject = from_json(payload["subject"])
        item, on = str(payload.get("item", "")), str(payload.get("on", ""))
        same = [each for each in decisions.values() if (each.subject, each.item) == (subject, item) and each.in_force]
        for earlier in same:
            decisions[earlier.id] = replace(earlier, in_force=False)
        agenda = bool(payload.get("agenda")) or bool(item)
        owner, due = payload.get("owner", ""), payload.get("due", "")
        made_on = payload.get("lock", ""), payload.get("today", ""), item, on, owner, due
        decisions[event.id] = Decision(
            event.id, by, subject, payload["verdict"], payload["reason"], agenda, True, *made_on
        )
    elif event.kind == "signoff":
        signoffs[event.id] = SignOff(event.id, by, from_json(payload["subject"]), payload)
