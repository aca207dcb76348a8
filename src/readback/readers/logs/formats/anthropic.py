"""Anthropic: bodies of the Messages API, batches (`custom_id` + `params`) and their results (`custom_id` + `result`).

Source: the types of anthropic 2.12.0. `system` comes as a first message of the role system with `from: system`. A last
message by the assistant is the beginning of the answer (prefill). Results are `succeeded`, `errored`, `canceled` or
`expired`, in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readback.readers.files.text_file import read_head
from readback.readers.logs.batch_join import (
    BatchFormat,
    find_replies,
    find_requests,
    get_body_model,
    read_joined,
)
from readback.readers.logs.bodies import Body, is_anthropic, read_anthropic
from readback.readers.logs.calls import RowCall, read_calls, without
from readback.readers.logs.events import Event
from readback.readers.logs.formats.openai_requests import read_row as read_other_row
from readback.readers.logs.head import peek_objects
from readback.readers.logs.messages import describe_kind
from readback.readers.logs.replies import Reply, describe_error, read_reply

NAME = "requests to Anthropic"
HOLDS_SCORES = False
HOLDS_SCORES = False
ID = "custom_id"
COMPANIONS = ("anthropic",)
HEAD = 1 << 18
ELSEWHERE = "the requests are in another file"
ENDED = frozenset({"succeeded", "errored", "canceled", "expired"})


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether a file has requests to Anthropic, or the results of a batch."""
    if not any(mark in head for mark in (b'"max_tokens"', b'"params"', b'"result"', b'"max_tokens_to_sample"')):
        return False
    return any(_is_body(row) or _is_batch(row) or _is_result(row) for row in peek_objects(head))


def _is_body(row: Mapping[str, Any]) -> bool:
    if "max_tokens_to_sample" in row:
        return "prompt" in row
    return isinstance(row.get("messages"), list) and "max_tokens" in row and is_anthropic(row)


def _is_batch(row: Mapping[str, Any]) -> bool:
    params = row.get("params")
    return ID in row and isinstance(params, dict) and ("messages" in params or "max_tokens" in params)


def _is_result(row: Mapping[str, Any]) -> bool:
    result = row.get("result")
    return ID in row and isinstance(result, dict) and result.get("type") in ENDED


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield a call for each row; the results of a batch are joined to its requests where both lie in one folder."""
    if any(map(_is_result, peek_objects(read_head(path, HEAD)))):
        joined = read_joined(find_requests(path, BATCH), _read_requests, file)
        yield from joined or read_calls(path, file, "Anthropic", _read_row)
    else:
        yield from _read_requests(path, file)


def _read_requests(path: Path, file: str) -> Iterator[Event]:
    replies = find_replies(path, BATCH)
    yield from read_calls(path, file, "Anthropic", lambda row: replies.answer(_read_row(row)))
    yield from replies.report(file)


def _read_row(row: Any) -> RowCall:
    if not isinstance(row, dict):
        return RowCall(Body(error=f"the line is {describe_kind(row)}, where an object is needed"))
    if "result" in row:
        return RowCall(Body(warning=ELSEWHERE), _read_result(row["result"]), row.get(ID), ID, without(row, "result"))
    if "params" in row or (ID in row and "messages" not in row):
        params = row.get("params")
        if isinstance(params, dict):
            body = read_anthropic(params)
        else:
            body = Body(error=_describe_lack(row))
        return RowCall(body, Reply(), row.get(ID), ID, without(row, "params"))
    if "request" in row:
        return read_other_row(row)
    return RowCall(read_anthropic(row))


def _describe_lack(row: Mapping[str, Any]) -> str:
    if "params" in row:
        return f"params is {describe_kind(row['params'])}"
    return "no params"


def _read_result(result: Any) -> Reply:
    if not isinstance(result, dict):
        return Reply(error=f"the result is {describe_kind(result)}")
    ended = result.get("type")
    if ended == "succeeded":
        return read_reply(result.get("message"))
    if result.get("error"):
        return Reply(error=f"{str(ended)[:40]}: {describe_error(result['error'])}")
    return Reply(error=str(ended)[:40])


def _read_reply(row: Mapping[str, Any]) -> Reply:
    return _read_result(row.get("result"))


BATCH = BatchFormat(ID, _is_batch, _is_result, _read_reply, get_body_model)
