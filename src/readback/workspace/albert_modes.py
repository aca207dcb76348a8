"""What the option `albert_dialect: current` changes in what was noted while Albert configurations were read."""

from __future__ import annotations

from readback.workspace.draft import Draft


def settle(draft: Draft) -> None:
    """In the later program a mode needs no template: it then sends the bare query, and nothing is missing."""
    if draft.options.get("albert_dialect") == "current":
        optional = [note for note in draft.notes if note.code == "alb-template-missing" and not note.values["template"]]
        draft.notes[:] = [note for note in draft.notes if note not in optional]
