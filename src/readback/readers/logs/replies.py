"""Read the reply to a request: its text, or the value that stands for it, or why there is none.

OpenAI chat completions, completions and Responses, Anthropic Messages, Gemini generateContent, Ollama. A reply without
a text (tool calls, a refusal) is given as the message that it is; several choices are named in a warning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readback.readers.logs.bodies import join_parts
from readback.readers.logs.messages import describe_kind, join_warnings

SUCCESS = range(200, 300)  # statuses of HTTP
LONGEST = 500  # characters of an error
FINISHED = {"stop", "end_turn", "stop_sequence", "tool_calls", "tool_use", "function_call", "STOP", "completed"}


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `output` is None without a reply; `error` then says why."""

    output: Any = None
    model: str | None = None
    error: str | None = None
    warning: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def read_reply(body: Any) -> Reply:
    """Return the reply in the body of a response."""
    if isinstance(body, str):
        return Reply(body)
    if not isinstance(body, dict):
        return Reply(error=f"the body of the response is {describe_kind(body)}")
    model = body.get("model", body.get("modelVersion"))
    model = model if isinstance(model, str) else None
    usage = body.get("usage", body.get("usageMetadata"))
    if usage is None:
        details = {}
    else:
        details = {"usage": usage}
    if body.get("error"):
        return Reply(None, model, describe_error(body["error"]), None, details)
    for reads, key in ((_read_choices, "choices"), (_read_candidates, "candidates"), (_read_items, "output")):
        if isinstance(body.get(key), list):
            output, finish, warning = reads(body[key])
            break
    else:
        output, finish, warning = _read_message(body)
    if body.get("status") in ("failed", "incomplete", "cancelled"):
        finish = body["status"]
        reason = body.get("incomplete_details")
        if isinstance(reason, dict) and isinstance(reason.get("reason"), str):
            finish = f"{finish}: {reason['reason']}"
    if finish is not None and finish not in FINISHED:
        warning = join_warnings(warning, f"the reply ended with '{str(finish)[:40]}'")
    if output is None:
        return Reply(None, model, "the response holds no reply", warning, details)
    return Reply(output, model, None, warning, details)


def describe_error(error: Any) -> str:
    """Return why a request failed in the words of the service: its type or code, and its message."""
    if not isinstance(error, dict):
        return str(error)[:LONGEST]
    inner = error.get("error")
    if isinstance(inner, dict):
        return describe_error(inner)
    kind = next((error[name] for name in ("code", "type", "error_code", "status") if error.get(name)), None)
    message = error.get("message", error.get("error_message"))
    parts = [str(part) for part in (kind, message) if part]
    return ": ".join(parts)[:LONGEST] or "error"


def _read_choices(choices: Sequence[Any]) -> tuple[Any, Any, str | None]:
    """Return the first choice's text, or its message; why it ended; a warning about the others."""
    if len(choices) > 1:
        warning = f"the first of {len(choices)} choices"
    else:
        warning = None
    first = choices[0] if choices else None
    if not isinstance(first, dict):
        return None, None, warning
    finish, message = first.get("finish_reason"), first.get("message")
    if not isinstance(message, dict):
        return first.get("text"), finish, warning
    return read_message_output(message), finish, warning


def read_message_output(message: Mapping[str, Any]) -> Any:
    """Return the text of an assistant's message; the message itself where that is not all of it."""
    content = message.get("content")
    calls = any(message.get(key) for key in ("tool_calls", "function_call", "refusal", "audio"))
    if calls or content is None:
        return message
    return content


def _read_candidates(candidates: Sequence[Any]) -> tuple[Any, Any, str | None]:
    if len(candidates) > 1:
        warning = f"the first of {len(candidates)} candidates"
    else:
        warning = None
    first = candidates[0] if candidates else None
    if not isinstance(first, dict):
        return None, None, warning
    content = first.get("content")
    if isinstance(content, dict):
        parts = content.get("parts")
    else:
        parts = None
    if isinstance(parts, list):
        output = _join_texts(parts, "text")
    else:
        output = None
    return output, first.get("finishReason", first.get("finish_reason")), warning


def _read_items(items: Sequence[Any]) -> tuple[Any, Any, str | None]:
    """Return the text of the messages among the items of a Response; the items where there is more."""
    without_thoughts = [item for item in items if not (isinstance(item, dict) and item.get("type") == "reasoning")]
    if not without_thoughts:
        return (list(items) or None), None, None
    texts: list[str] = []
    for item in without_thoughts:
        if isinstance(item, dict) and item.get("type", "message") == "message":
            content = item.get("content")
        else:
            content = None
        if isinstance(content, list):
            text = _join_texts(content, "text")
        else:
            text = content
        if not isinstance(text, str):
            return list(items), None, None
        texts.append(text)
    return "".join(texts), None, None


def _read_message(body: Mapping[str, Any]) -> tuple[Any, Any, str | None]:
    """Return a message of Anthropic or Ollama, or the text of an older completion."""
    finish = body.get("stop_reason", body.get("done_reason"))
    message = body.get("message")
    if isinstance(message, dict):
        return read_message_output(message), finish, None
    for key in ("completion", "response"):
        if isinstance(body.get(key), str):
            return body[key], finish, None
    content = body.get("content")
    if isinstance(content, list):
        output = _join_texts(content, "text")
    else:
        output = content
    return output, finish, None


def _join_texts(parts: Sequence[Any], key: str) -> Any:
    """Return the texts of parts joined, if they hold nothing but texts (thoughts apart); else the parts."""
    texts: list[str] = []
    for part in parts:
        if isinstance(part, dict) and (part.get("thought") or part.get("type") in ("thinking", "redacted_thinking")):
            continue
        if not isinstance(part, dict) or not isinstance(part.get(key), str):
            return join_parts(parts) or None
        texts.append(part[key])
    if texts:
        return "".join(texts)
    return None


def read_batch_reply(row: Mapping[str, Any]) -> Reply:
    """Return the reply in a line of an OpenAI batch."""
    response = row.get("response")
    if row.get("error"):
        return Reply(error=describe_error(row["error"]))
    if not isinstance(response, dict):
        return Reply(error="no response")
    status = response.get("status_code")
    reply = read_reply(response.get("body"))
    if status is None or (isinstance(status, int) and status in SUCCESS):
        return reply
    return Reply(None, reply.model, f"status {str(status)[:20]}: {reply.error or 'failed'}", None, reply.details)
