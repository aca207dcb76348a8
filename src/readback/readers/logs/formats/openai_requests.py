"""Requests as a program logged them: a body a line, one body as a file, `{request, response}`, or stored responses.

The bodies are those that `bodies` reads: chat completions, Responses, completions, and what speaks the same words
(vLLM, Ollama's /v1, LiteLLM, OpenRouter). A row is a body where every key of it is a parameter of these interfaces, or
one key is a setting that no dataset has (`temperature`, `max_tokens`). A reply may stand in the row as `response`.
A stored response without its request has an output and no messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readback.readers.logs.bodies import Body, read_body
from readback.readers.logs.calls import RowCall, read_calls, without
from readback.readers.logs.events import Event
from readback.readers.logs.head import is_conversation, peek_objects
from readback.readers.logs.messages import describe_kind
from readback.readers.logs.replies import SUCCESS, Reply, describe_error, read_reply

NAME = "logged requests"
HOLDS_SCORES = False
HOLDS_SCORES = False
SETTINGS = frozenset(  # of a request: a file of data has none of them
    {
        *("temperature", "top_p", "max_tokens", "max_completion_tokens", "max_output_tokens", "stream", "tool_choice"),
        *("response_format", "stream_options", "frequency_penalty", "presence_penalty", "logprobs", "top_logprobs"),
        *("parallel_tool_calls", "reasoning_effort", "logit_bias", "service_tier", "safety_identifier", "stop"),
        *("previous_response_id", "max_tool_calls", "truncation", "prompt_cache_key", "modalities"),
    }
)
PARAMETERS = SETTINGS | {
    *(
        "model",
        "messages",
        "system",
        "input",
        "instructions",
        "prompt",
        "tools",
        "functions",
        "function_call",
        "n",
        "seed",
    ),
    *("user", "metadata", "store", "reasoning", "text", "include", "conversation", "background", "audio", "verbosity"),
    *("prediction", "web_search_options", "suffix", "echo", "best_of", "extra_body", "top_k", "min_p", "format"),
    *("repetition_penalty", "guided_json", "chat_template_kwargs", "options", "keep_alive", "think", "provider"),
    *("response", "id", "custom_id", "created", "timestamp", "prompt_cache_retention", "context_management"),
}
STORED = {"chat.completion", "response", "text_completion"}  # what `object` says in a stored response
ELSEWHERE = "a stored response; the request is not in this file"


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether the rows of a file are bodies of requests, pairs with responses, or stored responses."""
    if not any(mark in head for mark in (b'"model"', b'"request"')):
        return False
    rows = peek_objects(head)
    return bool(rows) and 2 * sum(map(_is_logged, rows)) >= len(rows)


def _is_logged(row: Mapping[str, Any]) -> bool:
    return is_body(row) or _is_pair(row) or _is_stored(row)


def is_body(row: Mapping[str, Any]) -> bool:
    """Tell whether an object is the body of a request: nothing else has these keys."""
    if not isinstance(row.get("model"), str):
        return False
    is_closed = row.keys() <= PARAMETERS
    has_settings = bool(row.keys() & SETTINGS)
    if is_conversation(row.get("messages")):
        return is_closed or has_settings
    if "messages" in row:
        return has_settings and isinstance(row["messages"], list)
    sent_input = row.get("input")
    if isinstance(sent_input, str | list):
        return is_closed and (has_settings or "instructions" in row or is_conversation(sent_input))
    return isinstance(row.get("prompt"), str) and is_closed and has_settings


def _is_pair(row: Mapping[str, Any]) -> bool:
    request = row.get("request")
    if not isinstance(request, dict) or not {"response", "error"} & row.keys():
        return False
    body = _unwrap(request)
    return isinstance(body, dict) and bool({"messages", "input", "prompt"} & body.keys())


def _is_stored(row: Mapping[str, Any]) -> bool:
    return row.get("object") in STORED and ("choices" in row or "output" in row)


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield a call for each row."""
    return read_calls(path, file, "requests", read_row)


def read_row(row: Any) -> RowCall:
    """Return the call of a row: of a pair, a stored response, or a body."""
    if not isinstance(row, dict):
        return RowCall(Body(error=f"the line is {describe_kind(row)}, where an object is needed"))
    if "request" in row:
        return _read_pair(row)
    if row.get("object") in STORED:
        return _read_stored(row)
    record = row.get("custom_id", row.get("id"))
    body = read_body(without(row, "custom_id", "id", "response", "created", "timestamp"))
    if row.get("response") is not None:
        reply = read_response(row["response"])
    else:
        reply = Reply()
    return RowCall(body, reply, record, "custom_id" if "custom_id" in row else "id")


def _read_pair(row: Mapping[str, Any]) -> RowCall:
    request = row["request"]
    if isinstance(request, dict):
        url = request.get("url", row.get("url"))
    else:
        url = None
    body = read_body(_unwrap(request), url)
    reply = Reply()
    if row.get("error"):
        reply = Reply(error=describe_error(row["error"]))
    elif row.get("response") is not None:
        reply = read_response(row["response"])
    elif "response" in row:
        reply = Reply(error="no response")
    key = next((key for key in ("custom_id", "id", "request_id") if key in row), "id")
    return RowCall(body, reply, row.get(key), key, without(row, "request", "response"))


def _unwrap(request: Any) -> Any:
    """Return the body of a request that is stored with its method and address; a body as it is."""
    if not isinstance(request, dict) or {"messages", "input", "contents"} & request.keys():
        return request
    for key in ("body", "json", "json_data", "kwargs"):
        if isinstance(request.get(key), dict):
            return request[key]
    return request


def read_response(response: Any) -> Reply:
    """Return the reply in a response, which may be stored with its status."""
    if not isinstance(response, dict) or "body" not in response:
        return read_reply(response)
    reply = read_reply(response["body"])
    status = response.get("status_code", response.get("status"))
    if isinstance(status, int) and status not in SUCCESS:
        return Reply(None, reply.model, f"status {status}: {reply.error or 'failed'}", None, reply.details)
    return reply


def _read_stored(row: Mapping[str, Any]) -> RowCall:
    """Return a stored response; one of the Responses API that was listed with its input has messages."""
    reply = read_reply(row)
    if "input" in row:
        request = {key: row[key] for key in ("model", "input", "instructions", "previous_response_id") if key in row}
        return RowCall(read_body(request, "/v1/responses"), reply, row.get("id"))
    if row.get("instructions") is not None:
        request = {"model": row.get("model"), "instructions": row["instructions"], "input": []}
        body = read_body(request, "/v1/responses")
        warning = f"only the instructions: {ELSEWHERE}"
        return RowCall(Body(body.messages, None, body.model, body.error, warning, body.details), reply, row.get("id"))
    if isinstance(row.get("messages"), list):
        return RowCall(read_body({"messages": row["messages"]}), reply, row.get("id"))
    return RowCall(Body(warning=ELSEWHERE), reply, row.get("id"))
