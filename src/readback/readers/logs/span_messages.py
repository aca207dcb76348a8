"""Read the messages of a span, in each of the spellings in use.

OpenInference: `llm.input_messages.{i}.message.…`, and the whole request as JSON in `input.value`, which is preferred.
OpenTelemetry GenAI: the attributes `gen_ai.input.messages`, `gen_ai.system_instructions` and `gen_ai.output.messages`
(JSON text, or values) with `parts`; log or span events `gen_ai.{role}.message` and `gen_ai.choice`; older ones
`gen_ai.prompt.{i}.role` and `gen_ai.completion.{i}.content`, `gen_ai.content.prompt`.

What an instrumentation lost on the way (images, the text of tool arguments) is a warning: of those messages nobody may
say that they equal what was sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readback.readers.logs.bodies import read_body
from readback.readers.logs.json_rows import decode_json
from readback.readers.logs.messages import describe_kind, join_warnings
from readback.readers.logs.replies import read_message_output, read_reply
from readback.readers.logs.span_shapes import LogEvent, Span, group_by_number

NO_PARTS = "no part of a message was recorded (images are left out)"
ARGUMENTS = "tool arguments as an object, not as the text that was sent"
NO_CONTENT = "the content of a message was not recorded"
AS_JSON = "a list of parts, stored as a JSON text"
DIFFER = "the two records of the messages in the span differ; shown is input.value"
ROLES_OF_EVENTS = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool", "developer")}
CHOICE = "gen_ai.choice"
DETAILS = "gen_ai.client.inference.operation.details"


@dataclass(slots=True)
class Exchange:
    """What a span says was sent and came back; `messages` is None where it was not recorded."""

    messages: list[Mapping[str, Any]] | None = None
    text: str | None = None
    output: Any = None
    error: str | None = None
    warnings: dict[str, None] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def warning(self) -> str | None:
        """What there is to warn of."""
        return join_warnings(*self.warnings)

    def warn(self, warning: str | None) -> None:
        """Add something to warn of, once."""
        if warning:
            self.warnings[warning] = None


def read_exchange(span: Span, events: Sequence[LogEvent] = ()) -> Exchange:
    """Return what a span says; `events` are log events that belong to it, beside those in it."""
    exchange = Exchange()
    attributes = span.attributes
    happened = [*span.events, *events]
    for event in happened:
        if event.name == DETAILS:
            inner = decode_json(event.body)
            attributes = {**event.attributes, **(inner if isinstance(inner, dict) else {}), **attributes}
    readers = (_read_attributes, _read_openinference, _read_numbered)
    for read in readers:
        read(attributes, exchange)
        if exchange.messages is not None or exchange.text is not None:
            break
    if exchange.messages is None and exchange.text is None:
        _read_events(happened, exchange)
    _read_output(attributes, happened, exchange)
    return exchange


# OpenTelemetry, as attributes


def _read_attributes(attributes: Mapping[str, Any], exchange: Exchange) -> None:
    """Read `gen_ai.input.messages`, after `gen_ai.system_instructions`."""
    system = decode_json(attributes.get("gen_ai.system_instructions"))
    value = decode_json(attributes.get("gen_ai.input.messages"))
    messages: list[Mapping[str, Any]] = []
    if isinstance(system, list | str) and system:
        if isinstance(system, list):
            content = _read_parts(system, exchange)
        else:
            content = {"content": system}
        messages.append({"role": "system", **content, "from": "system_instructions"})
    if value is not None and not isinstance(value, list):
        exchange.error = f"gen_ai.input.messages is {describe_kind(value)}, no list of messages"
        exchange.details["messages"] = value
        return
    for message in value or ():
        if not isinstance(message, dict):
            exchange.warn(f"a message is {describe_kind(message)}")
            messages.append({"item": message})
        else:
            messages += _read_message(message, exchange)
    if messages:
        exchange.messages = messages


def _read_message(message: Mapping[str, Any], exchange: Exchange) -> list[Mapping[str, Any]]:
    """Return a message with its parts as content; what was one message of a tool for each reply is that again."""
    parts = message.get("parts")
    further = {key: value for key, value in message.items() if key not in ("parts", "role", "finish_reason")}
    role = message.get("role")
    if not isinstance(role, str):
        exchange.warn("a message without a role" if role is None else f"a role is {describe_kind(role)}")
    head = {"role": role} if "role" in message else {}
    if not isinstance(parts, list):
        if "content" not in message:
            exchange.warn(NO_CONTENT)
        return [{**head, "content": message.get("content"), **further}]
    if role == "tool" and parts and all(_is_reply_of_tool(part) for part in parts):
        return [{**head, "tool_call_id": part.get("id"), "content": _get_response(part), **further} for part in parts]
    return [{**head, **_read_parts(parts, exchange), **further}]


def _is_reply_of_tool(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool_call_response"


def _get_response(part: Mapping[str, Any]) -> Any:
    if "response" in part:
        return part["response"]
    return part.get("result")


def _read_parts(parts: Sequence[Any], exchange: Exchange) -> dict[str, Any]:
    """Return content and tool calls of parts: one text is that text, several parts stay parts."""
    if not parts:
        exchange.warn(NO_PARTS)
        return {"content": []}
    content: list[Any] = []
    calls: list[Mapping[str, Any]] = []
    for part in parts:
        if isinstance(part, dict):
            kind = part.get("type")
        else:
            kind = None
        if kind == "tool_call":
            calls.append(_read_tool_call(part, exchange))
        elif kind == "text" and "content" in part:
            rest = {key: value for key, value in part.items() if key not in ("type", "content")}
            content.append({"type": "text", "text": part["content"], **rest})
        else:
            content.append(part)
    is_text = len(content) == 1 and isinstance(content[0], dict) and content[0].keys() == {"type", "text"}
    if is_text:
        shown_content = content[0]["text"]
    else:
        shown_content = content or None
    return {"content": shown_content, **({"tool_calls": calls} if calls else {})}


def _read_tool_call(part: Mapping[str, Any], exchange: Exchange) -> Mapping[str, Any]:
    arguments = part.get("arguments")
    if arguments is not None and not isinstance(arguments, str):
        exchange.warn(ARGUMENTS)
    function = {"name": part.get("name"), "arguments": arguments}
    return {"id": part.get("id"), "type": "function", "function": function}


# OpenTelemetry, as events


def _read_events(events: Iterable[LogEvent], exchange: Exchange) -> None:
    """Read the events `gen_ai.{role}.message` in their order, or the older `gen_ai.content.prompt`."""
    messages: list[Mapping[str, Any]] = []
    is_recorded = False
    for event in events:
        if event.name == "gen_ai.content.prompt":
            value = decode_json(event.attributes.get("gen_ai.prompt"))
            if isinstance(value, list) and all(isinstance(item, dict) for item in value):
                messages += value
                is_recorded = True
            elif isinstance(value, str):
                exchange.text = value
        elif event.name in ROLES_OF_EVENTS:
            message = _read_event(event, exchange)
            is_recorded = is_recorded or message.get("content") is not None or "tool_calls" in message
            messages.append(message)
    if is_recorded:
        exchange.messages = messages
    elif messages:
        exchange.warnings.clear()


def _read_event(event: LogEvent, exchange: Exchange) -> Mapping[str, Any]:
    body = decode_json(event.body)
    if isinstance(body, str):
        body = {"content": body}
    if not isinstance(body, dict):
        names = ("content", "role", "id", "tool_calls", "name")
        body = {
            key: decode_json(event.attributes[key]) if key == "tool_calls" else event.attributes[key]
            for key in names
            if key in event.attributes
        }
    if isinstance(body.get("role"), str):
        role = body["role"]
    else:
        role = ROLES_OF_EVENTS[event.name]
    message: dict[str, Any] = {"role": role}
    if role == "tool" and "id" in body:
        message["tool_call_id"] = body["id"]
    if "content" not in body and "tool_calls" not in body:
        exchange.warn(NO_CONTENT)
    message["content"] = body.get("content")
    dropped = ("role", "content", "id") if role == "tool" else ("role", "content")
    message.update({key: value for key, value in body.items() if key not in dropped})
    for call in body["tool_calls"] if isinstance(body.get("tool_calls"), list) else ():
        if isinstance(call, dict):
            function = call.get("function")
        else:
            function = None
        if isinstance(function, dict) and isinstance(function.get("arguments"), dict | list):
            exchange.warn(ARGUMENTS)
    return message


# Older: numbered attributes


def _read_numbered(attributes: Mapping[str, Any], exchange: Exchange) -> None:
    """Read `gen_ai.prompt.{i}.…`, as OpenLLMetry writes it, and `llm.prompts.{i}.…` before that."""
    for prefix in ("gen_ai.prompt", "llm.prompts"):
        groups = group_by_number(attributes, prefix)
        if groups:
            exchange.messages = [_read_numbered_message(group, exchange) for group in groups]
            return
    value = decode_json(attributes.get("gen_ai.prompt"))
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        exchange.messages = list(value)
    elif isinstance(value, str):
        exchange.text = value


def _read_numbered_message(group: Mapping[str, Any], exchange: Exchange) -> Mapping[str, Any]:
    message: dict[str, Any] = {"role": group["role"]} if "role" in group else {}
    if "role" not in group:
        exchange.warn("a message without a role")
    calls = [_read_numbered_call(call) for call in group_by_number(group, "tool_calls")]
    content = group.get("content")
    if isinstance(content, str) and content.lstrip().startswith("[{"):
        parts = decode_json(content)
        if isinstance(parts, list) and all(isinstance(part, dict) and "type" in part for part in parts):
            content = parts
            exchange.warn(AS_JSON)
    if "content" not in group and not calls:
        exchange.warn(NO_CONTENT)
    message["content"] = content
    message.update({key: value for key, value in group.items() if "." not in key and key not in ("role", "content")})
    if calls:
        return {**message, "tool_calls": calls}
    return message


def _read_numbered_call(group: Mapping[str, Any]) -> Mapping[str, Any]:
    name = group.get("name", group.get("function.name"))
    arguments = group.get("arguments", group.get("function.arguments"))
    return {"id": group.get("id"), "type": "function", "function": {"name": name, "arguments": arguments}}


# OpenInference


def _read_openinference(attributes: Mapping[str, Any], exchange: Exchange) -> None:
    """Read the whole request in `input.value`, else `llm.input_messages`; the one is held against the other."""
    groups = group_by_number(attributes, "llm.input_messages")
    flat = [_read_flat_message(group) for group in groups]
    request = decode_json(attributes.get("input.value"))
    if isinstance(request, list) and flat:
        request = {"messages": request}
    is_request = isinstance(request, dict) and bool({"messages", "input", "contents", "prompt"} & request.keys())
    if is_request and (flat or attributes.get("openinference.span.kind") == "LLM"):
        body = read_body(request)
        if body.messages is not None and not body.error:
            exchange.messages = list(body.messages)
            exchange.warn(body.warning)
            exchange.details.update(body.details)
            if flat and not _are_alike(exchange.messages, flat):
                exchange.warn(DIFFER)
            return
        if body.text is not None and not flat:
            exchange.text = body.text
            exchange.warn(body.warning)
            return
    if flat:
        exchange.messages = flat
        return
    prompts = group_by_number(attributes, "llm.prompts")
    if prompts and all("prompt.text" in group for group in prompts):
        if len(prompts) == 1:
            exchange.text = str(prompts[0]["prompt.text"])
        else:
            exchange.text = None
        exchange.warn("completions: one text, no roles")


def _read_flat_message(group: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = {key.removeprefix("message."): value for key, value in group.items()}
    message: dict[str, Any] = {"role": fields["role"]} if "role" in fields else {}
    parts = [_read_flat_part(part) for part in group_by_number(fields, "contents")]
    calls = [_read_flat_call(call) for call in group_by_number(fields, "tool_calls")]
    message["content"] = parts if parts and "content" not in fields else fields.get("content")
    for key in ("name", "tool_call_id"):
        if key in fields:
            message[key] = fields[key]
    if calls:
        return {**message, "tool_calls": calls}
    return message


def _read_flat_part(group: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = {key.removeprefix("message_content."): value for key, value in group.items()}
    if "image.image.url" in fields:
        return {"type": "image_url", "image_url": {"url": fields["image.image.url"]}}
    return fields


def _read_flat_call(group: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = {key.removeprefix("tool_call."): value for key, value in group.items()}
    function = {"name": fields.get("function.name"), "arguments": fields.get("function.arguments")}
    return {"id": fields.get("id"), "type": "function", "function": function}


def _are_alike(messages: Sequence[Mapping[str, Any]], flat: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether two records of messages have the same roles and, where both are texts, the same texts."""
    sent = [message for message in messages if "role" in message]
    if len(sent) != len(messages):
        return True  # items without a role are spelled in another way there
    if len(sent) != len(flat):
        return False
    return all(_is_alike(one_message, other) for one_message, other in zip(sent, flat, strict=True))


def _is_alike(message: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    texts = message.get("content"), other.get("content")
    return message.get("role") == other.get("role") and not (
        isinstance(texts[0], str) and isinstance(texts[1], str) and texts[0] != texts[1]
    )


# What came back


def _read_output(attributes: Mapping[str, Any], events: Iterable[LogEvent], exchange: Exchange) -> None:
    """Read the reply: of the messages that came out the first, else the whole response in `output.value`."""
    outputs = _list_outputs(attributes, events)
    if len(outputs) > 1:
        exchange.warn(f"the first of {len(outputs)} choices")
    if outputs:
        exchange.output = read_message_output(outputs[0])
        return
    value = decode_json(attributes.get("output.value"))
    if isinstance(value, dict):
        reply = read_reply(value)
        if reply.output is None and not reply.error:
            exchange.output = value
        else:
            exchange.output = reply.output
        exchange.warn(reply.warning)
    elif value is not None:
        if isinstance(attributes["output.value"], str):
            exchange.output = attributes["output.value"]
        else:
            exchange.output = value


def _list_outputs(attributes: Mapping[str, Any], events: Iterable[LogEvent]) -> list[Mapping[str, Any]]:
    value = decode_json(attributes.get("gen_ai.output.messages"))
    if isinstance(value, list) and value:
        unused = Exchange()  # what a reply lost is no matter of what was sent
        messages = [_read_message(message, unused) for message in value if isinstance(message, dict)]
        return [message for group in messages for message in group]
    choices = [event for event in events if event.name == CHOICE]
    if choices:
        return [message for event in choices if (message := _read_choice(event)) is not None]
    groups = group_by_number(attributes, "llm.output_messages")
    if groups:
        return [_read_flat_message(group) for group in groups]
    for prefix in ("gen_ai.completion", "llm.completions"):
        if groups := group_by_number(attributes, prefix):
            return [_read_numbered_message(group, Exchange()) for group in groups]
    for event in events:
        if event.name == "gen_ai.content.completion":
            value = decode_json(event.attributes.get("gen_ai.completion"))
            if isinstance(value, list):
                return [item for item in value if isinstance(item, dict)]
            return []
    return []


def _read_choice(event: LogEvent) -> Mapping[str, Any] | None:
    body = decode_json(event.body)
    fields = body if isinstance(body, dict) else event.attributes
    message = decode_json(fields.get("message"))
    if isinstance(message, str):
        return {"role": "assistant", "content": message}
    if not isinstance(message, dict):
        return None
    return {"role": "assistant", "content": None, **message}
