"""Read the body of a request to a model: what was sent, under which model, and what is not in the file.

OpenAI chat completions, completions and Responses, Anthropic Messages and text completions, Gemini generateContent.
The shapes are those of the packages openai 3.54.0, anthropic 2.12.0 and google-genai 3.4.0.

By our convention `instructions`, Anthropic's `system` and Gemini's `systemInstruction` come as a first message of the
role system with `from`. Items of the Responses API without a role come as `{"item": type, …}` without id and status.
Gemini's role `model` is given as assistant, and no role as user; a content of one text part is that text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readback.readers.logs.messages import UNKNOWN_ROLE, check_message, describe_kind, join_warnings, read_messages

EARLIER = "earlier turns are not in this file"
STORED_PROMPT = "a prompt that the provider stores is not in this file"
NO_ROLES = "completions: one text, no roles"
# Keys by which the body of each interface is known.
ANTHROPIC_KEYS = frozenset({"system", "stop_sequences", "top_k", "thinking", "anthropic_version", "anthropic_beta"})
EARLIER_KEYS = ("previous_response_id", "conversation")
DROPPED = ("id", "status", "type")  # of items of the Responses API; `type` is shown as the kind of an item
PREFILL = "prefill"


@dataclass(frozen=True, slots=True)
class Body:
    """What a request sends. Without messages: the `text` that was sent, or why there is nothing to show."""

    messages: Sequence[Mapping[str, Any]] | None = None
    text: str | None = None
    model: str | None = None
    error: str | None = None
    warning: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def read_body(body: Any, url: Any = None) -> Body:
    """Return what the body of a request sends; `url` is its path, where the file has it."""
    if body is None:
        return Body(error="no body")
    if not isinstance(body, dict):
        return Body(error=f"the body is {describe_kind(body)}")
    if isinstance(url, str):
        path = url.split("?")[0].rstrip("/")
    else:
        path = ""
    last = path.rsplit("/", 1)[-1]
    if path.endswith("/chat/completions"):
        return read_chat(body)
    if path.endswith("/api/generate"):
        return read_ollama_text(body)
    if last in PLAIN_ENDPOINTS and "messages" not in body:
        return Body(model=_get_model(body), warning=f"{last}: no messages", details=_list_settings(body, ()))
    if last == "responses":
        return read_response_request(body)
    if "contents" in body:
        return read_gemini(body)
    if is_anthropic(body) or last == "messages":
        return read_anthropic(body)
    if "messages" in body:
        return read_chat(body)
    if "prompt" in body and ("input" not in body or last == "completions"):
        return read_completion(body)
    if "input" in body or "instructions" in body or any(key in body for key in EARLIER_KEYS):
        return read_response_request(body)
    reason = "no messages in the body"
    return Body(model=_get_model(body), error=reason, details=_list_settings(body, ()))


PLAIN_ENDPOINTS = frozenset(
    {
        "embeddings",
        "embed",
        "moderations",
        "generations",
        "edits",
        "variations",
        "speech",
        "transcriptions",
        "translations",
    }
)


def read_chat(body: Mapping[str, Any]) -> Body:
    """Read a body of chat completions."""
    if "messages" not in body:
        return Body(model=_get_model(body), error="no messages in the body", details=_list_settings(body, ()))
    messages, error, warning = read_messages(body["messages"])
    details = _list_settings(body, ("messages",))
    if messages is None:
        details["messages"] = body["messages"]
    return Body(messages, None, _get_model(body), error, warning, details)


def read_completion(body: Mapping[str, Any]) -> Body:
    """Read a body of completions, which is one text without roles; several texts or tokens come as they are."""
    prompt = body.get("prompt")
    model, details = _get_model(body), _list_settings(body, ("prompt",))
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], str):
        prompt = prompt[0]
    if isinstance(prompt, str):
        return Body(None, prompt, model, None, NO_ROLES, details)
    if isinstance(prompt, list) and prompt:
        details["prompt"] = prompt
        if all(isinstance(part, str) for part in prompt):
            what = "texts"
        else:
            what = "tokens or texts"
        return Body(None, None, model, None, f"completions: a list of {len(prompt)} {what}, no roles", details)
    return Body(None, None, model, f"the prompt is {describe_kind(prompt)}", None, details)


def read_ollama_text(body: Mapping[str, Any]) -> Body:
    """Read a body of Ollama's generate: the server puts `system` and `prompt` into the model's template, unless raw."""
    prompt, system = body.get("prompt"), body.get("system")
    if body.get("raw") is True or not isinstance(prompt, str) or not isinstance(system, str | None):
        return read_completion(body)
    messages: list[Mapping[str, Any]] = [{"role": "user", "content": prompt}]
    if system is not None:
        messages.insert(0, {"role": "system", "content": system, "from": "system"})
    return Body(messages, None, _get_model(body), details=_list_settings(body, ("prompt", "system")))


def read_response_request(body: Mapping[str, Any]) -> Body:
    """Read a body of the Responses API: `instructions` come before the items of `input`."""
    details = _list_settings(body, ("instructions", "input"))
    model = _get_model(body)
    messages: list[Mapping[str, Any]] = []
    warnings: dict[str | None, None] = {}
    instructions, sent_input = body.get("instructions"), body.get("input")
    if isinstance(instructions, str):
        messages.append({"role": "system", "content": instructions, "from": "instructions"})
    elif isinstance(instructions, list):
        for item in instructions:
            message, warning = _read_item(item)
            messages.append({**message, "from": "instructions"})
            warnings[warning] = None
    elif instructions is not None:
        return _refuse(f"instructions is {describe_kind(instructions)}", model, body, details)
    if isinstance(sent_input, str):
        messages.append({"role": "user", "content": sent_input})
    elif isinstance(sent_input, list):
        for item in sent_input:
            message, warning = _read_item(item)
            if warning and not message:
                return _refuse(warning, model, body, details)
            messages.append(message)
            warnings[warning] = None
    elif sent_input is not None:
        return _refuse(f"input is {describe_kind(sent_input)}", model, body, details)
    if any(body.get(key) is not None for key in EARLIER_KEYS):
        earlier = EARLIER
    else:
        earlier = None
    if isinstance(body.get("prompt"), dict):
        stored = STORED_PROMPT
    else:
        stored = None
    if not messages and not earlier and not stored:
        return Body(messages, None, model, "no messages", None, details)
    return Body(messages, None, model, None, join_warnings(earlier, stored, *warnings), details)


def _refuse(reason: str, model: str | None, body: Mapping[str, Any], details: dict[str, Any]) -> Body:
    unread = {key: body[key] for key in ("instructions", "input") if key in body}
    return Body(None, None, model, reason, None, {**details, **unread})


def _read_item(item: Any) -> tuple[Mapping[str, Any], str | None]:
    """Return an item of the Responses API as a message, and what to warn of; an empty one cannot be read."""
    if isinstance(item, str):
        return {"role": "user", "content": item}, "an item is a text without a role"
    if not isinstance(item, dict):
        return {}, f"an item is {describe_kind(item)}"
    if "role" in item:
        error, warning = check_message(item)
        if error:
            return {}, error
        return {key: value for key, value in item.items() if key not in DROPPED}, warning
    kind = item.get("type")
    if not isinstance(kind, str):
        return {}, "an item without a role or type"
    fields = {key: value for key, value in item.items() if key not in DROPPED}
    if kind == "item_reference":  # its id is all that it says
        return {"item": kind, **fields, "id": item.get("id")}, "an item stands in another place, not in this file"
    return {"item": kind, **fields}, None


def is_anthropic(body: Mapping[str, Any]) -> bool:
    """Tell whether a body is one of Anthropic's: what other interfaces do not have."""
    if "messages" not in body:
        return "max_tokens_to_sample" in body
    if body.keys() & ANTHROPIC_KEYS:
        return True
    tools = body.get("tools")
    return isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools)


def read_anthropic(body: Mapping[str, Any]) -> Body:
    """Read a body of Anthropic: `system` comes first; the assistant's opening words are named under `prefill`."""
    if "messages" not in body and "prompt" in body:
        return read_completion(body)
    if "messages" not in body:
        return Body(model=_get_model(body), error="no messages in the body", details=_list_settings(body, ()))
    messages, error, warning = read_messages(body["messages"])
    details = _list_settings(body, ("messages", "system"))
    model, system = _get_model(body), body.get("system")
    if not isinstance(system, str | list | None):
        details["system"] = system
        error = error or f"system is {describe_kind(system)}"
        messages = None
    if messages is None:
        details["messages"] = body["messages"]
        return Body(None, None, model, error, warning, details)
    if messages and messages[-1]["role"] == "assistant":
        details[PREFILL] = messages[-1].get("content")
    if system is not None:
        messages = [{"role": "system", "content": system, "from": "system"}, *messages]
    return Body(messages, None, model, error, warning, details)


def read_gemini(body: Mapping[str, Any]) -> Body:
    """Read a body of generateContent."""
    details = _list_settings(body, ("contents", "systemInstruction", "system_instruction"))
    model = _get_model(body)
    contents = body.get("contents")
    messages: list[Mapping[str, Any]] = []
    warnings: dict[str | None, None] = {}
    for key in ("systemInstruction", "system_instruction"):
        if body.get(key) is not None:
            message, error, _ = _read_content(body[key], "system")
            if error:
                return Body(None, None, model, error, None, {**details, key: body[key]})
            messages.append({**message, "role": "system", "from": key})
            break
    if not isinstance(contents, list):
        contents = [contents]  # the packages of Google also take one content, or one text
    for content in contents:
        message, error, warning = _read_content(content, "user")
        if error:
            return Body(None, None, model, error, None, {**details, "contents": body.get("contents")})
        messages.append(message)
        warnings[warning] = None
    if not contents:
        return Body(messages, None, model, "no messages", None, details)
    return Body(messages, None, model, None, join_warnings(*warnings), details)


GEMINI_ROLES = {"model": "assistant", "user": "user", "function": "function", "system": "system"}


def _read_content(content: Any, default: str) -> tuple[dict[str, Any], str | None, str | None]:
    """Return a content of Gemini as a message, with why it cannot be read, and what to warn of."""
    if isinstance(content, str):
        return {"role": default, "content": content}, None, None
    if not isinstance(content, dict):
        return {}, f"a content is {describe_kind(content)}", None
    parts = content.get("parts")
    if isinstance(parts, dict):
        parts = [parts]
    if not isinstance(parts, list):
        return {}, f"parts is {describe_kind(parts)}" if "parts" in content else "a content without parts", None
    role = content.get("role")
    if role is not None and not isinstance(role, str):
        return {}, f"a role is {describe_kind(role)}", None
    if role is None or role in GEMINI_ROLES:
        warning = None
    else:
        warning = f"{UNKNOWN_ROLE} '{role[:40]}'"
    further = {key: value for key, value in content.items() if key not in ("role", "parts")}
    if role:
        name = GEMINI_ROLES.get(role, role)
    else:
        name = default
    return {"role": name, "content": join_parts(parts), **further}, None, warning


def join_parts(parts: Sequence[Any]) -> Any:
    """Return parts of Gemini as a content: the text of a single text part, else the parts."""
    if len(parts) == 1 and isinstance(parts[0], dict) and parts[0].keys() == {"text"}:
        return parts[0]["text"]
    return parts


def _get_model(body: Mapping[str, Any]) -> str | None:
    model = body.get("model")
    if isinstance(model, str):
        return model
    return None


def _list_settings(body: Mapping[str, Any], read_keys: Sequence[str]) -> dict[str, Any]:
    """Return what else a body has: its tools, and its further settings."""
    details: dict[str, Any] = {}
    settings = {key: value for key, value in body.items() if key not in (*read_keys, "model", "tools", "functions")}
    if tools := body.get("tools") or body.get("functions"):
        details["tools"] = tools
    if settings:
        details["settings"] = settings
    return details
