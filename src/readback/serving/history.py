"""Earlier turns of a conversation, with the rendered text in the place of its last question.

Source: the *Prompt template* page of etalab-ia/franceservices-backend and `format_messages_prompt` of its program.
"""

from __future__ import annotations

from typing import Any

from readback.message_parts import whole_message
from readback.types import Diagnostic, Location, Message, Segment


def with_history(
    messages: tuple[Message, ...], history: Any, place: Location, *, alone: bool = False
) -> tuple[tuple[Message, ...], tuple[Diagnostic, ...]]:
    """`messages` (a system message or none, a user message) with `history`, a list of {role, content}, before the last.

    The last turn is replaced where it is the user's (inference), the one before it where the last two are user and
    assistant (training); otherwise the history stays as it is, the user message is lost, and that is noted. A history
    that begins with a system message keeps it.

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
    head = () if roles[0] == "system" else messages[:-1]
    if roles[-1] == "user":
        return (*head, *said[:-1], messages[-1]), ()
    if roles[-2:] == ["user", "assistant"]:
        return (*head, *said[:-2], messages[-1], said[-1]), ()
    if alone:
        return (*head, *said, messages[-1]), ()
    return (*head, *said), (Diagnostic("alb-history-shape", {"roles": ", ".join(roles[-2:])}, _in(place, "history")),)


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
