"""Notes in bounded number: the first of each code are kept, all are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from readback.types import Diagnostic, Location

KEPT = 1_000  # of one code
LONGEST = 500  # characters of one value inside a note


class BoundedNotes:
    """The notes of one reading."""

    def __init__(self) -> None:
        self.kept: list[Diagnostic] = []
        self.counts: Counter[str] = Counter()

    def add(self, note: Diagnostic) -> None:
        self.counts[note.code] += 1
        if self.counts[note.code] <= KEPT:
            short = {name: v[:LONGEST] if isinstance(v, str) else v for name, v in note.values.items()}
            self.kept.append(replace(note, values=short, flagged=note.flagged[:LONGEST]))

    def extend(self, notes: Iterable[Diagnostic]) -> None:
        for note in notes:
            self.add(note)

    def take(self, others: BoundedNotes) -> None:
        """Take in what another one holds, and what it only counted."""
        self.extend(others.kept)
        self.counts.update(others.counts - Counter(note.code for note in others.kept))


def as_json(note: Diagnostic) -> dict[str, Any]:
    """A note as JSON values."""
    place = {name: value for name, value in asdict(note.place).items() if value is not None}
    return {
        "code": note.code,
        "values": dict(note.values),
        "place": place,
        "flagged": note.flagged,
        "severity": note.severity,
    }


def from_json(value: Mapping[str, Any]) -> Diagnostic:
    """The note that `as_json` wrote."""
    return Diagnostic(value["code"], value["values"], Location(**value["place"]), value["flagged"], value["severity"])
