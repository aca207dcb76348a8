"""Rows that are messages: a field of the record holds what is sent, a list of messages with their roles.

Source: the samples of OpenAI's evals (`input: [{role, content}]`, `ideal`), and chat rows with an expected answer
(`messages`, `target`). The messages go out as they are: nothing is rendered, stripped or joined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from readback.message_parts import whole_message
from readback.records.fields.row_fields import locate_field, name_json_type
from readback.types import Diagnostic, Location, Message, Record, Segment

CODE = "dat-no-messages"
# Names that such a field has, the likeliest first; another name is taken where it is the only one.
NAMES = ("input", "messages", "prompt", "conversation", "chat", "dialog", "dialogue", "turns")


def find_messages_field(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the field that holds messages in every row; None without one, or where several could be meant."""
    if not rows:
        return None
    fields = [name for name in rows[0] if all(is_conversation(row.get(name)) for row in rows)]
    likeliest = next((name for name in NAMES if name in fields), None)
    return likeliest or (fields[0] if len(fields) == 1 else None)


def is_conversation(value: Any) -> bool:
    """Tell whether a value is a list of messages: objects that each have a role, and a content or tool calls."""
    if not isinstance(value, list) or not value:
        return False
    return all(
        isinstance(item, Mapping) and isinstance(item.get("role"), str) and ("content" in item or "tool_calls" in item)
        for item in value
    )


def build_row_messages(record: Record, field: str) -> tuple[tuple[Message, ...], tuple[Diagnostic, ...]]:
    """Return the messages that a field of a record holds, or a diagnostic for each that is none and then no message."""
    value = record.fields.get(field)
    place = locate_field(record, field)
    if not isinstance(value, list) or not value:
        if field in record.fields:
            what = name_json_type(value)
        else:
            what = "absent"
        return (), (Diagnostic(CODE, {"field": field, "what": what}, place, field),)
    wrong = [at for at, item in enumerate(value) if not is_conversation([item])]
    if wrong:
        name = f"{field}[{wrong[0]}]"
        values = {"field": name, "what": name_json_type(value[wrong[0]])}
        return (), (Diagnostic(CODE, values, locate_field(record, name), name),)
    return tuple(_build_message(item, f"{field}[{at}]", place) for at, item in enumerate(value)), ()


def _build_message(item: Mapping[str, Any], name: str, place: Location) -> Message:
    role = str(item["role"])
    return Message(role, tuple(_list_segments(item.get("content"), name, place)), whole_message(item, role))


def _list_segments(content: Any, name: str, place: Location) -> list[Segment]:
    """Return the texts of a content, those of its parts joined by a line feed."""
    if isinstance(content, str):
        if content:
            return [Segment(content, "variable", f"{name}.content", place)]
        return []
    segments: list[Segment] = []
    for at, part in enumerate(content if isinstance(content, list) else ()):
        if isinstance(part, Mapping):
            text = part.get("text")
        else:
            text = part
        if isinstance(text, str) and text:
            if segments:
                segments.append(Segment("\n", "joiner"))
            segments.append(Segment(text, "variable", f"{name}.content[{at}]", place))
    return segments
