"""What the bounded child answers about prompts of other tools, as JSON, and how it is read back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from readback.projects.model import RenderedMessages, TextSegment
from readback.types import Location

Render = Callable[[Mapping[str, Any], Mapping[str, Any]], RenderedMessages]


def make_row_work(render: Render) -> Callable[[Sequence[Any]], dict[str, Any]]:
    """Return the work of the child that renders one row by `render`, from the settings of a mode and the fields."""

    def render_row(payload: Sequence[Any]) -> dict[str, Any]:
        """[mode settings, row settings, fields] → the messages as JSON."""
        settings, _, fields = payload
        return export_messages(render(settings, fields))

    return render_row


def export_place(place: Location) -> dict[str, Any]:
    """Return the parts of a place of a project that are known."""
    parts = {"file": place.file, "line": place.line, "column": place.column}
    return {name: part for name, part in parts.items() if part is not None}


def export_messages(answer: RenderedMessages) -> dict[str, Any]:
    """Return rendered messages as JSON."""
    return {
        "messages": answer.messages,
        "text": answer.text,
        "error": answer.error,
        "applies": answer.applies,
        "segments": [[[each.text, each.origin, each.variable] for each in message] for message in answer.segments],
        **({"notes": answer.notes} if answer.notes else {}),
        **({"hidden": answer.hidden} if answer.hidden else {}),
    }


def import_messages(raw: Mapping[str, Any]) -> RenderedMessages:
    """Return rendered messages from their JSON."""
    if raw["messages"] is None:
        messages = None
    else:
        messages = tuple(raw["messages"])
    segments = tuple(tuple(TextSegment(*each) for each in message) for message in raw["segments"])
    notes = tuple(raw.get("notes", ()))
    return RenderedMessages(messages, raw["text"], raw["error"], raw["applies"], segments, notes, raw.get("hidden"))
