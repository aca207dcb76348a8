"""Write a reply of a fixed text in the form of each interface, whole or streamed.

Forms: those of openai 3.54.0, anthropic 2.12.0 and the documentation of Ollama's API. Counts of tokens are 0: nothing
was counted.
"""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from readback.tap.interfaces import Form

CREATED = 0  # seconds since 1970: a reply is the same whenever it is given
DAY = "1970-01-01T00:00:00Z"
EVENTS, LINES, JSON = "text/event-stream", "application/x-ndjson", "application/json"
MOST_CHOICES = 128
VECTOR = [0.0, 1.0]  # of every text
DONE = "data: [DONE]\n\n"


class CannedReply(NamedTuple):
    """The parts of a reply, sent one after another, and what they are."""

    media_type: str
    parts: Iterator[str]


def reply(form: Form, body: Mapping[str, Any], text: str, number: int) -> CannedReply:
    """Return the reply to a body; it is streamed where the body asks for it. `number` makes its id its own."""
    whole, stream, media_type = FORMS[form]
    is_streamed = body.get("stream", form.startswith("ollama")) is True  # Ollama streams unless told not to
    if stream is None or not is_streamed:
        return CannedReply(JSON, iter([json.dumps(whole(body, text, number), ensure_ascii=False)]))
    return CannedReply(media_type, stream(body, text, number))


def _get_model(body: Mapping[str, Any]) -> str:
    model = body.get("model")
    if isinstance(model, str):
        return model
    return "readback-tap"


def _count_choices(body: Mapping[str, Any]) -> int:
    count = body.get("n")
    if isinstance(count, int) and count > 1:
        return min(count, MOST_CHOICES)
    return 1


USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


def _write_chat(body: Mapping[str, Any], text: str, number: int) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": None}
    choices = [
        {"index": index, "message": message, "logprobs": None, "finish_reason": "stop"}
        for index in range(_count_choices(body))
    ]
    return {**_head_chat(body, number, "chat.completion"), "choices": choices, "usage": USAGE}


def _head_chat(body: Mapping[str, Any], number: int, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-tap-{number}", "object": kind, "created": CREATED, "model": _get_model(body)}


def _stream_chat(body: Mapping[str, Any], text: str, number: int) -> Iterator[str]:
    head = _head_chat(body, number, "chat.completion.chunk")
    for index in range(_count_choices(body)):
        for delta, finish in (({"role": "assistant", "content": ""}, None), ({"content": text}, None), ({}, "stop")):
            choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}
            yield _format_data({**head, "choices": [choice]})
    options = body.get("stream_options")
    if isinstance(options, Mapping) and options.get("include_usage"):
        yield _format_data({**head, "choices": [], "usage": USAGE})
    yield DONE


def _write_completion(body: Mapping[str, Any], text: str, number: int) -> dict[str, Any]:
    prompts = body.get("prompt")
    is_several = isinstance(prompts, list) and bool(prompts) and not isinstance(prompts[0], int)
    count = (len(prompts) if is_several and isinstance(prompts, list) else 1) * _count_choices(body)
    choices = [{"index": index, "text": text, "logprobs": None, "finish_reason": "stop"} for index in range(count)]
    head = {"id": f"cmpl-tap-{number}", "object": "text_completion", "created": CREATED, "model": _get_model(body)}
    return {**head, "choices": choices, "usage": USAGE}


def _stream_completion(body: Mapping[str, Any], text: str, number: int) -> Iterator[str]:
    whole = _write_completion(body, text, number)
    for choice in whole["choices"]:
        yield _format_data({**whole, "choices": [choice]})
    yield DONE


def _write_response(body: Mapping[str, Any], text: str, number: int) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    item: dict[str, Any] = {"id": f"msg_tap_{number}", "type": "message", "role": "assistant", "status": "completed"}
    item["content"] = [part]
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0, **details}
    return {
        "id": f"resp_tap_{number}",
        "object": "response",
        "created_at": CREATED,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "metadata": {},
        "model": _get_model(body),
        "output": [item],
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": usage,
    }


def _stream_response(body: Mapping[str, Any], text: str, number: int) -> Iterator[str]:
    whole = _write_response(body, text, number)
    (item,) = whole["output"]
    (part,) = item["content"]
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    at = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    events: list[tuple[str, dict[str, Any]]] = [
        ("response.created", {"response": begun}),
        ("response.in_progress", {"response": begun}),
        ("response.output_item.added", {"output_index": 0, "item": {**item, "status": "in_progress", "content": []}}),
        ("response.content_part.added", {**at, "part": {**part, "text": ""}}),
        ("response.output_text.delta", {**at, "delta": text, "logprobs": []}),
        ("response.output_text.done", {**at, "text": text, "logprobs": []}),
        ("response.content_part.done", {**at, "part": part}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": whole}),
    ]
    for sequence, (name, fields) in enumerate(events):
        yield _format_event(name, {"type": name, "sequence_number": sequence, **fields})


def _write_anthropic(body: Mapping[str, Any], text: str, number: int) -> dict[str, Any]:
    return {
        "id": f"msg_tap_{number}",
        "type": "message",
        "role": "assistant",
        "model": _get_model(body),
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def _stream_anthropic(body: Mapping[str, Any], text: str, number: int) -> Iterator[str]:
    whole = _write_anthropic(body, text, number)
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    events: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"message": {**whole, "content": [], "stop_reason": None}}),
        ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": text}}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": end, "usage": {"output_tokens": 0}}),
        ("message_stop", {}),
    ]
    for name, fields in events:
        yield _format_event(name, {"type": name, **fields})


OLLAMA_END = {
    "done": True,
    "done_reason": "stop",
    "total_duration": 0,
    "load_duration": 0,
    "prompt_eval_count": 0,
    "prompt_eval_duration": 0,
    "eval_count": 0,
    "eval_duration": 0,
}


def _write_ollama_chat(body: Mapping[str, Any], text: str, number: int) -> dict[str, Any]:
    head = {"model": _get_model(body), "created_at": DAY}
    return {**head, "message": {"role": "assistant", "content": text}, **OLLAMA_END}


def _stream_ollama_chat(body: Mapping[str, Any], text: str, number: int) -> Iterator[str]:
    whole = _write_ollama_chat(body, text, number)
    begun = {key: whole[key] for key in ("model", "created_at", "message")}
    yield _format_line({**begun, "done": False})
    yield _format_line({**whole, "message": {"role": "assistant", "content": ""}})


def _write_ollama_text(body: Mapping[str, Any], text: str, number: int) -> dict[str, Any]:
    return {"model": _get_model(body), "created_at": DAY, "response": text, **OLLAMA_END}


def _stream_ollama_text(body: Mapping[str, Any], text: str, number: int) -> Iterator[str]:
    whole = _write_ollama_text(body, text, number)
    yield _format_line({key: whole[key] for key in ("model", "created_at", "response")} | {"done": False})
    yield _format_line({**whole, "response": ""})


def _write_embeddings(body: Mapping[str, Any], text: str, number: int) -> dict[str, Any]:
    """Write the same vector for each text; Ollama's names of it stand beside OpenAI's."""
    texts = body.get("input")
    if isinstance(texts, list) and texts:
        count = len(texts)
    else:
        count = 1
    packed = b64encode(struct.pack(f"<{len(VECTOR)}f", *VECTOR)).decode()
    vector = packed if body.get("encoding_format") == "base64" else VECTOR
    data = [{"object": "embedding", "index": index, "embedding": vector} for index in range(count)]
    usage = {"prompt_tokens": 0, "total_tokens": 0}
    own_names = {"embedding": VECTOR, "embeddings": [VECTOR] * count}
    return {"object": "list", "model": _get_model(body), "data": data, "usage": usage, **own_names}


def _format_data(value: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


def _format_event(name: str, value: Mapping[str, Any]) -> str:
    return f"event: {name}\n{_format_data(value)}"


def _format_line(value: Mapping[str, Any]) -> str:
    return f"{json.dumps(value, ensure_ascii=False)}\n"


Whole = Callable[[Mapping[str, Any], str, int], dict[str, Any]]
Stream = Callable[[Mapping[str, Any], str, int], Iterator[str]] | None
FORMS: dict[Form, tuple[Whole, Stream, str]] = {
    "chat": (_write_chat, _stream_chat, EVENTS),
    "completions": (_write_completion, _stream_completion, EVENTS),
    "responses": (_write_response, _stream_response, EVENTS),
    "anthropic": (_write_anthropic, _stream_anthropic, EVENTS),
    "ollama-chat": (_write_ollama_chat, _stream_ollama_chat, LINES),
    "ollama-generate": (_write_ollama_text, _stream_ollama_text, LINES),
    "embeddings": (_write_embeddings, None, JSON),
}


def list_models(path: str, models: list[str]) -> dict[str, Any] | None:
    """Return the reply to a question about models or the server; None for a path that asks no such thing."""
    names = models or ["readback-tap"]
    if path.endswith("/api/tags"):
        details = {"format": "gguf", "family": "readback", "parameter_size": "0B", "quantization_level": ""}
        listed = [
            {"name": name, "model": name, "modified_at": DAY, "size": 0, "digest": "", "details": details}
            for name in names
        ]
        return {"models": listed}
    if path.endswith("/api/version"):
        return {"version": "0.0.0"}
    if path.endswith("/api/show"):
        return {"modelfile": "", "template": "", "details": {}, "model_info": {}, "capabilities": ["completion"]}
    if path.endswith("/count_tokens"):
        return {"input_tokens": 0}
    if path.endswith("/models"):
        data = [_describe_model(name) for name in names]
        return {"object": "list", "data": data, "has_more": False, "first_id": names[0], "last_id": names[-1]}
    if "/models/" in path:
        return _describe_model(path.partition("/models/")[2])
    return None


def _describe_model(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "object": "model",
        "type": "model",
        "display_name": name,
        "created": CREATED,
        "created_at": DAY,
        "owned_by": "readback",
    }
