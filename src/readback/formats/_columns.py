"""Column names, each of them once."""

from __future__ import annotations

from collections.abc import Sequence

from readback.types import Note, Place


def unique(given: Sequence[str], place: Place) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """The names with a repeated one numbered (`score`, `score_2`), so that no cell is lost, and a note for each."""
    names: dict[str, None] = {}
    notes: list[Note] = []
    for name in given:
        called = name
        number = 2
        while called in names or (called != name and called in given):
            called = f"{name}_{number}"
            number += 1
        if called != name:
            notes.append(Note("dat-duplicate-name", {"kind": "column", "name": name, "called": called}, place, name))
        names[called] = None
    return tuple(names), tuple(notes)
