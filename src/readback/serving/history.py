"""Combine earlier turns of a conversation with the rendered text, which replaces its last question.

Source: the *Prompt template* page of etalab-ia/franceservices-backend and `format_messages_prompt` of its program.
"""

from __future__ import annotations

from typing import Any, Literal

from readback.message_parts import whole_message
from readback.types import Diagnostic, Location, Message, Segment

SENT = {
    "classic": "the program sends both, the mode's first",
    "current": "the program sends the history's alone",
}


def insert_history(
    messages: tuple[Message, ...],
    history: Any,
    place: Location,
    *,
    alone: bool = False,
    dialect: Literal["classic", "current"] = "classic",
) -> tuple[tuple[Message, ...], tuple[Diagnostic, ...]]:
    """Return `messages` (a system message or none, a user message) with `history` inserted before the last.

    `history` is a list of {role, content}. Its last turn is replaced if it is the user's (inference), the one before it
    if the last two are user and assistant (training). Otherwise the history stays as it is, the user message is
    dropped, and a diagnostic says so. If the history begins with a system message, the later program keeps only that
    one; for the classic one it is an ordinary turn behind the mode's own system prompt. If there are both, a diagnostic
    says so.

    `alone`: no format carries the conversation, so the rendered text is always sent: last, if it has no other place.
    """
    if not history:
        return messages, ()
    turns: list[Message | None] = [None]
    if isinstance(history, list):
        turns = [_read_turn(turn, i, place) for i, turn in enumerate(history)]
    if None in turns:
        return messages, (Diagnostic("alb-history-shape", {"roles": "?"}, _locate_field(place, "history")),)
    earlier = [turn for turn in turns if turn is not None]
    roles = [turn.role for turn in earlier]
    head = messages[:-1]
    diagnostics: tuple[Diagnostic, ...] = ()
    if roles[0] == "system" and head:
        diagnostics = (
            Diagnostic("alb-history-system", {"sent": SENT[dialect]}, _locate_field(place, "history[0]"), dialect),
        )
        head = head if dialect == "classic" else ()
    if roles[-1] == "user":
        return (*head, *earlier[:-1], messages[-1]), diagnostics
    if roles[-2:] == ["user", "assistant"]:
        return (*head, *earlier[:-2], messages[-1], earlier[-1]), diagnostics
    if alone:
        return (*head, *earlier, messages[-1]), diagnostics
    shape = Diagnostic("alb-history-shape", {"roles": ", ".join(roles[-2:])}, _locate_field(place, "history"))
    return (*head, *earlier), (*diagnostics, shape)


def is_earlier_turn(message: Message) -> bool:
    """Return whether a message is a turn of a record's history."""
    return any((segment.name or "").startswith("history[") for segment in message.segments)


def _read_turn(turn: Any, i: int, place: Location) -> Message | None:
    match turn:
        case {"role": ("system" | "user" | "assistant" | "tool") as role, "content": str() as text}:
            name = f"history[{i}].content"
            segments = (Segment(text, "variable", name, _locate_field(place, name)),) if text else ()
            return Message(role, segments, whole_message(turn, role))
        case _:
            return None


def _locate_field(place: Location, field: str) -> Location:
    return Location(file=place.file, line=place.line, field=field)
