"""What is still open before somebody signs: errors that nobody accepted, items, notes, sign-offs that went stale."""

from __future__ import annotations

from collections.abc import Mapping

from readback.checks.groups import groups
from readback.checks.summary import Audit
from readback.review.agenda import Agenda
from readback.review.state import Review

POINTS = ("errors", "undecided", "deferred", "notes", "stale")


def count_open_points(audit: Audit, agenda: Agenda, review: Review, stale: int) -> Mapping[str, int]:
    """Return how many of each kind are open, in the order in which they are listed; `stale` are sign-offs."""
    return {
        "errors": _count_errors(audit, agenda),
        "undecided": len(agenda.open),
        "deferred": len(agenda.deferred),
        "notes": sum(note.standing == "open" for note in review.notes),
        "stale": stale,
    }


def _count_errors(audit: Audit, agenda: Agenda) -> int:
    """Return how many errors were found of rules that nobody accepted on the agenda."""
    accepted = set[str]()
    for item in agenda.items:
        decision = agenda.decided.get(item.key)
        if decision is None or decision.verdict != "accept":
            continue
        accepted.add(item.key.removeprefix("finding:"))
        if item.kind == "comparison" and item.verdict is not None:
            accepted |= {fault.code for fault in item.verdict.faults}
    return sum(group.count for group in groups(audit) if group.severity == "error" and group.code not in accepted)
