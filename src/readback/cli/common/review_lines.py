"""Present a review as `readback review list` does: as JSON, and as lines of text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from readback import as_json
from readback.cli.common.terminal import fill
from readback.review import anchors, signing
from readback.review.locks import lock_check, lock_file
from readback.review.state import By, Note, Review, SignOff
from readback.review.store import Saved

UNREAD_LISTED = 20  # events that cannot be used, each with its reason; the others are counted
IDENTITIES = {
    "asked": "name as given",
    "proxy": "known by the proxy",
    "imported": "imported",
    "cli": "command line",
}
Standings = Mapping[str, signing.Standing]  # by the sign-off's id
TextChanges = Mapping[str, anchors.TextChange]  # by the note's id


def print_saved(args: argparse.Namespace, saved: Saved) -> None:
    """Print the id and the number of an event that was saved, in the format that is asked for."""
    if args.format == "json":
        print(as_json.dumps({"id": saved.id, "sequence": saved.sequence}))
        return
    head = "already saved" if saved.again else "saved"
    print(fill("{head}: {id}, event {sequence:,}", head=head, id=saved.id, sequence=saved.sequence))


def build_broken_json(broken: Any) -> dict[str, Any] | None:
    """Return the first event at which the chain is broken, None where it is whole."""
    if broken:
        return {"sequence": broken.sequence, "why": broken.why}
    return None


def format_broken(broken: Any) -> str:
    """Return where the chain of events is broken."""
    return fill("the chain of events is broken at event {sequence:,}: {why}", sequence=broken.sequence, why=broken.why)


def build_review_json(review: Review, standings: Standings, text_changes: TextChanges) -> dict[str, Any]:
    """Return {"notes", "decisions", "signoffs", "unread"}.

    `stale` of a sign-off is None where nobody looked. `changed` of a note says what became of the text under it since
    it was written, None where that is the same or nobody looked.
    """
    decisions = [
        {
            "id": decision.id,
            **_build_by(decision.by),
            "subject": str(decision.subject),
            "verdict": decision.verdict,
            "reason": decision.reason,
            "agenda": decision.agenda,
            "in_force": decision.in_force,
            "owner": decision.owner or None,
            "due": decision.due or None,
        }
        for decision in review.decisions
    ]
    return {
        "notes": [_build_note(note, text_changes.get(note.id)) for note in review.notes],
        "decisions": decisions,
        "signoffs": [_build_signoff(signoff, standings.get(signoff.id)) for signoff in review.signoffs],
        "unread": [{"sequence": event.sequence, "why": event.why} for event in review.unread],
    }


def _build_note(note: Note, text_change: anchors.TextChange | None) -> dict[str, Any]:
    return {
        "id": note.id,
        **_build_by(note.by),
        "text": note.text,
        "anchor": dict(note.anchor),
        "standing": note.standing,
        "owner": note.owner or None,
        "due": note.due or None,
        "edits": note.edits,
        "changed": anchors.describe_text_change(text_change) if text_change else None,
        "answers": [{**_build_by(by), "text": text} for by, text in note.answers],
    }


def _build_signoff(signoff: SignOff, standing: signing.Standing | None) -> dict[str, Any]:
    return {
        "id": signoff.id,
        **_build_by(signoff.by),
        "subject": str(signoff.subject),
        "records": signoff.payload.get("count"),
        "today": signoff.payload.get("today"),
        "withdrawn": _build_by(signoff.withdrawn) if signoff.withdrawn else None,
        **_build_standing(standing),
    }


def _build_standing(standing: signing.Standing | None) -> dict[str, Any]:
    if standing is None:
        return {"stale": None, "changes": [], "evidence_changed": None, "evidence": []}
    return {
        "stale": standing.stale,
        "changes": [
            f"{lock_file.format_head(line.subject)}: {lock_check.describe_change(line)}" for line in standing.lines
        ],
        "evidence_changed": bool(standing.evidence),
        "evidence": list(standing.evidence),
        "unsaid": standing.unsaid or None,
        "unread": standing.unread or None,
    }


def _build_by(by: By) -> dict[str, Any]:
    return {"author": by.author, "known": by.source, "time": by.time, "sequence": by.sequence}


def format_review(review: Review, standings: Standings, text_changes: TextChanges) -> Iterator[str]:
    """Yield the notes, decisions and sign-offs as lines of text."""
    if not (review.notes or review.decisions or review.signoffs):
        yield "there are no notes, decisions or sign-offs yet; readback review note WORKSPACE --text T saves a note"
    for note in review.notes:
        yield _format_note(note)
        yield from (f"    {line}" for line in note.text.split("\n"))
        if note.id in text_changes:
            yield f"    {anchors.describe_text_change(text_changes[note.id])}"
        for by, text in note.answers:
            yield f"    {_format_by(by)} answers: {text}"
    for decision in review.decisions:
        if decision.in_force:
            replaced = ""
        else:
            replaced = " (replaced by a later decision)"
        head = f"decision {decision.verdict}: {decision.subject}, {_format_by(decision.by)}"
        yield f"{head}{replaced}: {decision.reason}"
    for signoff in review.signoffs:
        standing = standings.get(signoff.id)
        yield f"sign-off {signoff.subject}, {_format_by(signoff.by)}: {_format_standing(standing)}"
        for line in standing.lines if standing else ():
            yield f"    {lock_file.format_head(line.subject)}: {lock_check.describe_change(line)}"
        if standing and standing.unsaid:
            yield f"    how the texts changed is not known: {standing.unsaid}"
    for event in review.unread[:UNREAD_LISTED]:
        yield f"event {event.sequence} cannot be used, so it is not shown: {event.why}"
    more = len(review.unread) - UNREAD_LISTED
    if more > 0:
        yield fill("{n:,} more {n:event|events} cannot be used; --format json lists all of them", n=more)


def _format_note(note: Note) -> str:
    """Return a note's id, who wrote it, what it is on, and who looks after it until when."""
    line = f"note {note.id[:8]} [{note.standing}] {_format_by(note.by)}"
    anchor = ", ".join(f"{name} {value}" for name, value in note.anchor.items() if name != "kind")
    if anchor:
        line += f": {anchor}"
    if note.owner or note.due:
        until = f"until {note.due}" if note.due else ""
        line += f"; {' '.join(filter(None, (note.owner, until)))}"
    return line


def _format_by(by: By) -> str:
    time = by.time[:16].replace("T", " ")
    return f"{by.author} ({IDENTITIES[by.source]}), {time} UTC"


def _format_standing(standing: signing.Standing | None) -> str:
    if standing is None:
        return "not checked"
    if standing.unread:
        return f"cannot be checked: {standing.unread}"
    states = ["stale"] if standing.stale else []
    if standing.evidence:
        states.append(f"evidence changed: {'; '.join(standing.evidence)}")
    return "; ".join(states) or "unchanged"
