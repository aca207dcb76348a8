"""A review as `readback review list` says it: as JSON values, and as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from readback.quantity import quantity
from readback.review import lock_file, locked, signing, under
from readback.review.state import By, Review


def broken(broken: Any) -> dict[str, Any] | None:
    return {"sequence": broken.sequence, "why": broken.why} if broken else None


def values(found: Review, held: dict[str, signing.Standing], since: dict[str, under.Changed]) -> dict[str, Any]:
    """{"notes", "decisions", "signoffs"}; of a sign-off `stale` is null where nobody looked. `changed` of a note says
    what became of the text under it since it was written, null where that is the same or nobody looked.
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
    }  # fmt: skip


def _standing(held: signing.Standing | None) -> dict[str, Any]:
    if held is None:
        return {"stale": None, "changes": [], "evidence_changed": None, "evidence": []}
    changed = [f"{lock_file.head(line.subject)}: {locked.said(line)}" for line in held.lines]
    return {"stale": held.stale, "changes": changed, "evidence_changed": bool(held.evidence),
            "evidence": list(held.evidence), "unsaid": held.unsaid or None, "unread": held.unread or None}  # fmt: skip


def _by(by: By) -> dict[str, Any]:
    return {"author": by.author, "known": by.known, "time": by.time, "sequence": by.sequence}


def told(found: Review, held: dict[str, signing.Standing], since: dict[str, under.Changed]) -> Iterator[str]:
    if not (found.notes or found.decisions or found.signoffs):
        yield "nothing is noted, decided or signed yet: readback review note WORKSPACE --text T begins it"
    for note in found.notes:
        where = ", ".join(f"{name} {value}" for name, value in note.anchor.items() if name != "kind")
        more = f"; {note.owner} until {note.due}" if note.owner and note.due else f"; {note.owner or note.due}"
        yield f"note {note.id[:8]} [{note.standing}] {_said(note.by)}{': ' + where if where else ''}{more.rstrip('; ')}"
        yield from (f"    {line}" for line in note.text.split("\n"))
        if note.id in since:
            yield f"    {under.said(since[note.id])}"
        for by, text in note.answers:
            yield f"    {_said(by)} answers: {text}"
    for one in found.decisions:
        past = "" if one.in_force else " (a later decision took its place)"
        yield f"decision {one.verdict}: {one.subject}, {_said(one.by)}{past}: {one.reason}"
    for signed in found.signoffs:
        yield f"sign-off {signed.subject}, {_said(signed.by)}: {_holds(held.get(signed.id))}"
        there = held.get(signed.id)
        for line in there.lines if there else ():
            yield f"    {lock_file.head(line.subject)}: {locked.said(line)}"
        if there and there.unsaid:
            yield f"    how the texts changed is not known: {there.unsaid}"
    if found.unread:
        yield f"{quantity(len(found.unread), 'event')} of a newer Readback, not understood here"


def _said(by: By) -> str:
    how = {"asked": "name as given", "proxy": "known by the proxy", "cli": "command line"}[by.known]
    return f"{by.author} ({how}), {by.time[:16].replace('T', ' ')} UTC"


def _holds(held: signing.Standing | None) -> str:
    if held is None:
        return "not looked at"
    if held.unread:
        return f"cannot be checked: {held.unread}"
    evidence = f"evidence changed: {'; '.join(held.evidence)}" if held.evidence else ""
    if held.stale:
        return f"stale{'; ' + evidence if evidence else ''}"
    return evidence or "unchanged"
