"""Spans, log events and traces: what was sent and what came back, in each spelling, and what the file lost."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import read_log_files as logs
from counts import many
from hypothesis import given, settings
from hypothesis import strategies as st
from log_events import check_frames

from readback.readers.logs import formats

LOST = "all"  # what `recorded` says where nothing is lost


@pytest.mark.realdata
def test_every_expected_line_is_read_or_said_to_be_lost(shared: Path) -> None:
    wrong = []
    for path, expected in logs.list_expected(shared, "spans"):
        call = next(call for call in logs.calls_of(logs.read_log(path)) if call.index == expected["row"])
        recorded = expected["recorded"] == "all"
        line = {**expected, "warning": not recorded}
        if not recorded:
            line.pop("messages")
        wrong += [(path, expected["row"], difference) for difference in logs.list_differences(call, line)]
    assert wrong == []


@pytest.mark.realdata
def test_log_events_alone_are_requests_and_beside_their_spans_are_none(shared: Path, tmp_path: Path) -> None:
    folder = shared / logs.VECTORS / "spans" / "otel-events"
    joined = logs.read_log(folder / "logs.jsonl")
    assert logs.calls_of(joined) == []
    assert "spans.jsonl" in logs.diagnostics_of(joined, "dat-log-part")[0].values["what"]
    alone = shutil.copy(folder / "logs.jsonl", tmp_path / "events.jsonl")
    expected = [call.messages for call in logs.calls_of(logs.read_log(folder / "spans.jsonl"))]
    assert expected == [call.messages for call in logs.calls_of(logs.read_log(Path(alone)))]


def write_spans(tmp_path: Path, *rows: Any) -> Path:
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def make_span(attributes: Any, **more: Any) -> dict[str, Any]:
    context = {"trace_id": "0x1", "span_id": "0x2"}
    return {"name": "chat", "context": context, "parent_id": None, "attributes": attributes, **more}


ASK = [{"role": "user", "content": "How long?"}]
FLAT = {
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "How long?",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "90 m",
    "openinference.span.kind": "LLM",
    "llm.model_name": "m",
}
TOOL_CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
SPANS: list[tuple[Any, Any, Any]] = [
    (make_span(FLAT), ASK, "90 m"),
    (
        make_span({"openinference": {"span": {"kind": "LLM"}}, "llm": {
            "model_name": "m",
            "input_messages": [{"message": {"role": "user", "content": "How long?"}}],
            "output_messages": [{"message": {"role": "assistant", "content": "90 m"}}],
        }}),
        ASK,
        "90 m",
    ),
    (
        {"context.span_id": "2", "name": "x", "status_code": "OK", "attributes.openinference.span.kind": "LLM",
         "attributes.llm.model_name": "m",
         "attributes.llm.input_messages": [{"message.role": "user", "message.content": "How long?"}]},
        ASK,
        None,
    ),
    (
        make_span({**FLAT, "input.value": json.dumps({"model": "m", "messages": ASK}), "output.value": "90 m"}),
        ASK,
        "90 m",
    ),
    (
        make_span({**FLAT, "llm.input_messages.0.message.contents.0.message_content.type": "text",
                   "llm.input_messages.1.message.role": "assistant",
                   "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c1",
                   "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "f",
                   "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": "{}"}),
        [*ASK, {"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]}],
        "90 m",
    ),
    (
        make_span({"gen_ai.system": "openai", "gen_ai.request.model": "m", "gen_ai.prompt.0.role": "user",
                   "gen_ai.prompt.0.content": "How long?", "gen_ai.completion.0.role": "assistant",
                   "gen_ai.completion.0.content": "90 m"}),
        ASK,
        "90 m",
    ),
    (
        make_span({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m",
                   "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Be brief."}]),
                   "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "How long?"}]}]}),
        [{"role": "system", "content": "Be brief.", "from": "system_instructions"}, *ASK],
        None,
    ),
    (
        make_span({"gen_ai.request.model": "m"}, events=[
            {"name": "gen_ai.content.prompt", "attributes": {"gen_ai.prompt": json.dumps(ASK)}},
            {"name": "gen_ai.choice", "attributes": {"message": json.dumps({"content": "90 m"})}},
        ]),
        ASK,
        "90 m",
    ),
    (
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": "2", "traceId": "1", "attributes": [
            {"key": "gen_ai.request.model", "value": {"stringValue": "m"}},
            {"key": "gen_ai.prompt.0.role", "value": {"stringValue": "user"}},
            {"key": "gen_ai.prompt.0.content", "value": {"stringValue": "How long?"}},
        ]}]}]}]},
        ASK,
        None,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("row", "messages", "output"), SPANS)
def test_messages_are_read_in_each_spelling(tmp_path: Path, row: Any, messages: Any, output: Any) -> None:
    (call,) = logs.calls_of(logs.read_log(write_spans(tmp_path, row)))
    assert (messages, output, "m", None) == (call.messages, call.output, call.condition, call.error)


def test_a_table_of_spans_is_read_with_the_values_in_its_cells(tmp_path: Path) -> None:
    columns = ["name", "context.span_id", "attributes.openinference.span.kind", "attributes.llm.input_messages"]
    cells = ["x", "2", "LLM", repr([{"message.role": "user", "message.content": 'How "long"?\n'}])]
    path = tmp_path / "spans.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([columns, cells])
    (call,) = logs.calls_of(logs.read_log(path))
    assert call.messages == [{"role": "user", "content": 'How "long"?\n'}]


def test_two_records_of_the_messages_that_differ_are_a_warning(tmp_path: Path) -> None:
    other = [{"role": "user", "content": "How wide?"}]
    row = make_span({**FLAT, "input.value": json.dumps({"messages": other, "model": "m"})})
    (call,) = logs.calls_of(logs.read_log(write_spans(tmp_path, row)))
    assert other == call.messages
    assert "differ" in (call.warning or "")


def test_the_model_is_that_of_the_parameters_where_no_other_is_named(tmp_path: Path) -> None:
    attributes = {**FLAT, "llm.invocation_parameters": '{"model": "n", "temperature": 0}'}
    del attributes["llm.model_name"]
    (call,) = logs.calls_of(logs.read_log(write_spans(tmp_path, make_span(attributes))))
    assert (call.condition, call.details["settings"]) == ("n", {"temperature": 0})


def test_messages_that_were_not_captured_are_counted_once(tmp_path: Path) -> None:
    silent = make_span({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"})
    events = logs.read_log(write_spans(tmp_path, silent, silent, make_span({"llm": "x"})))
    assert [call.messages for call in logs.calls_of(events)] == [None, None]
    reports = [item.values["what"] for item in logs.diagnostics_of(events, "dat-log-part")]
    assert len(reports) == 2
    assert reports[0].startswith("2 of 2 requests")
    assert reports[1].startswith("1 spans that are no requests")


def test_a_status_of_error_is_a_failed_call(tmp_path: Path) -> None:
    failed = make_span(FLAT, status={"status_code": "ERROR", "description": "asleep"}, events=[
        {"name": "exception", "attributes": {"exception.type": "BadRequest"}}])  # fmt: skip
    (call,) = logs.calls_of(logs.read_log(write_spans(tmp_path, failed)))
    assert call.error == "BadRequest: asleep"


GRADES: list[tuple[Any, Any]] = [
    ({"gen_ai.evaluation.score.value": 0.5, "gen_ai.evaluation.score.label": "half"}, (0.5, 0.5, "scored")),
    ({"gen_ai.evaluation.score.value": 0}, (0.0, 0, "scored")),
    ({"gen_ai.evaluation.score.label": "pass"}, (None, "pass", "scored")),
    ({"error.type": "timeout"}, (None, None, "failed")),
    ({"gen_ai.evaluation.score.value": 0, "error.type": "timeout"}, (None, 0, "failed")),
    ({}, (None, None, "missing")),
]


@pytest.mark.parametrize(("attributes", "expected"), GRADES)
def test_results_of_evaluations_are_scores_of_their_span(tmp_path: Path, attributes: Any, expected: Any) -> None:
    event = {"name": "gen_ai.evaluation.result", "attributes": {"gen_ai.evaluation.name": "relevance", **attributes}}
    (score,) = logs.scores_of(logs.read_log(write_spans(tmp_path, make_span(FLAT, events=[event]))))
    assert expected == (score.value, score.raw, score.status)
    assert (score.record, score.condition, score.criterion) == ("0x2", "m", "relevance")


def test_results_in_a_file_of_log_events_are_joined_by_their_span(tmp_path: Path) -> None:
    write_spans(tmp_path, make_span(FLAT))
    attributes = {"gen_ai.evaluation.name": "relevance", "gen_ai.evaluation.score.value": 1}
    event = {"body": None, "span_id": "0x2", "attributes": attributes, "event_name": "gen_ai.evaluation.result"}
    (tmp_path / "events.jsonl").write_text(json.dumps(event))
    (score,) = logs.scores_of(logs.read_log(tmp_path / "spans.jsonl"))
    assert (score.record, score.condition, score.value) == ("0x2", "m", 1.0)


LLM_JUDGE = {"source_type": "LLM_JUDGE", "source_id": "j"}
TRACE = {
    "info": {"trace_id": "tr-1", "state": "OK", "trace_metadata": {"mlflow.traceInputs": "{}"}, "assessments": [
        {"assessment_name": "graded", "feedback": {"value": "no"}, "source": LLM_JUDGE},
        {"assessment_name": "raised", "feedback": {"value": None, "error": {"error_code": "E", "error_message": "no"}}},
        {"assessment_name": "expected_response", "expectation": {"value": "90 m"}},
    ]},
    "data": {"spans": [
        {"span_id": "a", "attributes": {"mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": "{}"}},
        {"span_id": "b", "parent_span_id": "a", "attributes": {
            "mlflow.spanType": '"CHAT_MODEL"', "mlflow.spanInputs": json.dumps({"model": "m", "messages": ASK}),
            "mlflow.spanOutputs": json.dumps({"choices": [{"message": {"content": "90 m"}}]})}},
    ]},
}  # fmt: skip


def test_a_trace_of_mlflow_has_the_calls_of_its_models_and_its_grades(tmp_path: Path) -> None:
    events = logs.read_log(write_spans(tmp_path, TRACE))
    (call,) = logs.calls_of(events)
    assert (call.messages, call.output, call.record, call.condition) == (ASK, "90 m", "tr-1", "m")
    grades = [(score.criterion, score.judge, score.value, score.status) for score in logs.scores_of(events)]
    assert grades == [("graded", "j", 0.0, "scored"), ("raised", None, None, "failed")]
    assert logs.records_of(events)[0].fields["expected_response"] == "90 m"


EVENTS = [
    {"event_name": "gen_ai.user.message", "span_id": "0x2", "body": {"content": "How long?"}, "attributes": {}},
    {"event_name": "gen_ai.choice", "span_id": "0x2", "body": {"message": {"content": "90 m"}}, "attributes": {}},
]
SAMPLES = (
    b"".join(json.dumps(row).encode() + b"\n" for row, _, _ in SPANS),
    json.dumps(SPANS[6][0], indent=1).encode(),
    b"".join(json.dumps(row).encode() + b"\n" for row in EVENTS),
    json.dumps(TRACE).encode(),
)
places = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 600)), max_size=6)


@pytest.mark.long
@settings(max_examples=many(2_000, 20))
@given(st.sampled_from(SAMPLES), places)
def test_damaged_files_are_accounted_for(tmp_path_factory: pytest.TempPathFactory, sample: bytes, places: Any) -> None:
    path = tmp_path_factory.mktemp("damaged") / "damaged.jsonl"
    path.write_bytes(logs.mutate(sample, places))
    formats.find_format(path)
    for key in ("spans", "span_events", "mlflow_traces"):
        events = list(formats.get_format(key).read(path, path.name))
        check_frames(path, key)
        counts = logs.counts_of(events)
        calls = logs.calls_of(events)
        assert list(range(len(calls))) == [call.index for call in calls]
        assert len(logs.diagnostics_of(events)) >= counts["refused"]
        for call in calls:
            assert call.messages is not None or call.text is not None or call.error or call.warning
