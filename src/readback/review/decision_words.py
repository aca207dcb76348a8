"""Name a decision by what follows from it, in the words of the button that records it."""

from __future__ import annotations

from collections.abc import Mapping

from readback.review.event import Verdict
from readback.review.state import Decision
from readback.review.subject import Subject
from readback.words import t

# What a decision is on, by how the key of its item begins (see agenda.Item). Elsewhere it is on a subject alone.
KINDS: Mapping[str, str] = {
    "since": "since",
    "comparison": "comparison",
    "finding": "finding",
    "result": "score",
    "score": "score",
    "agreement": "score",
    "note": "note",
    "added": "added",
}


def name_verdict(verdict: Verdict, kind: str) -> str:
    """Return what a verdict is called on a kind of item, or on a subject: `comparison`, `subject`."""
    return t(f"decision.{verdict}_{kind}")


def find_kind(decision: Decision) -> str:
    """Return what a decision is on. Keys of items come from files too, so any text may be in them."""
    return KINDS.get(decision.item.partition(":")[0]) or find_subject_kind(decision.subject)


def find_subject_kind(subject: Subject) -> str:
    """Return what a decision on a subject alone is on."""
    if subject.kind == "comparison":
        return "comparison"
    return "subject"


def name_decision(decision: Decision) -> str:
    """Return what a decision is called: the words of its button."""
    return name_verdict(decision.verdict, find_kind(decision))
