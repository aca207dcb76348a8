"""The prompts that a report shows exactly as they are sent, with the origin of each stretch.

Shown are the records that somebody noted something on, under the condition of the note, and of every other condition
that was decided on, signed, or is in a planned comparison (of all, where there is none of these) its first record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from readback.checks.comparisons import planned
from readback.checks.quoted import where
from readback.exporting import selections as export_selections
from readback.exporting.selections import NothingToExport
from readback.html import exact
from readback.message_parts import part_title, parts
from readback.prompts import assemble
from readback.records.answers import open_answers
from readback.records.dataset import Dataset, open_dataset
from readback.review import anchors
from readback.review.state import Review
from readback.types import Assembly, Message, Selection, Workspace

MOST = 24  # prompts of a report; how many more could be shown is said


def shown(opened: Workspace, found: Review) -> dict[str, Any]:
    """{"shown": [a prompt], "left": how many more were meant}"""
    data = open_dataset(opened.root, opened.dataset)
    if not len(data):
        return {"shown": [], "left": 0}
    meant = list(dict.fromkeys((*_noted(found, data), *_first(opened, found))))
    return {"shown": [_prompt(opened, data, at, choice) for at, choice in meant[:MOST]],
            "left": max(0, len(meant) - MOST)}  # fmt: skip


def _noted(found: Review, data: Dataset) -> Iterator[tuple[int, Selection]]:
    for one in found.notes:
        asked = anchors.find_side(one.anchor) if one.standing != "closed" else None
        at = data.find(asked.record) if asked and asked.record is not None else None
        if asked is not None and at is not None:
            yield at, asked.choice


def _first(opened: Workspace, found: Review) -> Iterator[tuple[int, Selection]]:
    try:
        every = export_selections.list_default_selections(opened)
    except NothingToExport:
        return
    named = {name for one in found.decisions for name in one.subject.names}
    named |= {name for one in found.signoffs for name in one.subject.names}
    named |= {name for pair in planned(opened) for name in (pair.a, pair.b)}
    meant = [one for one in every if {one.condition, one.mode, one.task} & named]
    yield from ((0, choice) for choice in meant or every)


def _prompt(opened: Workspace, data: Dataset, at: int, choice: Selection) -> dict[str, Any]:
    record = data.record(at)
    condition = opened.condition(choice.condition) if choice.condition else None
    answers = open_answers(opened, condition) if condition and choice.judge else None
    answer = answers.get(record.id) if answers and record.id is not None else None
    made: Assembly = assemble.assemble(opened, record, choice, answer)
    names = ("condition", "mode", "task", "adapter", "judge")
    return {
        "choice": {name: value for name in names if (value := getattr(choice, name)) is not None},
        "record": record.id, "index": at, "fingerprint": made.fingerprint, "masked": made.masked,
        "messages": [
            {"role": one.role, "segments": [
                {"text": part.text, "look": exact.look(part), "origin": part.origin, "name": part.name,
                 "where": where(part.place)} for part in one.segments
            ], **_beside(one)} for one in made.messages
        ],
        "why_not": [one.code for one in made.diagnostics] if not made.messages else [],
    }  # fmt: skip


def _beside(message: Message) -> dict[str, Any]:
    """What a message holds besides its text; nothing for one of text alone, whose report stays as it was."""
    found = [{"title": part_title(part), "text": part.text} for part in parts(message.whole)]
    return {"beside": found} if found else {}
