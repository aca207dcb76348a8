"""Earlier turns of a conversation, with the rendered text in the place of its last question.

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


def with_history(
    messages: tuple[Message, ...],
    history: Any,
    place: Location,
    *,
    alone: bool = False,
    dialect: Literal["classic", "current"] = "classic",
) -> tuple[tuple[Message, ...], tuple[Diagnostic, ...]]:
    """`messages` (a system message or none, a user message) with `history`, a list of {role, content}, before the last.

    The last turn is replaced where it is the user's (inference), the one before it where the last two are user and
    assistant (training); otherwise the history stays as it is, the user message is lost, and that is noted. Of a
    history that begins with a system message the later program keeps that one alone; for the classic one it is a turn
    like any other, behind the mode's own system prompt. Where there are both, that is noted.

    `alone`: no format carries the conversation, so the rendered text is sent whatever the history is. It then goes
    last where it has no other place, and nothing of it is lost.
    """
    if not history:
        return messages, ()
    turns = [_turn(turn, i, place) for i, turn in enumerate(history)] if isinstance(history, list) else [None]
    if None in turns:
        return messages, (Diagnostic("alb-history-shape", {"roles": "?"}, _in(place, "history")),)
    said = [turn for turn in turns if turn is not None]
    roles = [turn.role for turn in said]
    head = messages[:-1]
    noted: tuple[Diagnostic, ...] = ()
    if roles[0] == "system" and head:
        noted = (Diagnostic("alb-history-system", {"sent": SENT[dialect]}, _in(place, "history[0]"), dialect),)
        head = head if dialect == "classic" else ()
    if roles[-1] == "user":
        return (*head, *said[:-1], messages[-1]), noted
    if roles[-2:] == ["user", "assistant"]:
        return (*head, *said[:-2], messages[-1], said[-1]), noted
    if alone:
        return (*head, *said, messages[-1]), noted
    return (*head, *said), (
        *noted,
        Diagnostic("alb-history-shape", {"roles": ", ".join(roles[-2:])}, _in(place, "history")),
    )


def is_earlier_turn(message: Message) -> bool:
    """Return whether a message is a turn of a record's history."""
    return any((segment.name or "").startswith("history[") for segment in message.segments)


def _turn(turn: Any, i: int, place: Location) -> Message | None:
    match turn:
        case {"role": ("system" | "user" | "assistant" | "tool") as role, "content": str() as text}:
            name = f"history[{i}].content"
            segments = (Segment(text, "variable", name, _in(place, name)),) if text else ()
            return Message(role, segments, whole_message(turn, role))
        case _:
            return None


def _in(place: Location, field: str) -> Location:
    return Location(file=place.file, line=place.line, field=field)
