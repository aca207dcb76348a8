"""Request files: bodies, batches and their replies, training rows; each line is a call, a blank or a diagnostic."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import read_log_files as logs
from counts import many
from hypothesis import given, settings
from hypothesis import strategies as st
from log_events import check_frames

from readback.readers.logs import formats
from readback.readers.logs.events import Call
from readback.readers.logs.head import close_json
from readback.types import Diagnostic

REQUESTS = ("openai", "anthropic-gemini")


@pytest.mark.realdata
@pytest.mark.parametrize("tool", REQUESTS)
def test_every_expected_line_is_read(shared: Path, tool: str) -> None:
    wrong = []
    for path, expected in logs.list_expected(shared, tool):
        events = logs.read_log(path)
        if expected["row"] is None:
            if not any(item.place.line == expected["line"] for item in logs.diagnostics_of(events)):
                wrong.append((path, expected["line"]))
            continue
        call = next(call for call in logs.calls_of(events) if call.index == expected["row"])
        wrong += [(path, expected["row"], difference) for difference in logs.list_differences(call, expected)]
    assert wrong == []


def write_lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def read_rows(tmp_path: Path, *rows: Any) -> list[Call]:
    return logs.calls_of(logs.read_log(write_lines(tmp_path / "log.jsonl", list(rows))))


ASK = [{"role": "user", "content": "How long is the pier?"}]
REPLY = {"role": "assistant", "content": "90 m"}
CHAT = {"model": "m", "choices": [{"message": REPLY, "finish_reason": "stop"}]}


def respond(**body: Any) -> dict[str, Any]:
    return {"custom_id": "r", "method": "POST", "url": "/v1/responses", "body": {"model": "m", **body}}


CALL = {"type": "function_call", "id": "fc_1", "status": "completed", "call_id": "c1", "name": "f", "arguments": "{}"}
RESPONSES = [
    ({"input": "Hi"}, [{"role": "user", "content": "Hi"}], None),
    (
        {"instructions": "Be brief.\n", "input": "Hi"},
        [{"role": "system", "content": "Be brief.\n", "from": "instructions"}, {"role": "user", "content": "Hi"}],
        None,
    ),
    (
        {"input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}, CALL]},
        [
            {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
            {"item": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        ],
        None,
    ),
    (
        {"input": "more", "previous_response_id": "resp_1"},
        [{"role": "user", "content": "more"}],
        "earlier turns are not in this file",
    ),
    (
        {"input": "more", "conversation": {"id": "conv_1"}},
        [{"role": "user", "content": "more"}],
        "earlier turns are not in this file",
    ),
]


@pytest.mark.parametrize(("body", "messages", "warning"), RESPONSES)
def test_instructions_come_first_and_items_without_a_role_stay_items(
    tmp_path: Path, body: Any, messages: Any, warning: str | None
) -> None:
    (call,) = read_rows(tmp_path, respond(**body))
    assert (messages, warning) == (call.messages, call.warning)


WRONG_BODIES = [
    ({"input": 5}, "input is a number"),
    ({"input": [5]}, "an item is a number"),
    ({"input": [{"no": 1}]}, "an item without a role or type"),
    ({"input": []}, "no messages"),
    ({}, "no messages"),
    ({"instructions": {"a": 1}, "input": "x"}, "instructions is an object"),
]


@pytest.mark.parametrize(("body", "reason"), WRONG_BODIES)
def test_a_body_that_cannot_be_read_says_why(tmp_path: Path, body: Any, reason: str) -> None:
    (call,) = read_rows(tmp_path, respond(**body))
    assert reason == call.error


OUTCOMES: list[tuple[Any, Any, str | None]] = [
    ({"response": {"status_code": 200, "body": CHAT}, "error": None}, "90 m", None),
    ({"response": {"status_code": 429, "body": {"error": {"code": "slow"}}}, "error": None}, None, "status 429: slow"),
    ({"response": None, "error": {"code": "batch_expired", "message": "late"}}, None, "batch_expired: late"),
    ({"response": None, "error": None}, None, "no response"),
    (
        {"response": {"status_code": 200, "body": {"object": "response", "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": t} for t in ("90", " m")]},
        ]}}},
        "90 m",
        None,
    ),
    ({"response": {"status_code": 200, "body": {"choices": [{"text": " 90 m"}]}}}, " 90 m", None),
    ({"response": {"status_code": 200, "body": {"choices": []}}}, None, "the response holds no reply"),
]  # fmt: skip


@pytest.mark.parametrize(("rest", "output", "error"), OUTCOMES)
def test_a_reply_file_has_answers_and_failures_without_messages(
    tmp_path: Path, rest: Any, output: Any, error: str | None
) -> None:
    (call,) = read_rows(tmp_path, {"id": "b", "custom_id": 7, **rest})
    assert (None, 7, output, error) == (call.messages, call.record, call.output, call.error)
    assert "the requests are in another file" in (call.warning or "")


RESULTS: list[tuple[Any, Any, str | None]] = [
    ({"type": "succeeded", "message": {"model": "m", "content": [{"type": "text", "text": "90 m"}]}}, "90 m", None),
    ({"type": "errored", "error": {"error": {"type": "bad", "message": "no"}}}, None, "errored: bad: no"),
    ({"type": "expired"}, None, "expired"),
    ({"type": "canceled"}, None, "canceled"),
]  # fmt: skip


@pytest.mark.parametrize(("result", "output", "error"), RESULTS)
def test_results_of_anthropic_are_answers(tmp_path: Path, result: Any, output: Any, error: str | None) -> None:
    (call,) = read_rows(tmp_path, {"custom_id": "a", "result": result})
    assert ("a", output, error) == (call.record, call.output, call.error)


def test_a_last_message_of_the_assistant_is_the_beginning_of_the_answer(tmp_path: Path) -> None:
    row = {"model": "m", "max_tokens": 5, "system": "s", "messages": [*ASK, {"role": "assistant", "content": "It is"}]}
    (call,) = read_rows(tmp_path, row)
    assert call.details["prefill"] == "It is"


def test_weights_say_which_messages_are_trained_on(tmp_path: Path) -> None:
    first = {"role": "assistant", "content": "90 m", "weight": 0}
    last = {"role": "assistant", "content": "ninety metres", "weight": 1}
    (call,) = read_rows(tmp_path, {"messages": [*ASK, first, *ASK, last]})
    assert ([*ASK, first, *ASK, last], [3]) == (call.messages, call.details["trained_on"])


ROWS: list[tuple[str, Any, Any]] = [
    ("chat_rows", [*ASK, REPLY], [*ASK, REPLY]),
    ("openai_requests", {"request": {"model": "m", "messages": ASK}, "response": CHAT}, ASK),
    (
        "openai_requests",
        {"request": {"method": "POST", "url": "/v1/chat/completions", "body": {"model": "m", "messages": ASK}},
         "response": {"status_code": 200, "body": CHAT}},
        ASK,
    ),
    ("openai_requests", {"id": "chatcmpl-1", "object": "chat.completion", **CHAT}, None),
    ("openai_requests", {"model": "m", "messages": ASK, "temperature": 0, "response": "90 m"}, ASK),
    ("openai_batch", {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions",
                      "body": {"model": "m", "messages": ASK}}, ASK),
    ("gemini", {"contents": [{"parts": [{"text": "Hi"}]}]}, [{"role": "user", "content": "Hi"}]),
    (
        "readback_export",
        {"index": 0, "record": "a", "condition": None, "mode": "m", "messages": ASK, "fingerprint": "f" * 64},
        ASK,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("key", "row", "messages"), ROWS)
def test_a_row_is_recognised_by_its_content(tmp_path: Path, key: str, row: Any, messages: Any) -> None:
    path = write_lines(tmp_path / "any name.txt", [row, row])
    log_format = formats.find_format(path)
    assert log_format is not None
    calls = logs.calls_of(list(log_format.read(path, path.name)))
    assert (key, [messages, messages]) == (log_format.key, [call.messages for call in calls])


NO_LOGS: list[Any] = [
    {"question": "How long?", "messages": ASK, "ideal": "90 m"},
    {"id": "q1", "question": "How long?", "answer": "90 m"},
    {"model": "m", "input": "How long?", "output": "90 m", "score": 1},
    {"model": "m", "prompt": "How long?", "response": "90 m", "latency": 5},
    {"prompt": "a", "completion": "b", "score": 0.5},
    {"user_input": "a", "contents": ["b"]},
    {"record": "a", "index": 1, "condition": "c", "score": 2},
    {"custom_id": "a", "question": "b"},
]


@pytest.mark.parametrize("row", NO_LOGS)
def test_a_dataset_is_left_a_dataset(tmp_path: Path, row: Any) -> None:
    assert formats.find_format(write_lines(tmp_path / "rows.jsonl", [row, row, row])) is None


def test_a_first_row_beyond_what_is_looked_at_is_recognised(tmp_path: Path) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400_000}}
    row = {"custom_id": "a", "body": {"model": "m", "messages": [{"role": "user", "content": [picture]}]}}
    (call,) = read_rows(tmp_path, row)
    assert row["body"]["messages"] == call.messages  # type: ignore[index]


def test_one_body_over_many_lines_is_one_call(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "m", "messages": ASK, "stream": False}, indent=2))
    (call,) = logs.calls_of(logs.read_log(path))
    assert (call.messages, call.condition, call.details) == (ASK, "m", {"settings": {"stream": False}})


def test_a_list_of_bodies_is_a_call_each(tmp_path: Path) -> None:
    path = tmp_path / "requests.json"
    path.write_text(json.dumps([{"model": "m", "messages": ASK}, {"model": "n", "messages": ASK}], indent=1))
    assert [call.condition for call in logs.calls_of(logs.read_log(path))] == ["m", "n"]


def test_a_packed_file_is_read_and_a_cut_one_says_so(tmp_path: Path) -> None:
    line = json.dumps({"custom_id": "a", "body": {"model": "m", "messages": ASK}}).encode() + b"\n"
    path = tmp_path / "batch.jsonl.gz"
    path.write_bytes(gzip.compress(line * 5_000)[:-20])
    events = logs.read_log(path)
    assert logs.calls_of(events)[0].messages == ASK
    assert logs.diagnostics_of(events, "dat-bad-line")


EVIL: list[tuple[str, Any]] = [
    ('{"custom_id": "a", "custom_id": "b", "body": {"model": "m", "messages": []}}', "b"),
    ('{"custom_id": {"a": 1}, "body": {"model": "m", "messages": [{"role": ["user"], "content": "x"}]}}', None),
    ('{"custom_id": true, "body": []}', None),
    ('{"custom_id": NaN, "body": null}', None),
    ('{"custom_id": "\\ud800", "body": {"messages": [{"role": "user", "content": "\\udc00"}]}}', "\ud800"),
    ('{"custom_id": 1.0, "body": {"url": 5, "messages": {"role": "user"}}, "url": 5}', 1.0),
    ('{"custom_id": 12345678901234567890, "body": "text"}', 12345678901234567890),
]


@pytest.mark.parametrize(("line", "record"), EVIL)
def test_evil_rows_are_calls_and_keep_their_ids(tmp_path: Path, line: str, record: Any) -> None:
    good = '{"custom_id": "good", "body": {"model": "m", "messages": [{"role": "user", "content": "x"}]}}'
    calls = read_rows(tmp_path, good, line)
    assert [call.index for call in calls] == [0, 1]
    assert (record, type(record)) == (calls[1].record, type(calls[1].record))


def test_a_line_of_a_hundred_megabytes_costs_one_diagnostic(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    good = b'{"custom_id": "a", "body": {"model": "m", "messages": [{"role": "user", "content": "x"}]}}\n'
    with path.open("wb") as stream:
        stream.write(good)
        stream.write(b'{"custom_id": "b", "body": {"model": "')
        for _ in range(100):
            stream.write(b"x" * (1 << 20))
        stream.write(b'"}}\n' + good)
    events = logs.read_log(path)
    assert [call.line for call in logs.calls_of(events)] == [1, 3]
    assert [item.place.line for item in logs.diagnostics_of(events, "dat-too-large")] == [2]


SAMPLES = (
    b"".join(json.dumps(row).encode() + b"\n" for row in (
        {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "m", "messages": ASK}},
        respond(instructions="x", input=[{"role": "user", "content": "y"}, CALL]),
        {"custom_id": "e", "method": "POST", "url": "/v1/embeddings", "body": {"model": "m", "input": ["a"]}},
        {"custom_id": "c", "url": "/v1/completions", "body": {"model": "m", "prompt": "x"}},
    )),
    b"".join(json.dumps({"custom_id": "a", **rest}).encode() + b"\n" for rest, _, _ in OUTCOMES),
    b"".join(json.dumps({"custom_id": "a", "result": result}).encode() + b"\n" for result, _, _ in RESULTS),
    b"".join(json.dumps(row).encode() + b"\n" for _, row, _ in ROWS[:1] + ROWS[4:5]),
    json.dumps([row for _, row, _ in ROWS if isinstance(row, dict)], indent=1).encode(),
    b"".join(json.dumps(row).encode() + b"\n\n" for row in (
        {"messages": [*ASK, REPLY]},
        {"input": {"messages": ASK}, "preferred_output": [REPLY], "non_preferred_output": [REPLY]},
        {"prompt": "a", "completion": "b"},
        [*ASK, REPLY],
    )),
    json.dumps({"model": "m", "messages": ASK, "stream": False}, indent=2).encode(),
    b"".join(json.dumps(row).encode() + b"\n" for row in (
        {"key": "k", "request": {"systemInstruction": {"parts": [{"text": "s"}]}, "contents": [{"parts": []}]}},
        {"key": "k", "response": {"candidates": [{"content": {"parts": [{"text": "t"}]}, "finishReason": "STOP"}]}},
    )),
)  # fmt: skip
KEYS = (
    "openai_batch",
    "openai_batch_replies",
    "anthropic",
    "gemini",
    "openai_requests",
    "chat_rows",
    "readback_export",
)
places = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 600)), max_size=6)


@pytest.mark.long
@settings(max_examples=many(2_000, 20))
@given(st.sampled_from(SAMPLES), places)
def test_damaged_files_are_accounted_for(tmp_path_factory: pytest.TempPathFactory, sample: bytes, places: Any) -> None:
    path = tmp_path_factory.mktemp("damaged") / "damaged.jsonl"
    path.write_bytes(logs.mutate(sample, places))
    formats.find_format(path)
    for key in KEYS:
        events = list(formats.get_format(key).read(path, path.name))
        check_frames(path, key)
        counts = logs.counts_of(events)
        calls = logs.calls_of(events)
        assert list(range(counts["rows"])) == [call.index for call in calls]
        assert sum(isinstance(event, Diagnostic) for event in events) >= counts["refused"]
        for call in calls:  # nothing disappears without a word
            assert call.messages is not None or call.text is not None or call.error or call.warning


def test_the_beginning_of_json_is_read_wherever_it_is_cut() -> None:
    value = {"a": [1, {"b": 'x\\"\n é😀', "c": None}], "e": {"f": [True, -1.5e3]}, "g": "\\"}
    text = json.dumps(value, indent=1)
    for end in range(1, len(text) + 1):
        closed = close_json(text[:end])
        assert closed is not None
        json.loads(closed)
