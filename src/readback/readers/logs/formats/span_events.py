"""Log events of OpenTelemetry GenAI: `gen_ai.user.message` …, `gen_ai.choice`, `gen_ai.evaluation.result`.

Source: the semantic conventions, and the logs of opentelemetry-instrumentation-openai-v2 2.4b0. The events of one
`span_id` are one request, in their order. Where the spans lie beside, they say the model and what failed, and the
requests are read from there; here they are counted then, so that none counts twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from readback.readers.logs.events import Call, Event, LogScore, Run, Status
from readback.readers.logs.head import peek_objects
from readback.readers.logs.json_rows import RowCounts, open_log, read_rows
from readback.readers.logs.messages import describe_kind
from readback.readers.logs.span_messages import read_exchange
from readback.readers.logs.span_shapes import LogEvent, Span, is_log_event, is_span, list_log_events
from readback.types import Diagnostic, Location

COMPANIONS = ("spans",)
NAME = "log events of a tracing tool"
MARK = b"gen_ai."
RESULT = "gen_ai.evaluation.result"
SUFFIXES = (".jsonl", ".json", ".ndjson", ".log", ".gz")
MOST_FILES = 50  # files of a folder that are looked at
MOST_BYTES = 64 << 20  # of log events beside spans: they are in memory while the spans are read
HEAD = 1 << 16


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether a file has log events about requests to models."""
    if MARK not in head or not any(mark in head for mark in (b'"span_id"', b'"spanId"')):
        return False
    rows = peek_objects(head)
    return any(_is_about_models(row) for row in rows) and not any(is_span(row) for row in rows)


def _is_about_models(row: Mapping[str, Any]) -> bool:
    if "resourceLogs" in row:
        return any(event.name.startswith("gen_ai.") for event in list_log_events(row))
    return is_log_event(row) and any(event.name.startswith("gen_ai.") for event in list_log_events(row))


@dataclass(slots=True)
class EventsBeside:
    """The log events of the files beside a file of spans, by the id of the span."""

    events: dict[str, list[LogEvent]] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    def report(self, file: str) -> Iterator[Diagnostic]:
        """Yield what could not be joined."""
        for name in self.skipped:
            what = f"{name}: its log events are too many to be joined with the spans"
            yield Diagnostic("dat-log-part", {"what": what}, Location(file=file), severity="warning")


def find_events_beside(path: Path) -> EventsBeside:
    """Return the log events in the folder of a file of spans. Raises nothing."""
    joined = EventsBeside()
    for other in _list_beside(path):
        if not recognise(_read_head(other), other):
            continue
        try:
            if other.stat().st_size > MOST_BYTES:
                joined.skipped.append(other.name)
                continue
        except OSError:
            continue
        for row in read_rows(other, other.name):
            if isinstance(row, Diagnostic) or not isinstance(row.value, dict):
                continue
            for event in list_log_events(row.value):
                if event.span_id:
                    joined.events.setdefault(event.span_id, []).append(event)
    return joined


def _list_beside(path: Path) -> list[Path]:
    try:
        names = sorted(other for other in path.parent.iterdir() if other.suffix.lower() in SUFFIXES)
        return [other for other in names[:MOST_FILES] if other != path and other.is_file() and not other.is_symlink()]
    except OSError:
        return []


def _read_head(path: Path) -> bytes:
    try:
        with open_log(path) as stream:
            return stream.read(HEAD)
    except (OSError, EOFError):
        return b""


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield a call for the events of each span, unless the spans lie beside."""
    counts = RowCounts()
    spans: dict[str, list[LogEvent]] = {}
    lines: dict[str, int] = {}
    size = 0
    for row in read_rows(path, file, counts):
        if isinstance(row, Diagnostic):
            yield row
            continue
        if isinstance(row.value, dict):
            events = list(list_log_events(row.value))
        else:
            events = []
        if not events:
            if isinstance(row.value, dict):
                reason = "no log event"
            else:
                reason = f"{describe_kind(row.value)}, no log event"
            place = Location(file=file, line=row.line, index=row.number)
            yield Diagnostic("dat-log-row", {"reason": reason}, place)
        for event in events:
            key = event.span_id or f"line {row.line}"
            spans.setdefault(key, []).append(event)
            lines.setdefault(key, row.line)
            size += 1
    owner = _find_spans_beside(path, set(spans))
    if owner:
        what = f"{size} log events of {len(spans)} spans: they are joined with {owner}"
        yield Diagnostic("dat-log-part", {"what": what}, Location(file=file), severity="info")
    else:
        yield from _list_calls(spans, lines)
    yield Run(
        "OpenTelemetry GenAI", details={"rows": counts.rows, "blank_lines": counts.blank, "refused": counts.refused}
    )


def _list_calls(spans: Mapping[str, list[LogEvent]], lines: Mapping[str, int]) -> Iterator[Event]:
    index = 0
    for span_id, events in spans.items():
        record = events[0].span_id
        exchange = read_exchange(Span("", record, None, None, {}), events)
        if exchange.messages is not None or exchange.text is not None or exchange.output is not None:
            model = next((name for event in events if (name := _find_model(event))), None)
            if exchange.messages is None and exchange.text is None:
                missing = "the messages were not recorded"
            else:
                missing = None
            yield Call(
                index,
                model,
                exchange.messages,
                text=exchange.text,
                record=record,
                model=model,
                output=exchange.output,
                warning=exchange.warning or missing,
                line=lines[span_id],
            )
            index += 1
        for event in events:
            if score := read_score(event, record, None, lines[span_id]):
                yield score


def _find_model(event: LogEvent) -> str | None:
    model = event.attributes.get("gen_ai.request.model")
    if isinstance(model, str):
        return model
    return None


def _find_spans_beside(path: Path, span_ids: set[str]) -> str | None:
    """Return the name of a file beside that has the spans of these events."""
    for other in _list_beside(path):
        rows = peek_objects(_read_head(other))
        if not any("resourceSpans" in row or is_span(row) for row in rows):
            continue
        try:
            with open_log(other) as stream:
                data = stream.read(MOST_BYTES)
        except (OSError, EOFError):
            continue
        if any(span_id.encode("utf-8", "surrogatepass") in data for span_id in list(span_ids)[:100]):
            return other.name
    return None


def read_score(event: LogEvent, record: str | None, condition: str | None, line: int | None) -> LogScore | None:
    """Return the grade of a `gen_ai.evaluation.result`; None for any other event.

    A result with an error has failed; one with a label alone has the label as raw value.
    """
    if event.name != RESULT:
        return None
    fields = {**event.attributes, **(event.body if isinstance(event.body, dict) else {})}
    value, label = fields.get("gen_ai.evaluation.score.value"), fields.get("gen_ai.evaluation.score.label")
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value)
    else:
        number = None
    error = fields.get("error.type")
    status: Status = "scored"
    if error or (number is None and label is None):
        if error or value is not None:
            status = "failed"
        else:
            status = "missing"
    name = fields.get("gen_ai.evaluation.name")
    if error:
        reason = error
    else:
        reason = fields.get("gen_ai.evaluation.explanation")
    return LogScore(
        record,
        condition,
        None,
        name if isinstance(name, str) else "evaluation",
        number if status == "scored" else None,
        raw=value if value is not None else label,
        status=status,
        reason=reason if isinstance(reason, str) else None,
        line=line,
    )
