"""A batch and its replies in one folder: joined by their ids, counted once, and never by a guess."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import read_log_files as logs

from readback.readers.logs.decode import decode


def write_rows(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def ask(name: Any, model: str = "m") -> dict[str, Any]:
    body = {"model": model, "messages": [{"role": "user", "content": f"Q {name}"}]}
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}


def answer(name: Any, text: str, model: str = "m-2026") -> dict[str, Any]:
    body = {"model": model, "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}
    return {"id": "x", "custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}


def fail(name: Any) -> dict[str, Any]:
    return {"custom_id": name, "response": None, "error": {"code": "batch_expired", "message": "late"}}


def read_outcomes(path: Path) -> list[tuple[Any, Any, Any, Any]]:
    calls = logs.calls_of(logs.read_log(path))
    return [(call.index, call.record, call.output, call.error) for call in calls]


def test_requests_and_replies_give_the_same_calls_in_the_order_of_the_requests(tmp_path: Path) -> None:
    requests = write_rows(tmp_path / "requests.jsonl", ask("a"), ask("b"), ask("c"), ask(1))
    replies = write_rows(tmp_path / "output.jsonl", answer(1, "one"), answer("1", "text"), answer("a", "A"))
    failures = write_rows(tmp_path / "errors.jsonl", fail("b"))
    expected = [(0, "a", "A", None), (1, "b", None, "batch_expired: late"), (2, "c", None, None), (3, 1, "one", None)]
    assert read_outcomes(requests) == read_outcomes(replies) == read_outcomes(failures) == expected
    decoded = [decode(path, path.name) for path in (requests, replies, failures)]
    assert len({log.digest for log in decoded if log}) == 1
    parts = [item.values["what"] for item in logs.diagnostics_of(logs.read_log(requests), "dat-log-part")]
    assert parts == ["1 × a reply in errors.jsonl, output.jsonl to no request here"]


def test_a_reply_that_comes_later_is_joined(tmp_path: Path) -> None:
    requests = write_rows(tmp_path / "requests.jsonl", ask("a"))
    before = decode(requests, requests.name)
    write_rows(tmp_path / "output.jsonl", answer("a", "A"))
    after = decode(requests, requests.name)
    assert before is not None
    assert after is not None
    assert [before.counts["answers"], after.counts["answers"]] == [0, 1]


def test_two_batches_with_the_same_ids_are_told_apart_by_their_models(tmp_path: Path) -> None:
    small = write_rows(tmp_path / "small.jsonl", ask("a", "small"))
    large = write_rows(tmp_path / "large.jsonl", ask("a", "large"))
    of_small = write_rows(tmp_path / "out1.jsonl", answer("a", "S", "small-2026"))
    write_rows(tmp_path / "out2.jsonl", answer("a", "L", "large-2026"))
    assert read_outcomes(small) == read_outcomes(of_small) == [(0, "a", "S", None)]
    assert read_outcomes(large) == [(0, "a", "L", None)]


def test_nothing_is_joined_where_two_files_may_answer(tmp_path: Path) -> None:
    requests = write_rows(tmp_path / "requests.jsonl", ask("a"))
    for name in ("out1", "out2"):
        write_rows(tmp_path / f"{name}.jsonl", answer("a", name))
    assert read_outcomes(requests) == [(0, "a", None, None)]
    assert "nothing is joined" in logs.diagnostics_of(logs.read_log(requests))[0].values["what"]


def test_replies_to_other_requests_stay_alone(tmp_path: Path) -> None:
    requests = write_rows(tmp_path / "requests.jsonl", ask("a"))
    replies = write_rows(tmp_path / "output.jsonl", answer("z", "Z"))
    assert read_outcomes(requests) == [(0, "a", None, None)]
    assert read_outcomes(replies) == [(0, "z", "Z", None)]


def test_results_of_anthropic_and_gemini_are_joined_as_well(tmp_path: Path) -> None:
    folder = tmp_path / "anthropic"
    folder.mkdir()
    params = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Q"}]}
    requests = write_rows(folder / "batch.jsonl", {"custom_id": "a", "params": params})
    message = {"model": "m", "content": [{"type": "text", "text": "A"}], "stop_reason": "end_turn"}
    results = write_rows(
        folder / "results.jsonl", {"custom_id": "a", "result": {"type": "succeeded", "message": message}}
    )
    assert read_outcomes(requests) == read_outcomes(results) == [(0, "a", "A", None)]
    folder = tmp_path / "gemini"
    folder.mkdir()
    requests = write_rows(folder / "batch.jsonl", {"key": "a", "request": {"contents": [{"parts": [{"text": "Q"}]}]}})
    candidate = {"content": {"parts": [{"text": "A"}]}, "finishReason": "STOP"}
    replies = write_rows(folder / "replies.jsonl", {"key": "a", "response": {"candidates": [candidate]}})
    assert read_outcomes(requests) == read_outcomes(replies) == [(0, "a", "A", None)]
