"""Replies of an OpenAI batch, a line each: `custom_id` with `response` (`status_code`, `body`) or `error`.

Source: the guide to OpenAI's Batch API. The requests are in another file, in another order: where it lies beside, the
calls are those of the requests, each with its reply; else there are no messages here. A status other than 2xx, an
`error`, and a request that expired have failed and have no answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from readback.readers.logs.batch_join import find_requests, read_joined
from readback.readers.logs.bodies import Body
from readback.readers.logs.calls import RowCall, read_calls, without
from readback.readers.logs.events import Event
from readback.readers.logs.formats.openai_batch import BATCH, is_reply
from readback.readers.logs.formats.openai_batch import read as read_requests
from readback.readers.logs.head import peek_objects
from readback.readers.logs.messages import describe_kind
from readback.readers.logs.replies import read_batch_reply

NAME = "replies of an OpenAI batch"
HOLDS_SCORES = False
HOLDS_SCORES = False
ID = "custom_id"
COMPANIONS = ("openai_batch", "openai_batch_replies")
ELSEWHERE = "the requests are in another file"


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether a file has rows with a `custom_id` and a response or an error."""
    if b'"custom_id"' not in head:
        return False
    return any(map(is_reply, peek_objects(head)))


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield the calls of the requests beside with their replies, else a call without messages for each line."""
    joined = read_joined(find_requests(path, BATCH), read_requests, file)
    return joined or read_calls(path, file, "OpenAI batch", _read_row)


def _read_row(row: Any) -> RowCall:
    if not isinstance(row, dict):
        return RowCall(Body(error=f"the line is {describe_kind(row)}, where an object is needed"))
    body = Body(warning=ELSEWHERE)
    return RowCall(body, read_batch_reply(row), row.get(ID), ID, without(row, "response", "error"))
