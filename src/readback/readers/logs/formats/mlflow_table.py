"""Tables of mlflow.genai.evaluate: `trace_id`, `request`, `response`, and `{name}/value` for each scorer.

Source: files of mlflow 3.17.2. `request` is what went in as JSON, mostly with messages. `{name}/rationale` is a reason,
`{name}/error_message` says that the scorer failed; an empty cell alone is a missing grade. `yes` and `no` are 1 and 0.
`expected_response/value` and other expectations are no scores: the column `assessments` says which is which, and holds
values in their own types. The rows are in no order, so the record is the trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from readback.readers.logs.bodies import Body, read_body
from readback.readers.logs.csv_rows import peek_header, read_csv_rows
from readback.readers.logs.events import Call, Event, LogRecord, LogScore, Run, Status
from readback.readers.logs.formats.mlflow_traces import NO_MESSAGES, read_assessment
from readback.readers.logs.head import is_conversation
from readback.readers.logs.json_rows import LogRow, RowCounts, decode_json
from readback.readers.logs.messages import join_warnings
from readback.readers.logs.verdicts import read_cell
from readback.types import Diagnostic

NAME = "table of MLflow"
VALUE, RATIONALE, ERROR = "/value", "/rationale", "/error_message"
EXPECTED = "expected_"  # how the names of expectations begin where no assessment says it


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether a table has traces and a column `{name}/value`."""
    if b"/value" not in head:
        return False
    names = set(peek_header(head))
    return "request" in names and "response" in names and any(name.endswith(VALUE) for name in names)


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield the record, the call and the scores of each row."""
    counts = RowCounts()
    for row in read_csv_rows(path, file, counts):
        if isinstance(row, Diagnostic):
            yield row
        else:
            yield from _read_row(row)
    yield Run("MLflow", details={"rows": counts.rows, "blank_lines": counts.blank, "refused": counts.refused})


def _read_row(row: LogRow) -> Iterator[Event]:
    cells: Mapping[str, Any] = row.value
    record = cells.get("trace_id") or row.number
    if cells.get("request"):
        request = decode_json(cells["request"])
    else:
        request = None
    if cells.get("response"):
        response = decode_json(cells["response"])
    else:
        response = None
    listed = decode_json(cells.get("assessments") or None)
    if isinstance(listed, list):
        assessments = [item for item in listed if isinstance(item, dict)]
    else:
        assessments = []
    expectations = {
        str(item.get("assessment_name")): item["expectation"].get("value")
        for item in assessments
        if isinstance(item.get("expectation"), dict)
    }
    names = [name.removesuffix(VALUE) for name in cells if name.endswith(VALUE)]
    for name in names:
        if name.startswith(EXPECTED) and name not in expectations:
            expectations[name] = cells[name + VALUE]
    yield LogRecord(record, {"request": request, "response": response, **expectations}, row.line)
    body = _read_request(request)
    failed = cells.get("state") == "ERROR"
    yield Call(
        row.number,
        body.model,
        body.messages,
        text=body.text,
        record=record,
        model=body.model,
        output=response if isinstance(response, str) or response is None else cells["response"],
        error="the trace failed" if failed else None,
        warning=join_warnings(body.warning, body.error),
        line=row.line,
        details=body.details,
    )
    graded = {str(item.get("assessment_name")): item for item in assessments if isinstance(item.get("feedback"), dict)}
    for name in names:
        if name in expectations:
            continue
        assessment = graded.get(name)
        if assessment is not None and assessment.get("valid") is not False:
            score = read_assessment(assessment, record, body.model, row.line)
            yield replace(score, reason=cells.get(name + ERROR) or score.reason)
        else:
            yield _read_score(name, cells, record, body.model, row.line)


def _read_request(request: Any) -> Body:
    if isinstance(request, dict):
        body = read_body(request)
        if not body.error or "messages" in request:
            return body
    if is_conversation(request):
        return read_body({"messages": request})
    return Body(warning=NO_MESSAGES)


def _read_score(name: str, cells: Mapping[str, Any], record: Any, condition: str | None, line: int) -> LogScore:
    value, raw = read_cell(cells[name + VALUE])
    error, rationale = cells.get(name + ERROR), cells.get(name + RATIONALE)
    status: Status = "scored" if raw is not None else "missing"
    if error:
        status, value = "failed", None
    reason = error or rationale or None
    return LogScore(record, condition, None, name, value, raw=raw, status=status, reason=reason, line=line)
