"""Traces of MLflow: a line each with `info` and `data.spans`, and the grades in `info.assessments`.

Source: files of mlflow 3.17.2, and the older form with `info.request_id` and spans that have a `context`. A trace is
the record, with what went in and what was expected; its spans of chat models are its calls, in their order, else the
span at the top if messages went into it. The last call answers. `feedback` is a score of its scorer, `expectation` is
none. A scorer that raised an error leaves no value: it has failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readback.readers.logs.bodies import Body, read_body
from readback.readers.logs.events import Call, Event, Id, LogRecord, LogScore, Run
from readback.readers.logs.head import is_conversation, peek_objects
from readback.readers.logs.json_rows import RowCounts, decode_json, read_rows
from readback.readers.logs.messages import describe_kind, join_warnings
from readback.readers.logs.replies import describe_error, read_message_output, read_reply
from readback.readers.logs.verdicts import read_verdict
from readback.types import Diagnostic, Location

NAME = "traces of MLflow"
MODELS = frozenset({"CHAT_MODEL", "LLM"})
FAILED = frozenset({"STATUS_CODE_ERROR", "ERROR", "2"})
NO_MESSAGES = "the trace holds no messages"


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether the rows of a file are traces."""
    return b'"mlflow.' in head and any(map(_is_trace, peek_objects(head)))


def _is_trace(row: Mapping[str, Any]) -> bool:
    info, data = row.get("info"), row.get("data")
    if not isinstance(info, dict):
        return False
    return isinstance(data, dict) or "trace_metadata" in info or "request_metadata" in info


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield the record, the calls and the scores of each trace."""
    counts = RowCounts()
    index = 0
    for row in read_rows(path, file, counts):
        if isinstance(row, Diagnostic):
            yield row
            continue
        if not isinstance(row.value, dict) or not isinstance(row.value.get("info"), dict):
            if isinstance(row.value, dict):
                kind = "no trace"
            else:
                kind = f"{describe_kind(row.value)}, where a trace is needed"
            place = Location(file=file, line=row.line, index=row.number)
            yield Call(index, None, None, error=kind, line=row.line)
            yield Diagnostic("dat-log-row", {"reason": kind}, place)
            index += 1
            continue
        for event in _read_trace(row.value, index, row.line):
            index += isinstance(event, Call)
            yield event
    yield Run("MLflow", details={"rows": counts.rows, "blank_lines": counts.blank, "refused": counts.refused})


def _read_trace(trace: Mapping[str, Any], index: int, line: int) -> Iterator[Event]:
    info = trace["info"]
    if isinstance(trace.get("data"), dict):
        data = trace["data"]
    else:
        data = {}
    record = next((info[key] for key in ("trace_id", "request_id") if isinstance(info.get(key), str)), None)
    spans = [span for span in data.get("spans") or () if isinstance(span, dict)]
    top = next((span for span in spans if not _get_parent(span)), {})
    request, response = _read_ends(info, data, top)
    fields: dict[str, Any] = {"request": request, "response": response}
    assessments = [item for item in info.get("assessments") or () if isinstance(item, dict)]
    for assessment in assessments:
        if isinstance(assessment.get("expectation"), dict):
            fields[str(assessment.get("assessment_name"))] = assessment["expectation"].get("value")
    if record is not None:
        yield LogRecord(record, fields, line)
    models = [span for span in spans if decode_json(_get_attributes(span).get("mlflow.spanType")) in MODELS]
    calls = models or [top]
    if info.get("state", info.get("status")) == "ERROR":
        error = "the trace failed"
    else:
        error = None
    condition = None
    for number, span in enumerate(calls):
        attributes = _get_attributes(span)
        sent = decode_json(attributes.get("mlflow.spanInputs", None if models else request))
        output = decode_json(attributes.get("mlflow.spanOutputs", None if models else response))
        body = _read_sent(sent)
        condition = body.model
        yield Call(
            index + number,
            body.model,
            body.messages,
            text=body.text,
            record=record,
            call=number,
            model=body.model,
            output=_read_output(output),
            error=_read_error(span) or (error if not models else None),
            warning=join_warnings(body.warning, body.error),
            line=line,
            is_answer=number == len(calls) - 1,
            details=body.details,
        )
    for assessment in assessments:
        if isinstance(assessment.get("feedback"), dict) and assessment.get("valid") is not False:
            yield read_assessment(assessment, record, condition, line)


def _read_ends(info: Mapping[str, Any], data: Mapping[str, Any], top: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return what went into a trace and what came out."""
    attributes = _get_attributes(top)
    metadata = info.get("trace_metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    request = attributes.get("mlflow.spanInputs", data.get("request", metadata.get("mlflow.traceInputs")))
    response = attributes.get("mlflow.spanOutputs", data.get("response", metadata.get("mlflow.traceOutputs")))
    return decode_json(request), decode_json(response)


def _get_attributes(span: Mapping[str, Any]) -> Mapping[str, Any]:
    attributes = span.get("attributes")
    if isinstance(attributes, dict):
        return attributes
    return {}


def _get_parent(span: Mapping[str, Any]) -> Any:
    return span.get("parent_span_id") or span.get("parent_id")


def _read_sent(sent: Any) -> Body:
    """Return what went into a model: a body, or messages as an argument of any name."""
    if isinstance(sent, dict):
        body = read_body(sent)
        if not body.error or "messages" in sent:
            return body
        named = [value for value in sent.values() if is_conversation(value)]
        if len(named) == 1:
            return read_body({"messages": named[0]})
    if is_conversation(sent):
        return read_body({"messages": sent})
    details = {} if sent is None else {"inputs": sent}
    return Body(warning=NO_MESSAGES, details=details)


def _read_output(output: Any) -> Any:
    """Return the reply: its text where it is a response of a known form, else the value itself."""
    if not isinstance(output, dict):
        return output
    if isinstance(output.get("role"), str):
        return read_message_output(output)
    reply = read_reply(output)
    if reply.output is None:
        return output
    return reply.output


def _read_error(span: Mapping[str, Any]) -> str | None:
    status = span.get("status", span.get("status_code"))
    if isinstance(status, dict):
        code = status.get("code", status.get("status_code"))
    else:
        code = status
    if str(code) not in FAILED:
        return None
    if isinstance(status, dict):
        message = status.get("message", status.get("description"))
    else:
        message = None
    return str(message or "error")[:500]


def read_assessment(assessment: Mapping[str, Any], record: Id, condition: str | None, line: int | None) -> LogScore:
    """Return the grade of an assessment with feedback."""
    feedback = assessment["feedback"]
    raw = feedback.get("value")
    error = feedback.get("error", assessment.get("error"))
    value, status = read_verdict(raw, bool(error))
    source = assessment.get("source")
    if isinstance(source, dict) and source.get("source_type") == "LLM_JUDGE":
        judge = source.get("source_id")
    else:
        judge = None
    reason = describe_error(error) if error else assessment.get("rationale")
    return LogScore(
        record,
        condition,
        judge if isinstance(judge, str) else None,
        str(assessment.get("assessment_name")),
        value,
        raw=raw,
        status=status,
        reason=reason if isinstance(reason, str) else None,
        line=line,
    )
