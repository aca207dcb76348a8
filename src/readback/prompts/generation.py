"""The call that answers the question: the model's own system prompt, and earlier turns before the question.

Source: how biocypher/karenina builds this call, apart from its assembler. Without earlier turns it comes out the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, get_args

from readback.message_parts import whole_message
from readback.prompts.selections import SelectedTexts
from readback.prompts.tri_section import Segments
from readback.tasks import GENERATION
from readback.types import Diagnostic, Location, Message, Model, Record, Role, Segment

FIELD = "history"  # of the record: a list of {role, content}
SHOWN = 60  # characters of a wrong value that are worth showing


class Begun(NamedTuple):
    """What is before the question: the base system text, and the turns of the record's history."""

    system: Segments
    turns: tuple[Message, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def begin(system: Segments, condition: SelectedTexts, record: Record) -> Begun:
    """How a call begins. Only that of the task generation is special; a mode has a program of its own.

    A task text without a system text gets the model's own system prompt. A history with a system message keeps that
    one alone.
    """
    if not condition.is_task or condition.task != GENERATION:
        return Begun(system)
    turns, diagnostics = earlier_turns(record)
    if any(turn.role == "system" for turn in turns):
        return Begun((), turns, diagnostics)
    return Begun(system or own_system(condition.model), turns, diagnostics)


def own_system(model: Model | None) -> Segments:
    """The system prompt that the configuration gives the answering model."""
    text = model.settings.get("system_prompt") if model else None
    if model is None or not isinstance(text, str) or not text:
        return ()
    return (Segment(text, "system", model.name, model.place),)


def earlier_turns(record: Record) -> tuple[tuple[Message, ...], tuple[Diagnostic, ...]]:
    """The turns in the record's history, or a diagnostic where it is none. Blocks of a turn are joined by a line feed.

    A turn needs a role that is known; what it holds besides texts (tool calls, thinking) is the message's `whole`.
    """
    history = record.fields.get(FIELD)
    if history in (None, "", []):
        return (), ()
    turns = [_turn(turn, i, record.place) for i, turn in enumerate(history)] if isinstance(history, list) else [None]
    said = tuple(turn for turn in turns if turn is not None)
    if len(said) == len(turns):
        return said, ()
    at = turns.index(None)
    wrong = history[at] if isinstance(history, list) else history
    shown = json.dumps(wrong, ensure_ascii=False, default=str)[:SHOWN]
    where, expected = f"{FIELD}[{at}]", f"a turn with role ({', '.join(get_args(Role))}) and content"
    place = replace(record.place, field=FIELD)
    return (), (Diagnostic("dat-wrong-value", {"where": where, "value": shown, "expected": expected}, place, shown),)


def with_turns(messages: tuple[Message, ...], turns: tuple[Message, ...]) -> tuple[Message, ...]:
    """System message (or none), the turns, the question."""
    return (*messages[:-1], *turns, messages[-1])


def _turn(turn: Any, i: int, place: Location) -> Message | None:
    if not isinstance(turn, Mapping) or turn.get("role") not in get_args(Role):
        return None
    text = _text(turn.get("content"))
    name = f"{FIELD}[{i}].content"
    segment = Segment(text or "", "variable", name, Location(file=place.file, line=place.line, field=name))
    if text is None:
        return None
    return Message(turn["role"], (segment,) if text else (), whole_message(turn, turn["role"]))


def _text(content: Any) -> str | None:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list) or not all(isinstance(block, Mapping) for block in content):
        return None
    texts = [block["text"] for block in content if block.get("type") == "text" and isinstance(block.get("text"), str)]
    return "\n".join(texts)
