"""What became of the texts that notes are on, and where in the texts in view their marked stretches are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from readback.html.exact import Mark
from readback.review import anchors
from readback.review.state import Note
from readback.review.store import NotReadable
from readback.types import Workspace
from readback.ui.common.draw import reviewing
from readback.ui.common.state import choice

SHARED = 2_000  # notes times versions of files
TITLED = 200  # characters of a note in the hint of its mark


@st.cache_data(max_entries=SHARED, show_spinner=False)
def _changed(key: str, called: str, _opened: Workspace, _note: Note) -> anchors.TextChange | None:
    try:
        if _note.text_hash:
            content = reviewing.store().content(_note.text_hash)
        else:
            content = None
    except NotReadable:
        content = None  # the page says so above
    return anchors.compare_text(_opened, _note, content)


def changed(note: Note) -> anchors.TextChange | None:
    """Return what became of the text under a note; None where it is the same, or the note is on no text."""
    return _changed(repr(choice.key()), note.id, choice.workspace(), note)


def describe_change(note: Note) -> str:
    """Return the same in words; "" where nothing changed."""
    change = changed(note)
    if change:
        return anchors.describe_text_change(change)
    return ""


def marks(here: Mapping[str, Any]) -> tuple[Mark, ...]:
    """Return the stretches of one text that open notes mark: those whose anchor names all that `here` names."""
    note_marks = []
    for note in reviewing.state().notes:
        at = note.anchor
        if note.standing == "closed" or "start" not in at or any(at.get(name) != here[name] for name in here):
            continue
        now = changed(note)
        if now is None:
            start, end = (at["start"], at["end"])
        else:
            start, end = (now.start, now.end)
        if start is not None and end is not None and end > start:
            title = f"{note.by.author}: {note.text[:TITLED]}"
            note_marks.append(Mark(start, end, 0, "noted", title))
    return tuple(note_marks)
