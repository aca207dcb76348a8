"""The named chat formats of Albert: messages become the one text that the server sends to the model.

Source: `prompt_format` on the *Prompt template* page of etalab-ia/franceservices-backend (MIT); where the page is
silent, its program of May 2024 ("classic"). Every stretch keeps its origin: what the format adds is origin "serving".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from readback.serving.history import with_history
from readback.types import NOWHERE, Diagnostic, Message, ModelInput, Segment

Dialect = Literal["classic", "current"]
Bug = Literal["reproduce", "fixed"]
Segments = tuple[Segment, ...]

FORMATS = ("llama-chat", "llama2-chat", "llama3-chat", "chatml", "openai")
NO_FORMAT = "null"


def model_input(
    messages: Sequence[Message],
    format: str | None,  # noqa: A002 - the word of the configuration
    *,
    training: bool = False,
    history: Sequence[Any] = (),
    dialect: Dialect = "classic",
    chatml_bug: Bug = "reproduce",
    system_prompt: bool = True,
) -> ModelInput:
    """What `format` makes of the messages; None or "null" means no format.

    `messages` are an optional system message first (the program's own system prompt, unless `system_prompt` says that
    it is a turn of the history), then turns; `history` are earlier turns ({role, content}), of
    which the last user turn is replaced by the messages' user text. `training` ends after the assistant's text
    instead of asking for one. An unknown format gives no text and the diagnostic alb-format-unknown.

    Two things that look like mistakes of the program are shown as it sends them, and noted: where an answer is asked
    for after a last turn of the assistant, llama-chat writes that turn once more as the user's; the later program's
    ChatML writes the last message twice (not under `chatml_bug` "fixed", for whoever has repaired it).
    """
    name = format or NO_FORMAT
    if name not in (*FORMATS, NO_FORMAT):
        return ModelInput(
            name, (), (Diagnostic("alb-format-unknown", {"format": name, "known": FORMATS}, flagged=name),)
        )
    diagnostics: tuple[Diagnostic, ...] = ()
    if history:
        answer = tuple(message for message in messages if message.role == "assistant")
        asked = tuple(message for message in messages if message.role != "assistant")
        messages, diagnostics = with_history(
            asked, list(history), NOWHERE, alone=name == NO_FORMAT and dialect == "classic", dialect=dialect
        )
        if messages and messages[-1].role != "assistant":
            messages = (*messages, *answer)
    system, turns = _split(messages) if system_prompt else (None, tuple(messages))
    if name in ("llama-chat", "llama2-chat"):
        again = not training and bool(turns) and len(turns) % 2 == 0
        diagnostics = (
            *diagnostics,
            *_unpaired(turns),
            *(_repeated("alb-turn-repeated", name, turns[-1]) if again else ()),
        )
        return ModelInput(name, _compact(_llama2(system, turns, name, again)), diagnostics)
    if name == "llama3-chat":
        return ModelInput(name, _compact(_llama3(system, turns, name, training, dialect)), diagnostics)
    if name == "chatml":
        again = not training and bool(turns) and dialect == "current" and chatml_bug == "reproduce"
        diagnostics = (*diagnostics, *(_repeated("alb-user-duplicated", name, turns[-1]) if again else ()))
        sent = _chatml(system, (*turns, *turns[-1:]) if again else turns, name, training, dialect)
        return ModelInput(name, _compact(sent), diagnostics)
    kept = system if dialect == "current" else None
    if system and not kept:
        diagnostics = (*diagnostics, Diagnostic("alb-system-dropped", {"format": name}, flagged=name))
    if name == "openai" or dialect == "current":
        return ModelInput(name, _compact(_openai((*([kept] if kept else []), *turns), name)), diagnostics)
    users = [i for i, turn in enumerate(turns) if turn.role == "user"]
    if users and users[-1]:
        diagnostics = (
            *diagnostics,
            Diagnostic("alb-history-dropped", {"format": name, "turns": users[-1]}, flagged=name),
        )
    if not users:
        return ModelInput(name, (), diagnostics)
    # an empty text is sent like any other, and is not the same as none
    return ModelInput(name, turns[users[-1]].segments or (Segment("", "serving", name),), diagnostics)


def stripped(segments: Iterable[Segment]) -> Segments:
    """The segments without the blanks at both ends of their joined text, as Python's str.strip has it."""
    segments = tuple(segments)
    text = "".join(segment.text for segment in segments)
    end = len(text.rstrip())
    return cut(segments, min(len(text) - len(text.lstrip()), end), end)


def cut(segments: Iterable[Segment], start: int, end: int) -> Segments:
    """The segments of the stretch from `start` to `end` of their joined text."""
    found: list[Segment] = []
    at = 0
    for segment in segments:
        text = segment.text[max(0, start - at) : max(0, end - at)]
        at += len(segment.text)
        if text:
            found.append(replace(segment, text=text))
    return tuple(found)


def _split(messages: Sequence[Message]) -> tuple[Message | None, tuple[Message, ...]]:
    """The system prompt, None when there is no text in it, and the turns."""
    if messages and messages[0].role == "system":
        return (messages[0] if messages[0].text else None), tuple(messages[1:])
    return None, tuple(messages)


def _compact(segments: Iterable[Segment]) -> Segments:
    return tuple(segment for segment in segments if segment.text)


def _llama2(system: Message | None, turns: Sequence[Message], name: str, again: bool) -> Iterable[Segment]:
    """Turns in pairs from the start; the system block goes into the first one and is stripped with it.

    `again`: the last turn, which is no question, appears once more in the place of one.
    """

    def own(text: str) -> Segment:
        return Segment(text, "serving", name)

    block = (own("<<SYS>>\n"), *system.segments, own("\n<</SYS>>\n\n")) if system else ()
    for i in range(0, max(len(turns), 1), 2):
        asked = turns[i].segments if turns else ()
        yield own("<s>[INST] ")
        yield from stripped((*(block if i == 0 else ()), *asked))
        yield own(" [/INST]")
        if i + 1 < len(turns):
            yield own(" ")
            yield from stripped(turns[i + 1].segments)
            yield own(" </s>")
    if again:
        yield from (own("<s>[INST] "), *stripped(turns[-1].segments), own(" [/INST]"))


def _llama3(
    system: Message | None, turns: Sequence[Message], name: str, training: bool, dialect: Dialect
) -> Iterable[Segment]:
    def own(text: str) -> Segment:
        return Segment(text, "serving", name)

    def head(role: str) -> Segment:
        return own(f"<|start_header_id|>{role}<|end_header_id|>\n\n")

    yield own("<|begin_of_text|>")
    if system:
        yield from (head("system"), *_system(system, dialect), own("<|eot_id|>"))
    for turn in turns:
        yield from (head(turn.role), *stripped(turn.segments), own("<|eot_id|>"))
    yield own("<|end_of_text|>") if training else head("assistant")


def _chatml(
    system: Message | None, turns: Sequence[Message], name: str, training: bool, dialect: Dialect
) -> Iterable[Segment]:
    def own(text: str) -> Segment:
        return Segment(text, "serving", name)

    if system:
        yield from (own("<|im_start|>system\n"), *_system(system, dialect), own("<|im_end|>\n"))
    for turn in turns:
        yield from (own(f"<|im_start|>{turn.role}\n"), *stripped(turn.segments), own("<|im_end|>\n"))
    if not training:
        yield own("<|im_start|>assistant\n")


def _system(system: Message, dialect: Dialect) -> Segments:
    """The later program strips the system prompt like any other message; the classic one leaves it alone."""
    return stripped(system.segments) if dialect == "current" else system.segments


def _openai(messages: Sequence[Message], name: str) -> Iterable[Segment]:
    """The list of messages as compact JSON; a segment's text is its JSON spelling."""
    yield Segment("[", "serving", name)
    for i, message in enumerate(messages):
        head = f'{"," if i else ""}{{"role":{json.dumps(message.role, ensure_ascii=False)},"content":"'
        yield Segment(head, "serving", name)
        for segment in message.segments:
            spelt = json.dumps(segment.text, ensure_ascii=False)[1:-1]
            yield replace(segment, text=spelt)
        yield Segment('"}', "serving", name)
    yield Segment("]", "serving", name)


def _unpaired(turns: Sequence[Message]) -> tuple[Diagnostic, ...]:
    """A diagnostic where pairing puts a turn into the place of another role."""
    roles = [turn.role for turn in turns]
    if all(role == ("assistant" if i % 2 else "user") for i, role in enumerate(roles)):
        return ()
    return (Diagnostic("alb-history-shape", {"roles": ", ".join(roles)}, flagged=", ".join(roles)),)


def _repeated(code: str, name: str, last: Message) -> tuple[Diagnostic, ...]:
    """A diagnostic that the last turn is written twice."""
    return (Diagnostic(code, {"what": name, "format": name, "role": last.role}, flagged=name),)
