"""Find the request in a row of a log: its messages, or the one prompt that was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from readback.records.replies.logged_calls import TEXT_ROLE, read_messages
from readback.types import NOWHERE

BODIES = ("request", "request_body", "body", "payload", "json")  # where logs keep the body of a request
PROMPTS = ("prompt", "prompt_text")
BLOCKS = ("text", "input_text", "output_text")
CONTEXT = "conversation_context"
JOINER = "\n"  # between the text blocks of one message, as clients that keep blocks join them


@dataclass(frozen=True, slots=True)
class Request:
    """What was sent. A `chat` lists every message; a `prompt` is one text, its system text beside it if logged."""

    form: Literal["chat", "prompt"]
    messages: tuple[tuple[str, str], ...]  # role, text; of a prompt: perhaps ("system", …), then ("user", …)
    model: str | None = None


def read_request(fields: Mapping[str, Any]) -> Request | str:
    """Return the request in a row, or the reason why there is none.

    Known are `messages` (OpenAI, Ollama chat; Anthropic with `system` beside them), `prompt` (completions, Ollama
    generate with `system`), `input` with `instructions` (OpenAI responses), at the top of the row or under one of
    BODIES, there also as JSON text; and the `conversation_context` of a verification result, the messages that its
    answering model was sent (biocypher/karenina).
    """
    reasons = []
    for body in _list_bodies(fields):
        request = _read_body(body)
        if isinstance(request, Request):
            return request
        if request:
            reasons.append(request)
    if reasons:
        return reasons[0]
    return "it contains no messages, prompt or request body"


def _list_bodies(fields: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in BODIES:
        value = fields.get(name)
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                continue
        if isinstance(value, Mapping):
            yield from (value[inner] for inner in BODIES if isinstance(value.get(inner), Mapping))
            yield value
    yield fields
    yield from _read_context(find_result(fields))


def find_result(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a verification result that is under `result`, beside its key; any other row unchanged."""
    inner = fields.get("result")
    if isinstance(inner, Mapping) and isinstance(inner.get("metadata"), Mapping):
        return inner
    return fields


def _read_context(result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    metadata = result.get("metadata")
    if isinstance(metadata, Mapping):
        answering = metadata.get("answering")
    else:
        answering = None
    if isinstance(answering, Mapping):
        model = answering.get("model_name")
    else:
        model = None
    for place in (result.get("template"), result):
        if isinstance(place, Mapping) and isinstance(place.get(CONTEXT), list):
            yield {"messages": place[CONTEXT], "model": model}


def _read_body(body: Mapping[str, Any]) -> Request | str:
    model = body.get("model")
    if isinstance(model, str):
        model_name = model
    else:
        model_name = None
    system = _read_text(body.get("system", body.get("instructions")))
    before = (("system", system),) if system else ()
    messages = body.get("messages", body.get("input"))
    if isinstance(messages, list):
        return _read_chat(messages, before, model_name)
    for name in (*PROMPTS, "input"):
        text = body.get(name)
        if isinstance(text, str):
            return Request("prompt", (*before, ("user", text)), model_name)
    return ""


def _read_chat(values: list[Any], before: tuple[tuple[str, str], ...], model: str | None) -> Request | str:
    messages = list(before)
    for number, value in enumerate(values, 1):
        role, text = None, None
        if isinstance(value, Mapping):
            role, text = value.get("role"), _read_text(value.get("content"))
        if not isinstance(role, str) or text is None:
            return f"message {number} has no role with a text"
        messages.append((role, text))
    if messages:
        return Request("chat", tuple(messages), model)
    return "its list of messages is empty"


def _read_text(content: Any) -> str | None:
    """Return a text, or the joined text blocks of a list; None where there is anything else, such as an image."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    blocks = [block for block in content if isinstance(block, Mapping)]
    texts = [block["text"] for block in blocks if block.get("type") in BLOCKS and isinstance(block.get("text"), str)]
    if len(texts) == len(content):
        return JOINER.join(texts)
    return None


def read_call(fields: Mapping[str, Any]) -> Request | str:
    """Return the request in a call of another tool's log (`readers/logs`), or the reason why there is none."""
    messages = read_messages(fields, NOWHERE)
    if not messages:
        return str(fields.get("error") or fields.get("warning") or "its row has no messages")
    texts = tuple((message.role, message.text) for message in messages)
    model = fields.get("model")
    name = model if isinstance(model, str) else None
    if texts[0][0] == TEXT_ROLE:
        return Request("prompt", (("user", texts[0][1]),), name)
    return Request("chat", texts, name)
