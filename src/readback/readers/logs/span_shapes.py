"""Bring spans and log events of any exporter into one shape, with attributes by dotted names.

The console and file exporters of OpenTelemetry's Python SDK (`context.span_id`, `attributes`), OTLP as JSON
(`resourceSpans`, attributes as pairs of key and value), and tables of Phoenix (columns `context.span_id`,
`attributes.llm.…`). Attributes may be flat or nested; nested ones become flat (`llm.input_messages.0.message.role`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# Values that are messages or JSON by themselves: they are not made flat.
WHOLE = (
    *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.tool.definitions"),
    *("gen_ai.prompt", "gen_ai.completion", "mlflow.spanInputs", "mlflow.spanOutputs", "metadata"),
    *("input.value", "output.value", "llm.invocation_parameters"),
)
MOST_KEYS = 20_000  # attributes of one span: its messages, a few keys each
DEEPEST = 40
ERRORS = frozenset({"ERROR", "STATUS_CODE_ERROR", "2"})
PREFIX = "attributes."


@dataclass(frozen=True, slots=True)
class Span:
    """One span: its ids as the file has them, its flat attributes, what went wrong, and what happened in it."""

    name: str
    span_id: str | None
    trace_id: str | None
    parent_id: str | None
    attributes: Mapping[str, Any]
    error: str | None = None
    events: Sequence[LogEvent] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One event: its name, the span that it belongs to, its attributes, and its body (None without one)."""

    name: str
    span_id: str | None
    attributes: Mapping[str, Any]
    body: Any = None


def list_spans(row: Mapping[str, Any]) -> Iterator[Span]:
    """Yield the spans of a row of a file: one, or all of an OTLP export."""
    if isinstance(row.get("resourceSpans"), list):
        for span in _walk_export(row["resourceSpans"], ("scopeSpans", "instrumentationLibrarySpans"), "spans"):
            yield read_span(span)
    elif is_span(row):
        yield read_span(row)


def is_span(row: Mapping[str, Any]) -> bool:
    """Tell whether an object is a span by itself."""
    if isinstance(row.get("attributes"), dict | list):
        context = row.get("context")
        return isinstance(context, dict) or bool({"span_id", "spanId"} & row.keys() and "body" not in row)
    return "context.span_id" in row or ("span_id" in row and any(key.startswith(PREFIX) for key in row))


def list_log_events(row: Mapping[str, Any]) -> Iterator[LogEvent]:
    """Yield the log events of a row of a file: one, or all of an OTLP export."""
    if isinstance(row.get("resourceLogs"), list):
        for event in _walk_export(row["resourceLogs"], ("scopeLogs", "instrumentationLibraryLogs"), "logRecords"):
            yield read_log_event(event)
    elif is_log_event(row):
        yield read_log_event(row)


def is_log_event(row: Mapping[str, Any]) -> bool:
    """Tell whether an object is a log event by itself."""
    return bool({"span_id", "spanId"} & row.keys()) and ("body" in row or "event_name" in row or "eventName" in row)


def _walk_export(resources: Sequence[Any], scopes: Sequence[str], leaves: str) -> Iterator[Mapping[str, Any]]:
    for resource in resources:
        for key in scopes if isinstance(resource, dict) else ():
            for scope in _as_list(resource.get(key)):
                yield from (leaf for leaf in _as_list(scope.get(leaves)) if isinstance(leaf, dict))


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return [item for item in value if isinstance(item, dict)]
    return []


def read_span(row: Mapping[str, Any]) -> Span:
    """Return a span in one shape."""
    context = row.get("context")
    if not isinstance(context, dict):
        context = {}
    attributes = read_attributes(row.get("attributes"))
    if not isinstance(row.get("attributes"), dict | list):
        columns = {key[len(PREFIX) :]: value for key, value in row.items() if key.startswith(PREFIX)}
        attributes = flatten({key: value for key, value in columns.items() if value is not None})
    span_id = _first_text(context.get("span_id"), row.get("span_id"), row.get("spanId"), row.get("context.span_id"))
    trace_ids = context.get("trace_id"), row.get("trace_id"), row.get("traceId"), row.get("context.trace_id")
    parent_id = _first_text(row.get("parent_id"), row.get("parentSpanId"), row.get("parent_span_id"))
    events = [read_log_event(event, span_id) for event in _as_list(row.get("events"))]
    if isinstance(row.get("name"), str):
        name = row["name"]
    else:
        name = ""
    return Span(
        name, span_id, _first_text(*trace_ids), parent_id, attributes, _read_error(row, attributes, events), events
    )


def read_log_event(row: Mapping[str, Any], span_id: str | None = None) -> LogEvent:
    """Return an event in one shape; `span_id` is that of the span in which it stands."""
    attributes = read_attributes(row.get("attributes"))
    names = row.get("event_name"), row.get("eventName"), attributes.get("event.name"), row.get("name")
    owner = _first_text(row.get("span_id"), row.get("spanId"), span_id)
    return LogEvent(_first_text(*names) or "", owner, attributes, decode_any_value(row.get("body")))


def _first_text(*values: Any) -> str | None:
    return next((value for value in values if isinstance(value, str) and value), None)


def _read_error(row: Mapping[str, Any], attributes: Mapping[str, Any], events: Sequence[LogEvent]) -> str | None:
    """Return why a span failed: the type of the error, and its description; None where it did not."""
    status = row.get("status")
    code, description = row.get("status_code"), row.get("status_message")
    if isinstance(status, dict):
        code = status.get("status_code", status.get("code"))
        description = status.get("description", status.get("message"))
    elif status is not None:
        code = status
    exceptions = [event.attributes for event in events if event.name == "exception"]
    if str(code).removeprefix("StatusCode.").upper() not in ERRORS and "error.type" not in attributes:
        return None
    kind = attributes.get("error.type") or next((item.get("exception.type") for item in exceptions), None)
    message = description or next((item.get("exception.message") for item in exceptions), None)
    return ": ".join(str(part) for part in (kind, message) if part)[:500] or "error"


def read_attributes(value: Any) -> dict[str, Any]:
    """Return attributes by dotted names, from an object or from OTLP's pairs."""
    if isinstance(value, list):
        pairs = [item for item in value if isinstance(item, dict) and isinstance(item.get("key"), str)]
        value = {pair["key"]: decode_any_value(pair.get("value")) for pair in pairs}
    if isinstance(value, dict):
        return flatten(value)
    return {}


def flatten(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested attributes by dotted names; lists of objects are numbered, other lists stay."""
    flat: dict[str, Any] = {}
    _flatten("", value, flat, 0)
    return flat


def _flatten(prefix: str, value: Any, flat: dict[str, Any], depth: int) -> None:
    if len(flat) >= MOST_KEYS:
        return
    is_list = isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
    if prefix in WHOLE or depth > DEEPEST or not (isinstance(value, dict) or is_list) or not value:
        flat[prefix] = value
        return
    if is_list:
        pairs = enumerate(value)
    else:
        pairs = value.items()
    for key, inner in pairs:
        _flatten(f"{prefix}.{key}" if prefix else str(key), inner, flat, depth + 1)


ANY_VALUES = ("stringValue", "boolValue", "doubleValue", "bytesValue")


def decode_any_value(value: Any, depth: int = 0) -> Any:
    """Return the JSON value that OTLP wraps (`stringValue`, `kvlistValue`, …); any other value as it is."""
    if not isinstance(value, dict) or len(value) != 1 or depth > DEEPEST:
        return value
    ((kind, inner),) = value.items()
    if kind in ANY_VALUES:
        return inner
    if kind == "intValue":  # 64 bits are written as text
        if isinstance(inner, str) and inner.lstrip("-").isdecimal() and len(inner) < 20:
            return int(inner)
        return inner
    if kind == "arrayValue" and isinstance(inner, dict):
        items = inner.get("values")
        if isinstance(items, list):
            return [decode_any_value(item, depth + 1) for item in items]
        return []
    if kind == "kvlistValue" and isinstance(inner, dict):
        pairs = [pair for pair in _as_list(inner.get("values")) if isinstance(pair.get("key"), str)]
        return {pair["key"]: decode_any_value(pair.get("value"), depth + 1) for pair in pairs}
    return value


def group_by_number(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """Return the attributes below `prefix.{number}.` for each number, in the order of the numbers."""
    groups: dict[int, dict[str, Any]] = {}
    start = f"{prefix}."
    for key, value in attributes.items():
        if key.startswith(start):
            number, _, rest = key[len(start) :].partition(".")
            if number.isdecimal() and len(number) < 9 and rest:
                groups.setdefault(int(number), {})[rest] = value
    return [groups[number] for number in sorted(groups)]
