"""A review as `readback review list` says it: as JSON values, and as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from readback.cli._sentence import fill
from readback.review import lock_check, lock_file, signing, under
from readback.review.state import By, Note, Review

SENTENCES_REVIEW = {
    "row_note": "note {id} [{standing}] {by}",
    "row_note_on": "note {id} [{standing}] {by}: {anchor}",
    "row_owner_due": "{note}; {owner} until {due}",
    "row_owner": "{note}; {owner}",
    "row_due": "{note}; until {due}",
    "row_decision": "decision {verdict}: {subject}, {by}: {reason}",
    "row_decision_past": "decision {verdict}: {subject}, {by} (replaced by a later decision): {reason}",
    "unread": "event {sequence} cannot be used, so it is not shown: {why}",
    "by_asked": "name as given",
    "by_proxy": "known by the proxy",
    "by_imported": "imported",
    "by_cli": "command line",
    "stale": "stale",
    "stale_evidence": "stale; evidence changed: {evidence}",
    "evidence": "evidence changed: {evidence}",
    "unchanged": "unchanged",
    "help_accept": "the subject stays as it is",
    "help_change": "the subject has to be changed",
    "help_defer": "the decision is put off",
}

LISTED = 20  # events that cannot be used, each with its reason; the others are counted


def broken(broken: Any) -> dict[str, Any] | None:
    return {"sequence": broken.sequence, "why": broken.why} if broken else None


def values(found: Review, held: dict[str, signing.Standing], since: dict[str, under.Changed]) -> dict[str, Any]:
    """{"notes", "decisions", "signoffs", "unread"}. Of a sign-off `stale` is null where nobody looked. `changed` of a
    note says what became of the text under it since it was written, null where that is the same or nobody looked.
    """
    return {
        "notes": [
            {"id": n.id, **_by(n.by), "text": n.text, "anchor": dict(n.anchor), "standing": n.standing,
             "owner": n.owner or None, "due": n.due or None, "edits": n.edits,
             "changed": under.said(since[n.id]) if n.id in since else None,
             "answers": [{**_by(by), "text": text} for by, text in n.answers]}
            for n in found.notes
        ],
        "decisions": [
            {"id": d.id, **_by(d.by), "subject": str(d.subject), "verdict": d.verdict, "reason": d.reason,
             "agenda": d.agenda, "in_force": d.in_force}
            for d in found.decisions
        ],
        "signoffs": [
            {"id": s.id, **_by(s.by), "subject": str(s.subject), "records": s.payload.get("count"),
             "today": s.payload.get("today"), "withdrawn": _by(s.withdrawn) if s.withdrawn else None,
             **_standing(held.get(s.id))}
            for s in found.signoffs
        ],
        "unread": [{"sequence": one.sequence, "why": one.why} for one in found.unread],
    }  # fmt: skip


def _standing(held: signing.Standing | None) -> dict[str, Any]:
    if held is None:
        return {"stale": None, "changes": [], "evidence_changed": None, "evidence": []}
    changed = [f"{lock_file.head(line.subject)}: {lock_check.describe_change(line)}" for line in held.lines]
    return {"stale": held.stale, "changes": changed, "evidence_changed": bool(held.evidence),
            "evidence": list(held.evidence), "unsaid": held.unsaid or None, "unread": held.unread or None}  # fmt: skip


def _by(by: By) -> dict[str, Any]:
    return {"author": by.author, "known": by.known, "time": by.time, "sequence": by.sequence}


def told(found: Review, held: dict[str, signing.Standing], since: dict[str, under.Changed]) -> Iterator[str]:
    if not (found.notes or found.decisions or found.signoffs):
        yield ("there are no notes, decisions or sign-offs yet; readback review note WORKSPACE --text T saves a note")
    for note in found.notes:
        yield _note(note)
        yield from (f"    {line}" for line in note.text.split("\n"))
        if note.id in since:
            yield f"    {under.said(since[note.id])}"
        for by, text in note.answers:
            yield fill("    {by} answers: {text}", by=_said(by), text=text)
    for one in found.decisions:
        row = "row_decision" if one.in_force else "row_decision_past"
        yield fill(SENTENCES_REVIEW[row], verdict=one.verdict, subject=one.subject, by=_said(one.by), reason=one.reason)
    for signed in found.signoffs:
        there = held.get(signed.id)
        yield fill(
            "sign-off {subject}, {by}: {state}", subject=signed.subject, by=_said(signed.by), state=_holds(there)
        )
        for line in there.lines if there else ():
            yield fill("    {line}: {said}", line=lock_file.head(line.subject), said=lock_check.describe_change(line))
        if there and there.unsaid:
            yield fill("    how the texts changed is not known: {why}", why=there.unsaid)
    for unread in found.unread[:LISTED]:
        yield fill(
            "event {sequence} cannot be used, so it is not shown: {why}", sequence=unread.sequence, why=unread.why
        )
    if (more := len(found.unread) - LISTED) > 0:
        yield fill("{n:,} more {n:event|events} cannot be used; --format json lists all of them", n=more)


def _note(note: Note) -> str:
    """A note's id, who wrote it, what it is on, and who looks after it until when."""
    anchor = ", ".join(f"{name} {value}" for name, value in note.anchor.items() if name != "kind")
    row = "row_note_on" if anchor else "row_note"
    said = fill(SENTENCES_REVIEW[row], id=note.id[:8], standing=note.standing, by=_said(note.by), anchor=anchor)
    if not (note.owner or note.due):
        return said
    whom = "row_owner_due" if note.owner and note.due else "row_owner" if note.owner else "row_due"
    return fill(SENTENCES_REVIEW[whom], note=said, owner=note.owner, due=note.due)


def _said(by: By) -> str:
    known, time = SENTENCES_REVIEW[f"by_{by.known}"], by.time[:16].replace("T", " ")
    return fill("{author} ({known}), {time} UTC", author=by.author, known=known, time=time)


def _holds(held: signing.Standing | None) -> str:
    if held is None:
        return "not checked"
    if held.unread:
        return fill("cannot be checked: {why}", why=held.unread)
    if not held.evidence:
        return SENTENCES_REVIEW["stale" if held.stale else "unchanged"]
    return fill(SENTENCES_REVIEW["stale_evidence" if held.stale else "evidence"], evidence="; ".join(held.evidence))
