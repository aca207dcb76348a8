"""Convert messages to the one text that the server sends to the model, by the named chat formats of Albert.

Source: `prompt_format` on the *Prompt template* page of etalab-ia/franceservices-backend (MIT); where the page is
silent, its program of May 2024 ("classic"). Every stretch keeps its origin: what the format adds is origin "serving".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from readback.serving.history import insert_history
from readback.types import NOWHERE, Diagnostic, Message, ModelInput, Segment

Dialect = Literal["classic", "current"]
Bug = Literal["reproduce", "fixed"]
Segments = tuple[Segment, ...]

FORMATS = ("llama-chat", "llama2-chat", "llama3-chat", "chatml", "openai")
NO_FORMAT = "null"


def build_model_input(
    messages: Sequence[Message],
    format: str | None,  # noqa: A002 - the word of the configuration
    *,
    training: bool = False,
    history: Sequence[Any] = (),
    dialect: Dialect = "classic",
    chatml_bug: Bug = "reproduce",
    system_prompt: bool = True,
) -> ModelInput:
    """Return the model input that `format` makes of the messages; None or "null" means no format.

    `messages` are an optional system message (the program's own system prompt, unless `system_prompt` is false: then
    it is a turn of the history), then turns; `history` are earlier turns ({role, content}), of which the last user turn
    is replaced by the messages' user text. `training` ends after the assistant's text instead of asking for one. An
    unknown format gives no text and the diagnostic alb-format-unknown.

    Two probable mistakes of the program are reproduced and reported: if an answer is requested after a last turn of the
    assistant, llama-chat repeats that turn as the user's; the later program's ChatML writes the last message twice
    (not with `chatml_bug` "fixed", for a repaired program).
    """
    name = format or NO_FORMAT
    if name not in (*FORMATS, NO_FORMAT):
        unknown = Diagnostic("alb-format-unknown", {"format": name, "known": FORMATS}, flagged=name)
        return ModelInput(name, (), (unknown,))
    diagnostics: tuple[Diagnostic, ...] = ()
    if history:
        answer = tuple(message for message in messages if message.role == "assistant")
        prompt = tuple(message for message in messages if message.role != "assistant")
        alone = name == NO_FORMAT and dialect == "classic"
        messages, diagnostics = insert_history(prompt, list(history), NOWHERE, alone=alone, dialect=dialect)
        if messages and messages[-1].role != "assistant":
            messages = (*messages, *answer)
    if system_prompt:
        system, turns = _split_system(messages)
    else:
        system, turns = (None, tuple(messages))
    if name in ("llama-chat", "llama2-chat"):
        again = not training and bool(turns) and len(turns) % 2 == 0
        diagnostics = (*diagnostics, *_report_unpaired(turns))
        if again:
            diagnostics = (*diagnostics, _report_repeat("alb-turn-repeated", name, turns[-1]))
        return ModelInput(name, _drop_empty(_write_llama2(system, turns, name, again)), diagnostics)
    if name == "llama3-chat":
        return ModelInput(name, _drop_empty(_write_llama3(system, turns, name, training, dialect)), diagnostics)
    if name == "chatml":
        again = not training and bool(turns) and dialect == "current" and chatml_bug == "reproduce"
        if again:
            diagnostics = (*diagnostics, _report_repeat("alb-user-duplicated", name, turns[-1]))
            turns = (*turns, turns[-1])
        return ModelInput(name, _drop_empty(_write_chatml(system, turns, name, training, dialect)), diagnostics)
    sent_messages = turns
    if system and dialect == "current":
        sent_messages = (system, *turns)
    elif system:
        diagnostics = (*diagnostics, Diagnostic("alb-system-dropped", {"format": name}, flagged=name))
    if name == "openai" or dialect == "current":
        return ModelInput(name, _drop_empty(_write_openai(sent_messages, name)), diagnostics)
    users = [i for i, turn in enumerate(turns) if turn.role == "user"]
    if users and users[-1]:
        dropped_turns = Diagnostic("alb-history-dropped", {"format": name, "turns": users[-1]}, flagged=name)
        diagnostics = (*diagnostics, dropped_turns)
    if not users:
        return ModelInput(name, (), diagnostics)
    # An empty text is sent like any other; it is not the same as no text.
    return ModelInput(name, turns[users[-1]].segments or (Segment("", "serving", name),), diagnostics)


def strip_segments(segments: Iterable[Segment]) -> Segments:
    """Return the segments without the blanks at both ends of their joined text, as str.strip removes them."""
    segments = tuple(segments)
    text = "".join(segment.text for segment in segments)
    end = len(text.rstrip())
    return cut_segments(segments, min(len(text) - len(text.lstrip()), end), end)


def cut_segments(segments: Iterable[Segment], start: int, end: int) -> Segments:
    """Return the segments of the stretch from `start` to `end` of their joined text."""
    stretch: list[Segment] = []
    offset = 0
    for segment in segments:
        text = segment.text[max(0, start - offset) : max(0, end - offset)]
        offset += len(segment.text)
        if text:
            stretch.append(replace(segment, text=text))
    return tuple(stretch)


def _split_system(messages: Sequence[Message]) -> tuple[Message | None, tuple[Message, ...]]:
    """Return the system prompt, None if it has no text, and the turns."""
    if messages and messages[0].role == "system":
        return (messages[0] if messages[0].text else None), tuple(messages[1:])
    return None, tuple(messages)


def _drop_empty(segments: Iterable[Segment]) -> Segments:
    return tuple(segment for segment in segments if segment.text)


def _write_llama2(system: Message | None, turns: Sequence[Message], name: str, again: bool) -> Iterable[Segment]:
    """Yield turns in pairs from the start; the system block goes into the first one and is stripped with it.

    `again`: the last turn, which is not a question, is repeated in the place of one.
    """

    def write(text: str) -> Segment:
        return Segment(text, "serving", name)

    if system:
        block = (write("<<SYS>>\n"), *system.segments, write("\n<</SYS>>\n\n"))
    else:
        block = ()
    for i in range(0, max(len(turns), 1), 2):
        question = turns[i].segments if turns else ()
        if i == 0:
            question = (*block, *question)
        yield write("<s>[INST] ")
        yield from strip_segments(question)
        yield write(" [/INST]")
        if i + 1 < len(turns):
            yield write(" ")
            yield from strip_segments(turns[i + 1].segments)
            yield write(" </s>")
    if again:
        yield from (write("<s>[INST] "), *strip_segments(turns[-1].segments), write(" [/INST]"))


def _write_llama3(
    system: Message | None, turns: Sequence[Message], name: str, training: bool, dialect: Dialect
) -> Iterable[Segment]:
    def write(text: str) -> Segment:
        return Segment(text, "serving", name)

    def write_head(role: str) -> Segment:
        return write(f"<|start_header_id|>{role}<|end_header_id|>\n\n")

    yield write("<|begin_of_text|>")
    if system:
        yield from (write_head("system"), *_get_system_segments(system, dialect), write("<|eot_id|>"))
    for turn in turns:
        yield from (write_head(turn.role), *strip_segments(turn.segments), write("<|eot_id|>"))
    yield write("<|end_of_text|>") if training else write_head("assistant")


def _write_chatml(
    system: Message | None, turns: Sequence[Message], name: str, training: bool, dialect: Dialect
) -> Iterable[Segment]:
    def write(text: str) -> Segment:
        return Segment(text, "serving", name)

    if system:
        yield from (write("<|im_start|>system\n"), *_get_system_segments(system, dialect), write("<|im_end|>\n"))
    for turn in turns:
        yield from (write(f"<|im_start|>{turn.role}\n"), *strip_segments(turn.segments), write("<|im_end|>\n"))
    if not training:
        yield write("<|im_start|>assistant\n")


def _get_system_segments(system: Message, dialect: Dialect) -> Segments:
    """Return the system prompt's segments, which the later program strips and the classic one does not."""
    if dialect == "current":
        return strip_segments(system.segments)
    return system.segments


def _write_openai(messages: Sequence[Message], name: str) -> Iterable[Segment]:
    """Yield the list of messages as compact JSON; a segment's text is its JSON spelling."""
    yield Segment("[", "serving", name)
    for i, message in enumerate(messages):
        head = f'{"," if i else ""}{{"role":{json.dumps(message.role, ensure_ascii=False)},"content":"'
        yield Segment(head, "serving", name)
        for segment in message.segments:
            json_text = json.dumps(segment.text, ensure_ascii=False)[1:-1]
            yield replace(segment, text=json_text)
        yield Segment('"}', "serving", name)
    yield Segment("]", "serving", name)


def _report_unpaired(turns: Sequence[Message]) -> tuple[Diagnostic, ...]:
    """Report a turn that pairing puts into the place of another role."""
    roles = [turn.role for turn in turns]
    if all(role == ("assistant" if i % 2 else "user") for i, role in enumerate(roles)):
        return ()
    return (Diagnostic("alb-history-shape", {"roles": ", ".join(roles)}, flagged=", ".join(roles)),)


def _report_repeat(code: str, name: str, last: Message) -> Diagnostic:
    """Report that the last turn is written twice."""
    return Diagnostic(code, {"what": name, "format": name, "role": last.role}, flagged=name)
