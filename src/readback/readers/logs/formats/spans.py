"""Spans of requests to models: OpenTelemetry's GenAI attributes and events, and OpenInference (Phoenix, Arize).

Source: the semantic conventions of both, and files of opentelemetry-instrumentation-openai-v2 2.4b0 and
openinference-instrumentation-openai 0.1.66. Each span of a request is a call, in the order of the file; the spans
around them (chains, agents, tools) are none, and are counted. Messages may be missing: capture is off by default.
Where they stand as log events in a file beside (`gen_ai.user.message` …), these are joined by `span_id`. The record of
a call is its span, by which `gen_ai.evaluation.result` grades it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from readback.readers.logs.csv_rows import peek_header, read_csv_rows, read_head, read_literal
from readback.readers.logs.events import Call, Event, LogScore, Run
from readback.readers.logs.formats.span_events import find_events_beside, read_score
from readback.readers.logs.head import peek_objects
from readback.readers.logs.json_rows import LogRow, RowCounts, decode_json, read_rows
from readback.readers.logs.messages import describe_kind, join_warnings
from readback.readers.logs.span_messages import read_exchange
from readback.readers.logs.span_shapes import LogEvent, Span, is_span, list_spans
from readback.types import Diagnostic, Location

COMPANIONS = ("span_events",)
NAME = "spans of a tracing tool"
MARKS = (b"gen_ai.", b"llm.", b"openinference.span.kind", b'"input_messages"')
NOT_RECORDED = "the messages were not recorded (capture of content is off by default)"
OPERATIONS = frozenset({"chat", "text_completion", "generate_content", "completion"})
OTHER_OPERATIONS = frozenset({"embeddings", "execute_tool", "invoke_agent", "create_agent", "rerank"})
SYSTEM_OF_TOOL = {"openinference": "OpenInference", "gen_ai": "OpenTelemetry GenAI"}


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether a file has spans, and its beginning an attribute of requests to models."""
    if b"attributes" not in head or not any(mark in head for mark in MARKS):
        return False
    names = peek_header(head)
    if names:
        return "context.span_id" in names and any(name.startswith("attributes.") for name in names)
    return any("resourceSpans" in row or is_span(row) for row in peek_objects(head))


@dataclass(slots=True)
class _Counts:
    """Count the spans of a file."""

    requests: int = 0
    others: int = 0
    unrecorded: int = 0
    models: dict[str, str | None] = field(default_factory=dict)
    tool: str = "OpenTelemetry"


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield a call for each span of a request, and the grades of `gen_ai.evaluation.result`."""
    counts, spans = RowCounts(), _Counts()
    joined = find_events_beside(path)
    yield from joined.report(file)
    for row in _read_table(path, file, counts):
        if isinstance(row, Diagnostic):
            yield row
        else:
            yield from _read_row(row, file, spans, joined.events)
    for span_id, events in joined.events.items():
        if span_id in spans.models:
            yield from _read_scores(events, span_id, spans.models[span_id], None)
    if spans.unrecorded:
        yield _report(f"{spans.unrecorded} of {spans.requests} requests: {NOT_RECORDED}", file)
    if spans.others:
        yield _report(f"{spans.others} spans that are no requests to a model (parents, tools, embeddings)", file)
    details = {"rows": counts.rows, "blank_lines": counts.blank, "refused": counts.refused, "other_spans": spans.others}
    yield Run(spans.tool, rows=None, details=details)


def _read_table(path: Path, file: str, counts: RowCounts) -> Iterator[LogRow | Diagnostic]:
    """Yield the rows of a file of JSON, or of a table whose cells hold values as Python or JSON writes them."""
    if not peek_header(read_head(path)):
        yield from read_rows(path, file, counts)
        return
    for row in read_csv_rows(path, file, counts):
        if isinstance(row, Diagnostic):
            yield row
        else:
            yield row._replace(value={name: read_literal(cell) for name, cell in row.value.items() if cell})


def _report(what: str, file: str) -> Diagnostic:
    return Diagnostic("dat-log-part", {"what": what}, Location(file=file), severity="info")


def _read_row(row: LogRow, file: str, counts: _Counts, log_events: Mapping[str, list[LogEvent]]) -> Iterator[Event]:
    value = row.value
    if isinstance(value, dict):
        spans = list(list_spans(value))
    else:
        spans = []
    if not spans:
        if not isinstance(value, dict):
            reason = f"{describe_kind(value)}, where a span is needed"
        else:
            reason = "no span"
        yield Diagnostic("dat-log-row", {"reason": reason}, Location(file=file, line=row.line, index=row.number))
        return
    for span in spans:
        if span.span_id:
            events = log_events.get(span.span_id, [])
        else:
            events = []
        call = read_span_call(span, counts.requests, row.line, events)
        if call is None:
            counts.others += 1
            continue
        counts.requests += 1
        if "gen_ai.system" in span.attributes or "gen_ai.provider.name" in span.attributes:
            counts.tool = SYSTEM_OF_TOOL["gen_ai"]
        elif "openinference.span.kind" in span.attributes:
            counts.tool = SYSTEM_OF_TOOL["openinference"]
        if call.messages is None and call.text is None and not (call.error and call.details.get("messages")):
            counts.unrecorded += 1
        if span.span_id:
            counts.models[span.span_id] = call.condition
        yield call
        yield from _read_scores(span.events, span.span_id, call.condition, row.line)


def _read_scores(events: Any, span_id: str | None, condition: str | None, line: int | None) -> Iterator[LogScore]:
    for event in events:
        if score := read_score(event, span_id, condition, line):
            yield score


def read_span_call(span: Span, index: int, line: int | None, events: list[LogEvent]) -> Call | None:
    """Return the call of a span; None for a span that is no request to a model."""
    attributes = span.attributes
    if not _is_request(span, events):
        return None
    exchange = read_exchange(span, events)
    model = _find_model(attributes)
    is_missing = exchange.messages is None and exchange.text is None and not exchange.error
    settings = {
        key.rsplit(".", 1)[1]: value
        for key, value in attributes.items()
        if key.startswith("gen_ai.request.") and key != "gen_ai.request.model"
    }
    parameters = decode_json(attributes.get("llm.invocation_parameters"))
    if isinstance(parameters, dict):
        settings.update({key: value for key, value in parameters.items() if key not in ("model", "messages")})
    details = {**({"settings": settings} if settings else {}), **exchange.details}
    if span.trace_id:
        details["trace_id"] = span.trace_id
    return Call(
        index,
        model,
        exchange.messages,
        text=exchange.text,
        record=span.span_id,
        model=model,
        output=exchange.output,
        error=join_warnings(span.error, exchange.error),
        warning=join_warnings(exchange.warning, NOT_RECORDED if is_missing else None),
        line=line,
        details=details,
    )


def _is_request(span: Span, events: list[LogEvent]) -> bool:
    attributes = span.attributes
    kind = attributes.get("openinference.span.kind", attributes.get("span.kind"))
    if isinstance(kind, str):
        return kind.upper() == "LLM"
    operation = attributes.get("gen_ai.operation.name")
    if operation in OTHER_OPERATIONS:
        return False
    if operation in OPERATIONS or "gen_ai.input.messages" in attributes:
        return True
    if any(key.startswith(("llm.input_messages.", "gen_ai.prompt")) for key in attributes):
        return True
    if any(event.name.startswith("gen_ai.") and event.name.endswith(".message") for event in (*events, *span.events)):
        return True
    return "gen_ai.request.model" in attributes or attributes.get("llm.request.type") in ("chat", "completion")


def _find_model(attributes: Mapping[str, Any]) -> str | None:
    parameters = decode_json(attributes.get("llm.invocation_parameters"))
    names = [attributes.get(key) for key in ("gen_ai.request.model", "llm.model_name", "llm.request.model")]
    names.append(parameters.get("model") if isinstance(parameters, dict) else None)
    names.append(attributes.get("gen_ai.response.model"))
    return next((name for name in names if isinstance(name, str) and name), None)
