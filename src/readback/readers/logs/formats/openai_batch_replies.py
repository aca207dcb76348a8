"""Replies of an OpenAI batch, a line each: `custom_id` with `response` (`status_code`, `body`) or `error`.

Source: the guide to OpenAI's Batch API. The requests are in another file, in any order, so there are no messages here.
A status other than 2xx, an `error`, and a request that expired have failed and have no answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from readback.readers.logs.bodies import Body
from readback.readers.logs.calls import RowCall, read_calls, without
from readback.readers.logs.events import Event
from readback.readers.logs.head import peek_objects
from readback.readers.logs.messages import describe_kind
from readback.readers.logs.replies import SUCCESS, Reply, describe_error, read_reply

NAME = "replies of an OpenAI batch"
HOLDS_SCORES = False
ID = "custom_id"
ELSEWHERE = "the requests are in another file"


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether a file has rows with a `custom_id` and a response or an error."""
    if b'"custom_id"' not in head:
        return False
    return any(ID in row and ("response" in row or "error" in row) and "body" not in row for row in peek_objects(head))


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield a call without messages for each line."""
    return read_calls(path, file, "OpenAI batch", _read_row)


def _read_row(row: Any) -> RowCall:
    if not isinstance(row, dict):
        return RowCall(Body(error=f"the line is {describe_kind(row)}, where an object is needed"))
    body = Body(warning=ELSEWHERE)
    return RowCall(body, _read_reply(row), row.get(ID), ID, without(row, "response", "error"))


def _read_reply(row: dict[str, Any]) -> Reply:
    response = row.get("response")
    if row.get("error"):
        return Reply(error=describe_error(row["error"]))
    if not isinstance(response, dict):
        return Reply(error="no response")
    status = response.get("status_code")
    reply = read_reply(response.get("body"))
    if status is None or (isinstance(status, int) and status in SUCCESS):
        return reply
    return Reply(None, reply.model, f"status {str(status)[:20]}: {reply.error or 'failed'}", None, reply.details)
