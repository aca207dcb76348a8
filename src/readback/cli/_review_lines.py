"""A review as `readback review list` says it: as JSON values, and as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from readback.review import lock_check, lock_file, signing, under
from readback.review.state import By, Note, Review
from readback.words import t

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
    changed = [f"{lock_file.head(line.subject)}: {lock_check.said(line)}" for line in held.lines]
    return {"stale": held.stale, "changes": changed, "evidence_changed": bool(held.evidence),
            "evidence": list(held.evidence), "unsaid": held.unsaid or None, "unread": held.unread or None}  # fmt: skip


def _by(by: By) -> dict[str, Any]:
    return {"author": by.author, "known": by.known, "time": by.time, "sequence": by.sequence}


def told(found: Review, held: dict[str, signing.Standing], since: dict[str, under.Changed]) -> Iterator[str]:
    if not (found.notes or found.decisions or found.signoffs):
        yield t("cli.review.empty")
    for note in found.notes:
        yield _note(note)
        yield from (f"    {line}" for line in note.text.split("\n"))
        if note.id in since:
            yield f"    {under.said(since[note.id])}"
        for by, text in note.answers:
            yield f"    {t('cli.review.row_answer', by=_said(by), text=text)}"
    for one in found.decisions:
        row = "row_decision" if one.in_force else "row_decision_past"
        yield t(f"cli.review.{row}", verdict=one.verdict, subject=one.subject, by=_said(one.by), reason=one.reason)
    for signed in found.signoffs:
        there = held.get(signed.id)
        yield t("cli.review.row_signoff", subject=signed.subject, by=_said(signed.by), state=_holds(there))
        for line in there.lines if there else ():
            yield f"    {t('cli.lock.changed', line=lock_file.head(line.subject), said=lock_check.said(line))}"
        if there and there.unsaid:
            yield f"    {t('cli.lock.unsaid', why=there.unsaid)}"
    for unread in found.unread[:LISTED]:
        yield t("cli.review.unread", sequence=unread.sequence, why=unread.why)
    if (more := len(found.unread) - LISTED) > 0:
        yield t("cli.review.unread_more", n=more)


def _note(note: Note) -> str:
    """A note's id, who wrote it, what it is on, and who looks after it until when."""
    anchor = ", ".join(f"{name} {value}" for name, value in note.anchor.items() if name != "kind")
    row = "row_note_on" if anchor else "row_note"
    said = t(f"cli.review.{row}", id=note.id[:8], standing=note.standing, by=_said(note.by), anchor=anchor)
    if not (note.owner or note.due):
        return said
    whom = "row_owner_due" if note.owner and note.due else "row_owner" if note.owner else "row_due"
    return t(f"cli.review.{whom}", note=said, owner=note.owner, due=note.due)


def _said(by: By) -> str:
    known, time = t(f"cli.review.by_{by.known}"), by.time[:16].replace("T", " ")
    return t("cli.review.by", author=by.author, known=known, time=time)


def _holds(held: signing.Standing | None) -> str:
    if held is None:
        return t("cli.review.not_checked")
    if held.unread:
        return t("cli.review.cannot_check", why=held.unread)
    if not held.evidence:
        return t(f"cli.review.{'stale' if held.stale else 'unchanged'}")
    return t(f"cli.review.{'stale_evidence' if held.stale else 'evidence'}", evidence="; ".join(held.evidence))
