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
from readback.records.dataset import Dataset, open_dataset
from readback.records.replies.answers import open_answers
from readback.review import anchors
from readback.review.state import Review
from readback.types import Assembly, Message, Selection, Workspace

MOST = 24  # prompts of a report; how many more could be shown is said


def list_prompts(opened: Workspace, review: Review) -> dict[str, Any]:
    """{"shown": [a prompt], "left": how many more were meant}"""
    data = open_dataset(opened.root, opened.dataset)
    if not len(data):
        return {"shown": [], "left": 0}
    choices = list(dict.fromkeys((*_list_noted(review, data), *_list_first(opened, review))))
    return {
        "shown": [_build_prompt(opened, data, at, choice) for at, choice in choices[:MOST]],
        "left": max(0, len(choices) - MOST),
    }


def _list_noted(review: Review, data: Dataset) -> Iterator[tuple[int, Selection]]:
    for note in review.notes:
        if note.standing != "closed":
            side = anchors.find_side(note.anchor)
        else:
            side = None
        if side and side.record is not None:
            at = data.find(side.record)
        else:
            at = None
        if side is not None and at is not None:
            yield at, side.choice


def _list_first(opened: Workspace, review: Review) -> Iterator[tuple[int, Selection]]:
    try:
        every = export_selections.list_default_selections(opened)
    except NothingToExport:
        return
    named = {name for entry in review.decisions for name in entry.subject.names}
    named |= {name for entry in review.signoffs for name in entry.subject.names}
    named |= {name for pair in planned(opened) for name in (pair.a, pair.b)}
    named_choices = [entry for entry in every if {entry.condition, entry.mode, entry.task} & named]
    yield from ((0, choice) for choice in named_choices or every)


def _build_prompt(opened: Workspace, data: Dataset, at: int, choice: Selection) -> dict[str, Any]:
    record = data.record(at)
    if choice.condition:
        condition = opened.condition(choice.condition)
    else:
        condition = None
    if condition and choice.judge:
        answers = open_answers(opened, condition)
    else:
        answers = None
    if answers and record.id is not None:
        answer = answers.get(record.id)
    else:
        answer = None
    assembly: Assembly = assemble.assemble(opened, record, choice, answer)
    names = ("condition", "mode", "task", "adapter", "judge")
    return {
        "choice": {name: value for name in names if (value := getattr(choice, name)) is not None},
        "record": record.id,
        "index": at,
        "fingerprint": assembly.fingerprint,
        "masked": assembly.masked,
        "messages": [
            {
                "role": message.role,
                "segments": [
                    {
                        "text": part.text,
                        "look": exact.look(part),
                        "origin": part.origin,
                        "name": part.name,
                        "where": where(part.place),
                    }
                    for part in message.segments
                ],
                **_list_parts(message),
            }
            for message in assembly.messages
        ],
        "why_not": [message.code for message in assembly.diagnostics] if not assembly.messages else [],
    }


def _list_parts(message: Message) -> dict[str, Any]:
    """List what a message holds besides its text; nothing for one of text alone, whose report stays as it was."""
    listed_parts = [{"title": part_title(part), "text": part.text} for part in parts(message.whole)]
    if listed_parts:
        return {"beside": listed_parts}
    return {}
